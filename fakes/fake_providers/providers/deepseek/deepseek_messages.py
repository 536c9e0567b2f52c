"""DeepSeek's `/anthropic/v1/messages`: serde's sentences, with the envelope, ids and errors of its chat completions."""

import re
from dataclasses import replace
from functools import partial
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.deepseek_chat import ERROR_IN_JSON, MODEL, NO_KEY, NOT_JSON, UNSAID
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.replies.documents import ByStatus
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

CHECKED: Final = "2026-11-23"
HELLO: Final = {"role": "user", "content": "Hello"}
CALL: Final = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}}
CALLS: Final = {"role": "assistant", "content": [CALL]}
THOUGHT: Final = {"type": "thinking", "thinking": "I ask.", "signature": "1"}
RESULT: Final = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "7"}]}
THINKING: Final = {"type": "enabled"}
sample = partial(elsewhere.sample, MODEL)


BOOK = Rulebook(ERROR_IN_JSON.refusal)

chat.refuse_unread(BOOK, "deepseek", elsewhere.CONVERSATION, model=MODEL, not_json=NOT_JSON,
    missing=f"{UNREADABLE}missing field `messages` at line 1 column 2",
    source="worded like the refusals of other bodies that cannot be parsed", max_tokens=16)  # fmt: skip

ROLES: Final = ("user", "assistant")
ROLE: Final = "messages[1].role: unknown variant `system`, expected `user` or `assistant`"
refuse_wrong_types(BOOK, "deepseek",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for the role", members=elsewhere.MEMBERS_OF_MESSAGES, roles=ROLES,
        required=elsewhere.REQUIRED,
        known={"role-unknown": ("verbatim", {"deepseek-ai/awesome-deepseek-agent#167": ROLE})}),
    elsewhere.samples(MODEL), prefix="anthropic-", table=elsewhere.RULES_OF_MESSAGES)  # fmt: skip


def _ids(message: dict[str, Any], kind: str, member: str) -> list[str]:
    blocks = (block for _, block in elsewhere.objects(message.get("content")) if block.get("type") == kind)
    return [str(block.get(member)) for block in blocks]


def _called(message: dict[str, Any]) -> list[str]:
    return _ids(message, "tool_use", "id") if message.get("role") == "assistant" else []


def _unanswered(found: list[chat.PlacedItem]) -> dict[str, Any] | None:
    for (index, message), (_, after) in zip(found, [*found[1:], (0, {})], strict=False):
        answered = _ids(after, "tool_result", "tool_use_id")
        if missing := [one for one in _called(message) if one not in answered]:
            return {"i": index, "ids": ", ".join(missing)}
    return None


def thinks(body: Any) -> bool:
    """Whether thinking is asked for; what the API does where a request says nothing of it is not known."""
    thinking = body.get("thinking") if isinstance(body, dict) else None
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


KINDS = {401: "authentication_error", 402: "unknown_error", 429: "rate_limit_error", 500: "internal_error"}
LEFT_OUT = frozenset(["stop_details", "caller", "inference_geo", "cache_creation", "output_tokens_details"])


def _has_reference(message: dict[str, Any]) -> bool:
    """Whether a result has a reference to a tool; other parts that are no text were not seen to be refused."""
    results = (block for _, block in elsewhere.objects(message.get("content")) if block.get("type") == "tool_result")
    return any(
        part.get("type") == REFERENCE for block in results for _, part in elsewhere.objects(block.get("content"))
    )


REFERENCE: Final = "tool_reference"


def _result_of(kind: str) -> dict[str, Any]:
    part = {"type": kind, "text": "7", "tool_name": "get_weather"}
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": [part]}]}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/anthropic-result-part", "A result has a reference to a tool, as a search for tools returns it.",
    chat.MESSAGE, _has_reference,
    UNREADABLE + f"messages[{{i}}].content: unknown variant `{REFERENCE}`, expected `text`",
    ".content", checked="2026-11-30", remedy=remedies.JOIN_PARTS,
    wrong=sample(HELLO, CALLS, _result_of(REFERENCE)), right=sample(HELLO, CALLS, _result_of("text")),
    verbatim={"zhukunpenglinyutong/jetbrains-cc-gui#591": "unknown variant"})
BOOK.row("deepseek/anthropic-user-id", "`metadata.user_id` has other characters than letters, digits, `_` and `-`.",
    ANY_PARAMETER,
    lambda body: isinstance(user := (body.get("metadata") or {}).get("user_id"), str)
        and not re.fullmatch("[a-zA-Z0-9_-]+", user),
    "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    "metadata.user_id", checked=CHECKED,
    remedy=Remedy("parameters",
        "Send a user id of letters, digits, `_` and `-` alone, such as a hash, or leave `metadata` out."),
    wrong=sample(metadata={"user_id": "ada@example.com"}), right=sample(metadata={"user_id": "ada"}),
    verbatim={"deepseek-ai/awesome-deepseek-agent#67":
        "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern"})
BOOK.row("deepseek/anthropic-tool-calls-unanswered", "A call has no result in the next message.",
    chat.NEAR, _unanswered,
    "messages.{i}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each `tool_use` "
        "block must have a corresponding `tool_result` block in the next message.", "messages[{i}].content",
    checked=CHECKED, remedy=remedies.ANSWER_CALLS,
    wrong=sample(HELLO, CALLS), right=sample(HELLO, CALLS, RESULT),
    verbatim={"Hmbown/Codewhale#4329": "`tool_use` ids were found without `tool_result` blocks immediately"})
BOOK.row("deepseek/anthropic-thinking-missing",
    "Thinking is enabled, and a message with a call has lost the thinking that came before it.",
    chat.MESSAGE, lambda one: _called(one) and not _ids(one, "thinking", "type"),
    "The `content[].thinking` in the thinking mode must be passed back to the API.", ".content",
    given=lambda context: thinks(context.body), even_usual=True, needs="thinking", checked=CHECKED,
    remedy=remedies.THINKING_BEFORE_CALLS,
    wrong=sample(HELLO, CALLS, RESULT, thinking=THINKING),
    right=sample(HELLO, {"role": "assistant", "content": [THOUGHT, CALL]}, RESULT, thinking=THINKING),
    verbatim={"public code that quotes it": "..."})
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
