"""DeepSeek's responses on Anthropic's wire: its ids and errors of chat completions."""

from dataclasses import replace
from typing import Any

from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.chat_answers import NO_KEY, UNSAID
from fake_providers.providers.deepseek.chat_rules import error_body
from fake_providers.providers.deepseek.messages_rules import BOOK, thinks
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

KINDS = {401: "authentication_error", 402: "unknown_error", 429: "rate_limit_error", 500: "internal_error"}
LEFT_OUT = frozenset(["stop_details", "caller", "inference_geo", "cache_creation", "output_tokens_details"])


def _call_id(ids: Ids) -> str:
    return ids.make("call_00_", 24)


def _error(status: int, message: str) -> dict[str, Any]:
    return error_body(message, kind=KINDS.get(status, "invalid_request_error" if status < 500 else "internal_error"))


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model sends some before it calls, and requires it back."""
    return reply if reply.thinking or not thinks(body_of(context.request)) else replace(reply, thinking=UNSAID)


PROVIDER = Provider(
    name="deepseek",
    base_path="/anthropic",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "deepseek"),
    answers=Answers(id=uuid, call_id=_call_id, left_out=LEFT_OUT, pings=True, complete_reply=_completed),
    window=context_length_rule(
        "deepseek/anthropic-context-length",
        confidence="reported",
        evidence=cite("worded as on chat completions, where it is recorded"),
    ),
    too_long=lambda tokens, window: (
        f"This model's maximum context length is {window} tokens. However, you requested {tokens} tokens "
        f"({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "deepseek/anthropic-missing-key",
        confidence="reported",
        evidence=cite("recordings of chat completions with a wrong key", "Authentication Fails"),
    ),
    key_sentence=NO_KEY,
    error=_error,
)
