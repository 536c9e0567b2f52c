"""Rules that OpenAI checks late: every result belongs to a call, and every call has a result."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.values.comparable import comparable
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, USER, cite, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.item_rules import Item, ItemRules
from fake_providers.wires.openai_shared.wording import breach

ITEM_RULES = ItemRules(envelope, "messages")

_SAMPLE_WITH_RESULT = sample_request(USER, CALL_MESSAGE, RESULT)


def _has_tool_use(context: RequestContext) -> bool:
    """Whether there is a call or a result anywhere in the conversation."""
    item = context.body
    found: bool | None = item.read.get("tool-use")
    if found is None:
        messages = item.request_body["messages"]
        found = any(message.get("tool_calls") or message["role"] in ("tool", "function") for message in messages)
        item.read["tool-use"] = found
    return found


RULE = partial(ITEM_RULES.rule, only=_has_tool_use)


@RULE(
    "openai/result-id-missing",
    why="A tool result has no `tool_call_id`.",
    confidence="verbatim",
    evidence=(
        *cite("langchain-ai/langchain#22600", "messages with role 'tool' must have a 'tool_call_id'"),
        *cite("MadcowD/ell#325"),
    ),
    breaking=sample_request(USER, CALL_MESSAGE, {"role": "tool", "content": RESULT["content"]}),
    accepted=_SAMPLE_WITH_RESULT,
)
def _result_id_missing(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "tool" or "tool_call_id" in context.body.value:
        return None
    message = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
    return breach(f"messages.[{context.body.index}].tool_call_id", message)


@RULE(
    "openai/function-message-without-name",
    why="A result of the old role `function` has no name.",
    confidence="recorded",
    evidence=cite("recording, gpt-3.5-turbo", "messages with role 'function' must have a 'name'."),
    breaking=sample_request(USER, {"role": "function", "content": "7 degrees"}),
    accepted=sample_request(USER, {"role": "function", "content": "7 degrees", "name": "get_weather"}),
)
def _function_name(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "function" or context.body.value.get("name"):
        return None
    message = "Missing parameter 'name': messages with role 'function' must have a 'name'."
    return breach(f"messages.[{context.body.index}].name", message)


@RULE(
    "openai/tool-without-call",
    why="A tool result does not follow a message with tool calls.",
    confidence="verbatim",
    evidence=(
        *cite("Haervwe/open-webui-tools#12", "must be a response to a preceeding message with 'tool_calls'."),
        *cite("smarter-sh/smarter#264"),
        *cite("crewAIInc/crewAI#1620"),
    ),
    breaking=sample_request(USER, {**RESULT}),
    accepted=sample_request(USER, {**RESULT, "role": "user"}),
)
def _without_call(context: RequestContext) -> Breach | None:
    item = context.body
    if item.value["role"] != "tool" or _followed(item, item.index) is not None:
        return None
    message = (
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    )
    return breach(f"messages.[{item.index}].role", message)


@RULE(
    "openai/result-of-unknown-call",
    why="The `tool_call_id` of a tool result is not the id of a call in the message that it follows.",
    confidence="verbatim",
    evidence=cite("dapr/dapr-agents#145", "not found in 'tool_calls' of previous message."),
    breaking=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": "call_2"}),
    accepted=_SAMPLE_WITH_RESULT,
)
def _unknown_call(context: RequestContext) -> Breach | None:
    item = context.body
    if item.value["role"] != "tool":
        return None
    call_id = item.value["tool_call_id"]
    call_message = _followed(item, item.index)
    if call_message is None or _has_call(item, call_message, call_id):
        return None
    message = f"Invalid parameter: 'tool_call_id' of '{call_id}' not found in 'tool_calls' of previous message."
    return breach(f"messages.[{item.index}].tool_call_id", message)


@RULE(
    "openai/tool-calls-unanswered",
    why="A tool call has no result before the next message that is not a tool result.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4.1-nano", "The following tool_call_ids did not have response messages:"),
        *cite("RamiAwar/dataline#172"),
        *cite("BerriAI/litellm#10083"),
    ),
    breaking=sample_request(USER, CALL_MESSAGE),
    accepted=_SAMPLE_WITH_RESULT,
)
def _unanswered(context: RequestContext) -> Breach | None:
    item = context.body
    messages = item.request_body["messages"]
    if item.value["role"] != "tool":
        ids = _open_calls(item, item.index)
        if ids:
            return _without_answers(ids, f"messages.[{item.index}].role")
    # At the end of the list there is no next message, and the API names none.
    ids = _open_calls(item, len(messages)) if item.index == len(messages) - 1 else ()
    return _without_answers(ids, "messages", at=f"messages[{item.index}]") if ids else None


def _without_answers(ids: Sequence[str], param: str, *, at: str | None = None) -> Breach:
    message = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        f"The following tool_call_ids did not have response messages: {', '.join(ids)}"
    )
    return breach(param, message, at=at)


def _open_calls(item: Item, index: int) -> tuple[str, ...]:
    """The ids of the calls without a result among the results right before `index`."""
    call_message = _followed(item, index)
    if call_message is None:
        return ()
    messages = item.request_body["messages"]
    answered = set()
    while messages[index - 1]["role"] == "tool":
        index -= 1
        answered.add(comparable(messages[index].get("tool_call_id")))
    return tuple(call["id"] for call in call_message["tool_calls"] if comparable(call["id"]) not in answered)


def _followed(item: Item, index: int) -> dict[str, Any] | None:
    """The message with calls that the results right before `index` follow, if there is one."""
    if "followed" not in item.read:
        item.read["followed"] = [*_each_followed(item.request_body["messages"])]
    followed: dict[str, Any] | None = item.read["followed"][index]
    return followed


def _each_followed(messages: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any] | None]:
    """For each place, and for the end of the list: found in one go, since results may be as many as fit into a body."""
    followed = None
    for message in messages:
        yield followed
        if message["role"] != "tool":
            followed = message if message["role"] == "assistant" and message.get("tool_calls") else None
    yield followed


def _has_call(item: Item, call_message: dict[str, Any], call_id: Any) -> bool:
    """The ids of the message that was looked at last are kept: results that follow each other have the same."""
    known = item.read.get("called")
    if known is None or known[0] is not call_message:
        known = item.read["called"] = call_message, {comparable(call["id"]) for call in call_message["tool_calls"]}
    return comparable(call_id) in known[1]
