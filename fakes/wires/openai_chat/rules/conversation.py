"""What OpenAI looks at late: that results belong to calls, and that every call has its result."""

from collections.abc import Sequence
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.errors import envelope
from fakes.wires.openai_chat.rules.samples import CALLING, RESULT, USER, asking, cite
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import breach

ITEM_RULES = ItemRules(envelope, "messages")

_ANSWERED = asking(USER, CALLING, RESULT)


@ITEM_RULES.rule(
    "openai/result-id-missing",
    why="a tool result does not say which call it answers",
    confidence="verbatim",
    evidence=(
        *cite("langchain-ai/langchain#22600", "messages with role 'tool' must have a 'tool_call_id'"),
        *cite("MadcowD/ell#325"),
    ),
    breaking=asking(USER, CALLING, {"role": "tool", "content": RESULT["content"]}),
    accepted=_ANSWERED,
)
def _result_id_missing(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "tool" or "tool_call_id" in context.body.value:
        return None
    message = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
    return breach(f"messages.[{context.body.index}].tool_call_id", message)


@ITEM_RULES.rule(
    "openai/function-message-without-name",
    why="a result of the old `function` role does not say which function it is of",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-3.5-turbo", "messages with role 'function' must have a 'name'."),
    breaking=asking(USER, {"role": "function", "content": "7 degrees"}),
    accepted=asking(USER, {"role": "function", "content": "7 degrees", "name": "get_weather"}),
)
def _function_name(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "function" or context.body.value.get("name"):
        return None
    message = "Missing parameter 'name': messages with role 'function' must have a 'name'."
    return breach(f"messages.[{context.body.index}].name", message)


@ITEM_RULES.rule(
    "openai/tool-without-call",
    why="a tool result does not follow a message with tool calls",
    confidence="verbatim",
    evidence=(
        *cite("Haervwe/open-webui-tools#12", "must be a response to a preceeding message with 'tool_calls'."),
        *cite("smarter-sh/smarter#264"),
        *cite("crewAIInc/crewAI#1620"),
    ),
    breaking=asking(USER, {**RESULT}),
    accepted=asking(USER, {**RESULT, "role": "user"}),
)
def _without_call(context: RequestContext) -> Breach | None:
    item = context.body
    if item.value["role"] != "tool" or _asker(item.whole["messages"], item.index) is not None:
        return None
    message = (
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    )
    return breach(f"messages.[{item.index}].role", message)


@ITEM_RULES.rule(
    "openai/result-of-unknown-call",
    why="a tool result carries the id of no call of the message that it follows",
    confidence="verbatim",
    evidence=cite("dapr/dapr-agents#145", "not found in 'tool_calls' of previous message."),
    breaking=asking(USER, CALLING, {**RESULT, "tool_call_id": "call_2"}),
    accepted=_ANSWERED,
)
def _unknown_call(context: RequestContext) -> Breach | None:
    item = context.body
    if item.value["role"] != "tool":
        return None
    call_id = item.value["tool_call_id"]
    asker = _asker(item.whole["messages"], item.index)
    if asker is None or any(call["id"] == call_id for call in asker["tool_calls"]):
        return None
    message = f"Invalid parameter: 'tool_call_id' of '{call_id}' not found in 'tool_calls' of previous message."
    return breach(f"messages.[{item.index}].tool_call_id", message)


@ITEM_RULES.rule(
    "openai/tool-calls-unanswered",
    why="a tool call is not answered before the next message that is no tool result",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, gpt-4.1-nano", "The following tool_call_ids did not have response messages:"),
        *cite("RamiAwar/dataline#172"),
        *cite("BerriAI/litellm#10083"),
    ),
    breaking=asking(USER, CALLING),
    accepted=_ANSWERED,
)
def _unanswered(context: RequestContext) -> Breach | None:
    item = context.body
    messages = item.whole["messages"]
    if item.value["role"] != "tool":
        ids = _open_calls(messages, item.index)
        if ids:
            return _without_answers(ids, f"messages.[{item.index}].role")
    # At the end there is no message to blame, and the API names none.
    ids = _open_calls(messages, len(messages)) if item.index == len(messages) - 1 else ()
    return _without_answers(ids, "messages", at=f"messages[{item.index}]") if ids else None


def _without_answers(ids: Sequence[str], param: str, *, at: str | None = None) -> Breach:
    message = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(ids)}"
    )
    return breach(param, message, at=at)


def _open_calls(messages: Sequence[dict[str, Any]], index: int) -> tuple[str, ...]:
    """The ids of calls that the results right before `index` do not answer."""
    asker = _asker(messages, index)
    if asker is None:
        return ()
    answered = []
    while messages[index - 1]["role"] == "tool":
        index -= 1
        answered.append(messages[index].get("tool_call_id"))
    return tuple(call["id"] for call in asker["tool_calls"] if call["id"] not in answered)


def _asker(messages: Sequence[dict[str, Any]], index: int) -> dict[str, Any] | None:
    """The message with calls that the run of results before `index` follows, if there is one."""
    before = index - 1
    while before >= 0 and messages[before]["role"] == "tool":
        before -= 1
    if before < 0 or messages[before]["role"] != "assistant" or not messages[before].get("tool_calls"):
        return None
    return messages[before]
