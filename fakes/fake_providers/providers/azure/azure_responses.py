"""Azure's Responses: OpenAI's rules and answers, under Azure's name and with its keys."""

from msgspec.structs import replace

from fake_providers.models import traits
from fake_providers.providers.azure.azure_chat import MISSING_KEY, OPENAI_NAMES
from fake_providers.providers.azure.azure_chat import PROVIDER as CHAT
from fake_providers.rulebook import RenamedBook
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_responses.rules import FIELDS, WHOLE
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

SAME = cite("14 recordings of openai.azure.com and cognitiveservices.azure.com, whose answers are OpenAI's")

TOO_LONG = context_length_rule("azure/responses-context-length", reported=SAME)


PROVIDER = Provider(
    name="azure",
    base_path="/openai/v1",
    errors=replace(
        CHAT.errors, window=TOO_LONG, missing_key=replace(MISSING_KEY, id="azure/responses-missing-key"), path="input"
    ),
    answers=None,
    books=tuple(RenamedBook(book, "azure", SAME) for book in FIELDS),
    conversation_books=tuple(RenamedBook(book, "azure", SAME) for book in WHOLE),
    # A deployment that is not named after a model of OpenAI's may be any.
    traits=lambda model: traits("openai-responses", model if model.startswith(OPENAI_NAMES) else "unknown"),
    stores_responses=True,
)
