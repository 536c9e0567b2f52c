"""The responses of Ollama's `/v1/responses`, with the members of OpenAI's."""

from dataclasses import replace

from fake_providers.models import families_of
from fake_providers.providers.ollama.chat_answers import PROVIDER as CHAT
from fake_providers.providers.ollama.responses_rules import BOOK, SOURCE
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_responses.provider import Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule

TOO_LONG = context_length_rule("ollama/responses-prompt-too-long", confidence="inferred", evidence=cite(SOURCE))
PROVIDER = Provider(
    name="ollama",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=None,
    books=(BOOK,),
    traits=families_of("openai-responses", "ollama"),
)
