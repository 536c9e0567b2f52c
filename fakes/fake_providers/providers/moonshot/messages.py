"""Moonshot's `/anthropic/v1/messages`, whose sentences are those of its chat completions."""

from dataclasses import replace
from typing import Any, Final

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import listed, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.types_elsewhere import (
    CONVERSATION,
    MEMBERS_OF_MESSAGES,
    REQUIRED,
    RULES_OF_MESSAGES,
    conversation,
    sample,
    samples,
)
from fake_providers.reply import Reply
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, NEAR_MESSAGES, Breach, RequestContext, Rulebook
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
THOUGHT: Final = {"type": "thinking", "thinking": "I ask.", "signature": "1"}


def of_call(id_: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": "7"}]}


RESULT: Final = of_call("call_1")


BOOK = Rulebook(ENVELOPE.refusal)

refuse_unread(
    BOOK,
    "moonshot",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "Invalid request: the body is not JSON"),
    missing=lambda body: Breach("messages", "Invalid request: messages must not be empty"),
    source=SAME,
    max_tokens=16,
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    what = "is missing" if found.value is MISSING else f"must be {' or '.join(found.types)}"
    return Breach(found.at, f"Invalid request: {found.dotted} {what}")


refuse_wrong_types(
    BOOK,
    "moonshot",
    Dialect(
        words=_wrong_type,
        source="worded like its refusals of chat completions",
        members=MEMBERS_OF_MESSAGES,
        roles=("user", "assistant", "system"),
        required=("model", *REQUIRED),
    ),
    samples(MODEL),
    prefix="anthropic-",
    table=RULES_OF_MESSAGES,
)


def _blocks(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in listed(message.get("content")) if isinstance(one, dict) and one.get("type") == kind]


def _thinking_type(context: RequestContext) -> Breach | None:
    thinking = context.body.get("thinking")
    if "always-thinks" not in context.traits or thinking is None or thinking.get("type") == "enabled":
        return None
    return Breach("thinking.type", "invalid thinking: only type=enabled is allowed for this model")


def _thinking_missing(context: RequestContext) -> Breach | None:
    if not thinks(context.body, context.traits):
        return None
    for index, message in conversation(context):
        if _blocks(message, "tool_use") and not _blocks(message, "thinking"):
            reason = f"reasoning_content is missing in assistant tool call message at index {index}"
            return Breach(f"messages[{index}].content", f"thinking is enabled but {reason}")
    return None


def thinks(body: Any, traits: frozenset[str]) -> bool:
    thinking = body.get("thinking") if isinstance(body, dict) else None
    disabled = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return "thinking" in traits and not disabled


def _unanswered(context: RequestContext) -> Breach | None:
    found = conversation(context)
    for place, (index, message) in enumerate(found):
        after = found[place + 1][1] if place + 1 < len(found) else {}
        answered = {block.get("tool_use_id") for block in _blocks(after, "tool_result")}
        missing = [block for block in _blocks(message, "tool_use") if block.get("id") not in answered]
        if missing:
            names = ", ".join(str(block.get("id")) for block in missing)
            sentence = (
                "Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding "
                f"to each 'tool_call_id'. The following tool_call_ids did not have response messages: {names}"
            )
            return Breach(f"messages[{index}].content", sentence)
    return None


def _without_call(context: RequestContext) -> Breach | None:
    called: set[Any] = set()
    for index, message in conversation(context):
        for block in _blocks(message, "tool_result"):
            if block.get("tool_use_id") not in called:
                return Breach(f"messages[{index}].content", "Invalid request: tool_call_id  is not found")
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
    ANY_PARAMETER, _thinking_type, models="kimi-k2.7-code", checked=CHECKED,
    wrong=sample(CODE, thinking={"type": "disabled"}), right=sample(CODE, thinking={"type": "enabled"}),
    verbatim={"MoonshotAI/Kimi-K2#141": "invalid thinking: only type=enabled is allowed for this model"})
BOOK.row("moonshot/anthropic-thinking-missing",
    "The model thinks, and a message with a call has lost the thinking that came before it.",
    ANY_PART, _thinking_missing, even_usual=True, trait="thinking",
    models="kimi-k2.5 and newer unless thinking is disabled", checked=CHECKED,
    wrong=sample(THINKER, HELLO, {"role": "assistant", "content": [CALL]}, RESULT),
    right=sample(THINKER, HELLO, {"role": "assistant", "content": [THOUGHT, CALL]}, RESULT),
    reported={"farion1231/cc-switch#3377": "thinking is enabled but reasoning_content is missing"})
BOOK.row("moonshot/anthropic-tool-calls-unanswered", "A call has no result in the next message.",
    NEAR_MESSAGES, _unanswered, checked=CHECKED,
    wrong=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}),
    right=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}, RESULT),
    inferred={SAME: "an assistant message with 'tool_calls' must be followed by tool messages"})
BOOK.row("moonshot/anthropic-result-without-call", "A result has the id of no call of the message before.",
    NEAR_MESSAGES, _without_call, checked=CHECKED,
    wrong=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}, RESULT, of_call("call_2")),
    right=sample(MODEL, HELLO, {"role": "assistant", "content": [CALL]}, RESULT, of_call("call_1")),
    inferred={SAME: "Invalid request: tool_call_id  is not found"})
# fmt: on


PROVIDER = Provider(
    name="moonshot",
    base_path="/anthropic",
    books=(BOOK,),
    traits=FAMILIES,
    answers=Answers(
        id=lambda ids: ids.make("msg_", 24), call_id=lambda ids: ids.make("toolu_", 24), complete_reply=_completed
    ),
    window=context_length_rule(
        "moonshot/anthropic-context-length",
        reported={"public code that quotes it from chat completions": "Your request exceeded model token limit"},
    ),
    too_long=lambda tokens, window: (
        f"Invalid request: Your request exceeded model token limit: {window} (requested: {tokens})"
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "moonshot/anthropic-missing-key", inferred={"worded as on chat completions": "Invalid Authentication"}
    ),
    key_sentence="Invalid Authentication",
)
