"""xAI's responses on Anthropic's wire."""

from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.xai.chat_rules import error_body
from fake_providers.providers.xai.messages_rules import BOOK
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

NO_KEY = "No API key was provided. Send it as `Authorization: Bearer`, or as `x-api-key`."
KINDS = {
    400: "Client specified an invalid argument",
    401: "Unauthenticated request",
    404: "Some requested entity was not found",
    429: "Some resource has been exhausted",
}


def _call_id(ids: Ids) -> str:
    return ids.make("call_", 8, "0123456789")


PROVIDER = Provider(
    name="xai",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "xai"),
    answers=Answers(id=uuid, call_id=_call_id),
    window=context_length_rule(
        "xai/anthropic-context-length",
        confidence="reported",
        evidence=cite("worded as on chat completions, where it is recorded"),
    ),
    too_long=lambda tokens, window: (
        f"This model's maximum prompt length is {window} but the request contains {tokens} tokens."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "xai/anthropic-missing-key",
        confidence="inferred",
        evidence=cite("as on chat completions; the words are ours"),
    ),
    key_sentence=NO_KEY,
    error=lambda status, message: error_body(message, KINDS.get(status, "The service failed")),
)
