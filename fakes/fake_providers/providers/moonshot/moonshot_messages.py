"""Moonshot's `/anthropic/v1/messages`, whose sentences are those of its chat completions."""

from dataclasses import replace
from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, WrongType, refuse_wrong_types
from fake_providers.reply import Reply
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.values.lenient import listed
from fake_providers.wire import ReplyContext
from fake_providers.wires.anthropic_messages.json_parser import model_of, tolerant
from fake_providers.wires.anthropic_messages.provider import ENVELOPE, Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

MODEL: Final = "kimi-k2-turbo-preview"
CODE: Final = "kimi-k2.7-code"
THINKER: Final = "kimi-k2.5"
CHECKED: Final = "2026-11-23"
SAME: Final = "deduced from chat completions: farion1231/cc-switch#3377 quotes one of its sentences from here"
HELLO: Final = {"role": "user", "content": "Hello"}
CALL: Final = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {}}
CALLS: Final = {"role": "assistant", "content": [CALL]}


def of_call(id_: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": "7"}]}


RESULT: Final = of_call("call_1")
BOOK = Rulebook(ENVELOPE.refusal)
refuse_unread(BOOK, "moonshot", elsewhere.CONVERSATION, model=MODEL,
    not_json=Breach("body", "Invalid request: the body is not JSON"),
    missing=lambda body: Breach("messages", "Invalid request: messages must not be empty"), source=SAME,
    max_tokens=16)  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    what = "is missing" if found.value is MISSING else f"must be {' or '.join(found.types)}"
    return Breach(found.at, f"Invalid request: {found.dotted} {what}")


refuse_wrong_types(BOOK, "moonshot",
    Dialect(words=_wrong_type, source="worded like its refusals of chat completions",
        members=elsewhere.MEMBERS_OF_MESSAGES, roles=("user", "assistant", "system"),
        required=("model", *elsewhere.REQUIRED)), elsewhere.samples(MODEL), prefix="anthropic-",
    table=elsewhere.RULES_OF_MESSAGES)  # fmt: skip


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in listed(message.get("content")) if isinstance(one, dict) and one.get("type") == kind]


def thinks(body: Any, traits: frozenset[str]) -> bool:
    return "thinking" in traits and (
        not isinstance(body, dict) or chat.inner(body, "thinking").get("type") != "disabled"
    )


def _unanswered(found: list[chat.PlacedItem]) -> dict[str, Any] | None:
    for (i, message), (_, after) in zip(found, [*found[1:], (0, {})], strict=False):
        answered = {block.get("tool_use_id") for block in _blocks(after, "tool_result")}
        missing = [str(block.get("id")) for block in _blocks(message, "tool_use") if block.get("id") not in answered]
        if missing:
            return {"i": i, "ids": ", ".join(missing)}
    return None


def _without_call(found: list[chat.PlacedItem]) -> dict[str, Any] | None:
    called: set[Any] = set()
    for i, message in found:
        if any(block.get("tool_use_id") not in called for block in _blocks(message, "tool_result")):
            return {"i": i}
        called |= {block.get("id") for block in _blocks(message, "tool_use")}
    return None


UNSAID = "Let me see."
"""The thinking of a model that always thinks, if the script has none."""
FAMILIES = families_of("anthropic-messages", "moonshot")


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    body = tolerant(context.request)
    return replace(reply, thinking=UNSAID) if thinks(body, FAMILIES(model_of(body))) and not reply.thinking else reply


# A table: two rows are to be compared.
# fmt: off
BOOK.row("moonshot/anthropic-thinking-type",
    "Thinking is turned off, or adaptive, and the model only takes it enabled.",
    ANY_PARAMETER, lambda body: body.get("thinking") is not None and body["thinking"].get("type") != "enabled",
    "invalid thinking: only type=enabled is allowed for this model", "thinking.type", trait="always-thinks",
    models="kimi-k2.7-code", checked=CHECKED, remedy=remedies.THINKING_OBJECT,
    wrong=elsewhere.sample(CODE, thinking={"type": "disabled"}),
    right=elsewhere.sample(CODE, thinking={"type": "enabled"}),
    verbatim={"MoonshotAI/Kimi-K2#141": "..."})
BOOK.row("moonshot/anthropic-thinking-missing",
    "The model thinks, and a message with a call has lost the thinking that came before it.",
    chat.MESSAGE, lambda one: _blocks(one, "tool_use") and not _blocks(one, "thinking"),
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index {i}", ".content",
    given=lambda context: thinks(context.body, context.traits), trait="thinking", even_usual=True,
    models="kimi-k2.5 and newer unless thinking is disabled", checked=CHECKED, remedy=remedies.THINKING_BEFORE_CALLS,
    wrong=elsewhere.sample(THINKER, HELLO, CALLS, RESULT),
    right=elsewhere.sample(THINKER, HELLO,
        {**CALLS, "content": [{"type": "thinking", "thinking": "I ask.", "signature": "1"}, CALL]}, RESULT),
    reported={"farion1231/cc-switch#3377": "thinking is enabled but reasoning_content is missing"})
BOOK.row("moonshot/anthropic-tool-calls-unanswered", "A call has no result in the next message.",
    chat.NEAR, _unanswered,
    "Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'. The following tool_call_ids did not have response messages: {ids}", "messages[{i}].content",
    checked=CHECKED, remedy=remedies.ANSWER_CALLS,
    wrong=elsewhere.sample(MODEL, HELLO, CALLS), right=elsewhere.sample(MODEL, HELLO, CALLS, RESULT),
    inferred={SAME: "an assistant message with 'tool_calls' must be followed by tool messages"})
BOOK.row("moonshot/anthropic-result-without-call", "A result has the id of no call of the message before.",
    chat.NEAR, _without_call, "Invalid request: tool_call_id  is not found", "messages[{i}].content", checked=CHECKED,
    remedy=remedies.RESULT_WITH_CALL,
    wrong=elsewhere.sample(MODEL, HELLO, CALLS, RESULT, of_call("call_2")),
    right=elsewhere.sample(MODEL, HELLO, CALLS, RESULT, of_call("call_1")),
    inferred={SAME: "..."})

PROVIDER = Provider(
    name="moonshot",
    base_path="/anthropic",
    books=(BOOK,),
    traits=FAMILIES,
    answers=Answers(
        id=lambda ids: ids.make("msg_", 24),
        call_id=lambda ids: ids.make("toolu_", 24),
        complete_reply=_completed),
    window=context_length_rule(
        "moonshot/anthropic-context-length",
        reported={"public code that quotes it from chat completions": "Your request exceeded model token limit"}),
    too_long=lambda tokens, window: (
        f"Invalid request: Your request exceeded model token limit: {window} (requested: {tokens})"),
    body_of=body_of,
    missing_key=missing_key_rule(
        "moonshot/anthropic-missing-key", inferred={"worded as on chat completions": "Invalid Authentication"}),
    key_sentence="Invalid Authentication")
# fmt: on
