"""What a conversation has to be like: no empty messages, and results that belong to calls.

Whether a call needs a result, and which message has to be the first or the last, is not known: nothing is refused for
it here. A system message in the middle is recorded as accepted.
"""

import json
from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.cohere_chat.errors import envelope
from fake_providers.wires.cohere_chat.request import blocks_of, items, object_or_empty, text_or_nothing
from fake_providers.wires.cohere_chat.rules.samples import (
    CALL,
    CALLS,
    MODEL,
    RESULT,
    USER,
    cite,
    listed,
    sample_request,
    sample_with_arguments,
    sample_with_call,
)

BOOK = Rulebook(envelope)
ROLES: Final = ("user", "assistant", "system", "tool")
BLOCKS: Final = {
    "user": ("text", "image_url"),
    "assistant": ("text", "thinking"),
    "system": ("text",),
    "tool": ("text", "document"),
}
OPENAPI: Final = "cohere-ai/cohere-developer-experience cohere-openapi.yaml, commit e814c8a"
EMPTY: Final = "must have non-empty content or tool calls"


def messages_of(context: RequestContext) -> list[tuple[int, dict[str, Any]]]:
    """Found once for all rules."""
    found: list[tuple[int, dict[str, Any]]] | None = context.read.get("messages")
    if found is None:
        listed = enumerate(items(context.body.value.get("messages")))
        found = context.read["messages"] = [placed for placed in listed if isinstance(placed[1], dict)]
    return found


def calls_of(context: RequestContext) -> list[tuple[str, dict[str, Any]]]:
    """Each call with its place, found once."""
    found: list[tuple[str, dict[str, Any]]] | None = context.read.get("calls")
    if found is None:
        found = context.read["calls"] = [
            (f"messages[{index}].tool_calls[{number}]", call)
            for index, message in messages_of(context)
            for number, call in enumerate(items(message.get("tool_calls")))
            if isinstance(call, dict)
        ]
    return found


@BOOK.rule(
    "cohere/model-missing",
    why="The request names no model.",
    confidence="verbatim",
    evidence=listed("a model parameter is required for this endpoint."),
    breaking=sample_request(model=""),
    accepted=sample_request(),
)
def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.model else Breach("model", "a model parameter is required for this endpoint.")


@BOOK.rule(
    "cohere/messages-missing",
    why="There are no messages. The sentence is that of another field that is missing.",
    confidence="inferred",
    evidence=cite(OPENAPI, "required: messages, model"),
    breaking={"model": MODEL, "messages": []},
    accepted=sample_request(),
)
def _messages_missing(context: RequestContext) -> Breach | None:
    return None if context.body.value.get("messages") else Breach("messages", "messages is a required field")


