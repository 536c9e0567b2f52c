"""OpenRouter's responses on Anthropic's wire."""

from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.openrouter.messages_rules import BOOK, error_body
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.anthropic_messages.response import call_id
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of


def _id(ids: Ids) -> str:
    return ids.make("gen-1763900000-", 20)


PROVIDER = Provider(
    name="openrouter",
    base_path="/api",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "openrouter"),
    answers=Answers(id=_id, call_id=call_id, pings=True),
    window=context_length_rule(
        "openrouter/anthropic-context-length",
        confidence="reported",
        evidence=cite("worded as on chat completions, where it is recorded"),
    ),
    too_long=lambda tokens, window: (
        f"This endpoint's maximum context length is {window} tokens. However, you requested about {tokens} tokens. "
        "Please reduce the length of the input."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "openrouter/anthropic-missing-key",
        confidence="reported",
        evidence=cite("recordings of chat completions without a key", "No cookie auth credentials found"),
    ),
    key_sentence="No cookie auth credentials found",
    error=error_body,
    sentences={429: "Provider returned error", 502: "Provider returned error", 503: "No instances available"},
)
