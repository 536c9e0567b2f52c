"""DeepSeek's `/anthropic/v1/messages`: serde's sentences, with the envelope, ids and errors of its chat completions."""

import re
from dataclasses import replace
from typing import Any, Final

from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.chat import NO_KEY, UNSAID
from fake_providers.providers.deepseek.chat_rules import ERROR_IN_JSON, MODEL
from fake_providers.providers.shared.chat_reading import listed, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.providers.shared.types_elsewhere import (
    CONVERSATION,
    MEMBERS_OF_MESSAGES,
    REQUIRED,
    RULES_OF_MESSAGES,
    conversation,
    sample,
    samples,
)
from fake_providers.replies.documents import ByStatus
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
USER_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
HELLO: Final = {"role": "user", "content": "Hello"}
CALL: Final = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}}
THOUGHT: Final = {"type": "thinking", "thinking": "I ask.", "signature": "1"}
RESULT: Final = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "7"}]}
THINKING: Final = {"type": "enabled"}


BOOK = Rulebook(ERROR_IN_JSON.refusal)

refuse_unread(
    BOOK,
    "deepseek",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach("messages", f"{UNREADABLE}missing field `messages` at line 1 column 2"),
    source="worded like the refusals of other bodies that cannot be parsed",
    max_tokens=16,
)

ROLES: Final = ("user", "assistant")
refuse_wrong_types(
    BOOK,
    "deepseek",
    Dialect(
        words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for the role",
        members=MEMBERS_OF_MESSAGES,
        roles=ROLES,
        required=REQUIRED,
        known={
            "role-unknown": (
                "verbatim",
                cite(
                    "deepseek-ai/awesome-deepseek-agent#167",
                    "messages[1].role: unknown variant `system`, expected `user` or `assistant`",
                ),
            )
        },
    ),
    samples(MODEL),
    prefix="anthropic-",
    table=RULES_OF_MESSAGES,
)


def _user_id(context: RequestContext) -> Breach | None:
    user = (context.body.get("metadata") or {}).get("user_id")
    if user is None or USER_ID.fullmatch(user):
        return None
    pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
    return Breach("metadata.user_id", f"Invalid 'user_id': string does not match pattern. {pattern}")


def _ids(message: dict[str, Any], kind: str, member: str) -> list[str]:
    blocks = (one for one in listed(message.get("content")) if isinstance(one, dict) and one.get("type") == kind)
    return [str(block.get(member)) for block in blocks]


def _unanswered(context: RequestContext) -> Breach | None:
    found = conversation(context)
    for place, (index, message) in enumerate(found):
        called = _ids(message, "tool_use", "id") if message.get("role") == "assistant" else []
        after = found[place + 1][1] if place + 1 < len(found) else {}
        missing = [one for one in called if one not in _ids(after, "tool_result", "tool_use_id")]
        if missing:
            sentence = (
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )
            return Breach(f"messages[{index}].content", sentence)
    return None


def _thinking_missing(context: RequestContext) -> Breach | None:
    if not thinks(context.body):
        return None
    for index, message in conversation(context):
        calls = message.get("role") == "assistant" and _ids(message, "tool_use", "id")
        if calls and not _ids(message, "thinking", "type"):
            sentence = "The `content[].thinking` in the thinking mode must be passed back to the API."
            return Breach(f"messages[{index}].content", sentence)
    return None


def thinks(body: Any) -> bool:
    """Whether thinking is asked for; what the API does where a request says nothing of it is not known."""
    thinking = body.get("thinking") if isinstance(body, dict) else None
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


KINDS = {401: "authentication_error", 402: "unknown_error", 429: "rate_limit_error", 500: "internal_error"}
LEFT_OUT = frozenset(["stop_details", "caller", "inference_geo", "cache_creation", "output_tokens_details"])


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/anthropic-user-id", "`metadata.user_id` has other characters than letters, digits, `_` and `-`.",
    ANY_PARAMETER, _user_id, checked=CHECKED,
    wrong=sample(MODEL, metadata={"user_id": "ada@example.com"}), right=sample(MODEL, metadata={"user_id": "ada"}),
    verbatim={"deepseek-ai/awesome-deepseek-agent#67":
        "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern"})
BOOK.row("deepseek/anthropic-tool-calls-unanswered", "A call has no result in the next message.",
    NEAR_MESSAGES, _unanswered, checked=CHECKED,
    wrong=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}),
    right=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}, RESULT),
    verbatim={"Hmbown/Codewhale#4329": "`tool_use` ids were found without `tool_result` blocks immediately"})
BOOK.row("deepseek/anthropic-thinking-missing",
    "Thinking is enabled, and a message with a call has lost the thinking that came before it.",
    ANY_PART, _thinking_missing, even_usual=True, needs="thinking", checked=CHECKED,
    wrong=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}, RESULT, thinking=THINKING),
    right=sample(MODEL, HELLO, {"role": "assistant", "content": [THOUGHT, CALL]}, RESULT, thinking=THINKING),
    verbatim={"public code that quotes it":
        "The `content[].thinking` in the thinking mode must be passed back to the API."})
# fmt: on


PROVIDER = Provider(
    name="deepseek",
    base_path="/anthropic",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "deepseek"),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_00_", 24),
        left_out=LEFT_OUT,
        pings=True,
        # A thinking model sends reasoning before it calls, and requires it back.
        complete_reply=lambda reply, context: (
            reply if reply.thinking or not thinks(body_of(context.request)) else replace(reply, thinking=UNSAID)
        ),
    ),
    window=context_length_rule(
        "deepseek/anthropic-context-length", reported={"worded as on chat completions, where it is recorded": ""}
    ),
    too_long=lambda tokens, window: (
        f"This model's maximum context length is {window} tokens. However, you requested {tokens} tokens "
        f"({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "deepseek/anthropic-missing-key",
        reported={"recordings of chat completions with a wrong key": "Authentication Fails"},
    ),
    key_sentence=NO_KEY,
    envelope=ERROR_IN_JSON.but(type=ByStatus(KINDS, "invalid_request_error")),
)