@BOOK.rule(
    "cohere/role-unknown",
    why="A message has another role than the four; `developer` is none.",
    confidence="inferred",
    evidence=(
        *cite(OPENAPI, "discriminator: role"),
        *listed("Invalid role in chat_history at index 2. Role must be one of the following: User, Chatbot"),
    ),
    breaking=sample_request({"role": "developer", "content": "Be brief."}, USER),
    accepted=sample_request({"role": "system", "content": "Be brief."}, USER),
)
def _role(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message.get("role") not in ROLES:
            sentence = f"invalid request: Invalid role in messages at index {index}. Role must be one of the following:"
            return Breach(f"messages[{index}].role", f"{sentence} {', '.join(ROLES)}")
    return None


@BOOK.rule(
    "cohere/block-type",
    why="A block of a message is of a type that its role does not have.",
    confidence="inferred",
    evidence=cite(OPENAPI, "discriminator: type"),
    breaking=sample_request({"role": "user", "content": [{"type": "input_text", "text": "Rain?"}]}),
    accepted=sample_request({"role": "user", "content": [{"type": "text", "text": "Rain?"}]}),
)
def _block_type(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        allowed = BLOCKS[message["role"]]
        for number, block in enumerate(blocks_of(message)):
            if block.get("type") not in allowed:
                at = f"messages[{index}].content[{number}]"
                return Breach(at, f"invalid content type in {at}: must be one of {', '.join(allowed)}")
    return None


@BOOK.rule(
    "cohere/message-empty",
    why="A message of the system, the user or the model has neither content nor calls.",
    confidence="verbatim",
    evidence=(
        *cite(
            "clients of /v2/chat and of Cohere's models on OpenRouter, 2026",
            f"invalid message provided at index 2: {EMPTY}",
        ),
        *listed("message must not be empty in a turn"),
    ),
    breaking=sample_request(USER, {"role": "assistant", "content": ""}, USER),
    accepted=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER),
)
def _message_empty(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] != "tool" and not message.get("content") and not message.get("tool_calls"):
            return Breach(f"messages[{index}]", f"invalid message provided at index {index}: {EMPTY}")
    return None


@BOOK.rule(
    "cohere/result-empty",
    why="A result is empty. Clients send something in its place, since empty messages are refused; that this one is "
    "too is deduced.",
    confidence="inferred",
    evidence=cite("clients of /v2/chat, 2026", f"invalid message provided at index 2: {EMPTY}"),
    breaking=sample_request(USER, CALLS, {**RESULT, "content": ""}),
    accepted=sample_request(USER, CALLS, RESULT),
)
def _result_empty(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] == "tool" and not message.get("content"):
            return Breach(f"messages[{index}]", f"invalid message provided at index {index}: {EMPTY}")
    return None


@BOOK.rule(
    "cohere/call-type",
    why="A call has no type, or another than `function`.",
    confidence="reported",
    evidence=(
        *listed("tool call must be of type function"),
        *cite("the beginning is that of other sentences on calls", "invalid tool call provided in messages[2]"),
    ),
    breaking=sample_with_call(type="custom"),
    accepted=sample_with_call(),
)
def _call_type(context: RequestContext) -> Breach | None:
    for place, call in calls_of(context):
        if call.get("type") != "function":
            return _of_call(place, "tool call must be of type function", "type")
    return None


@BOOK.rule(
    "cohere/arguments-not-object",
    why="The arguments of a call are no text of a JSON object: cut off, an array, or the empty text that Cohere itself "
    "streams for a call without arguments. `null` is accepted.",
    confidence="verbatim",
    evidence=(
        *cite(
            "clients of /v2/chat, live runs of 2026: the empty text of a stream sent back",
            "invalid tool call provided in messages[2].tool_calls[0]: tool arguments must be a stringified JSON object",
        ),
        *cite("clients of Cohere's models on OpenRouter, 2026: one broken call ends the session"),
    ),
    breaking=sample_with_arguments(""),
    accepted=sample_with_arguments("{}"),
)
def _arguments_not_object(context: RequestContext) -> Breach | None:
    for place, call in calls_of(context):
        if not is_object_text(object_or_empty(call.get("function")).get("arguments")):
            return _of_call(place, "tool arguments must be a stringified JSON object", "function.arguments")
    return None


def is_object_text(text: Any) -> bool:
    try:
        return isinstance(json.loads(text_or_nothing(text)), dict | None)
    except (ValueError, RecursionError):
        return False


@BOOK.rule(
    "cohere/call-without-id",
    why="A call of the conversation has no id.",
    confidence="inferred",
    evidence=(
        *cite(OPENAPI, "ToolCallV2, required: id, type"),
        *cite("the sentence is that of a result without one", "tool_call_id is a required field"),
    ),
    breaking=sample_request(USER, {"role": "assistant", "tool_calls": [{**CALL, "id": ""}]}),
    accepted=sample_request(USER, {"role": "assistant", "tool_calls": [CALL]}),
)
def _call_without_id(context: RequestContext) -> Breach | None:
    for place, call in calls_of(context):
        if not call.get("id"):
            return _of_call(place, "id is a required field", "id")
    return None


@BOOK.rule(
    "cohere/call-ids-twice",
    why="Two calls of the conversation have one id, also in different messages.",
    confidence="verbatim",
    evidence=(
        *cite(
            "clients of Cohere's models on OpenRouter, 2026",
            "invalid tool call provided in messages[36].tool_calls[0]: cannot have duplicate tool ids 'bash0'",
        ),
        *listed("cannot have duplicate tool ids"),
    ),
    breaking=sample_request(USER, CALLS, RESULT, CALLS),
    accepted=sample_request(USER, CALLS, RESULT, {**CALLS, "tool_calls": [{**CALL, "id": "get_weather_9p2zr6t0c4de"}]}),
)
def _call_ids_twice(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for place, call in calls_of(context):
        id_ = text_or_nothing(call.get("id"))
        if id_ and id_ in seen:
            return _of_call(place, f"cannot have duplicate tool ids '{id_}'", "id")
        seen.add(id_)
    return None


@BOOK.rule(
    "cohere/text-beside-calls",
    why="A message with calls has a text as well, and not a `tool_plan` or a thought. An empty text is accepted.",
    confidence="verbatim",
    evidence=(
        *cite(
            "a client of /v2/chat, live runs of 2026",
            "messages with non-empty 'tool_calls' cannot contain content items of type 'text'",
        ),
        *cite(
            "vercel/ai#5794, in the words of 2025",
            "text content is not allowed when tool_calls are provided. If you wish to pass a tool plan, either pass "
            "thinking content (with thinking enabled) or use 'tool_plan': 'messages[2].content[0]'",
        ),
    ),
    breaking=sample_request(USER, {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]}, RESULT),
    accepted=sample_request(USER, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT),
)
def _text_beside_calls(context: RequestContext) -> Breach | None:
    sentence = "messages with non-empty 'tool_calls' cannot contain content items of type 'text'"
    for index, message in messages_of(context):
        blocks = enumerate(blocks_of(message)) if message.get("tool_calls") else ()
        for number, block in blocks:
            if block.get("type") == "text" and block.get("text"):
                return Breach(f"messages[{index}].content[{number}]", sentence)
    return None


@BOOK.rule(
    "cohere/result-without-id",
    why="A result does not say to which call it belongs.",
    confidence="verbatim",
    evidence=cite(
        "clients of /v2/chat and of Cohere's models on OpenRouter, 2026",
        "invalid tool message at messages[3]: tool_call_id is a required field",
    ),
    breaking=sample_request(USER, CALLS, {"role": "tool", "content": "7 degrees"}),
    accepted=sample_request(USER, CALLS, RESULT),
)
def _result_without_id(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] == "tool" and not message.get("tool_call_id"):
            sentence = f"invalid tool message at messages[{index}]: tool_call_id is a required field"
            return Breach(f"messages[{index}].tool_call_id", sentence)
    return None


@BOOK.rule(
    "cohere/result-without-call",
    why="No call before a result has its id: the call was pruned, renamed or never sent.",
    confidence="verbatim",
    evidence=(
        *cite(
            "clients of /v2/chat and of Cohere's models on OpenRouter, 2025 and 2026",
            "invalid tool message at messages[4]: tool call id 'web_search' not found in previous tool calls",
        ),
        *listed("tool call id not found in previous tool calls"),
    ),
    breaking=sample_request(USER, RESULT),
    accepted=sample_request(USER, CALLS, RESULT),
)
def _result_without_call(context: RequestContext) -> Breach | None:
    called: set[str] = set()
    for index, message in messages_of(context):
        called.update(
            text_or_nothing(call.get("id")) for call in items(message.get("tool_calls")) if isinstance(call, dict)
        )
        id_ = text_or_nothing(message.get("tool_call_id"))
        if message["role"] == "tool" and id_ not in called:
            problem = f"tool call id '{id_}' not found in previous tool calls"
            return Breach(f"messages[{index}].tool_call_id", f"invalid tool message at messages[{index}]: {problem}")
    return None


def _of_call(place: str, problem: str, member: str) -> Breach:
    return Breach(f"{place}.{member}", f"invalid tool call provided in {place}: {problem}")
