"""What a conversation has to be like: no empty messages, and results that belong to calls.

Whether a call needs a result, and which message has to be the first or the last, is not known: nothing is refused for
it here. A system message in the middle is recorded as accepted.
"""

import json
from typing import Any, Final

from fake_providers.rulebook import (
    ALL_MESSAGES,
    ANY_MESSAGE,
    ANY_PARAMETER,
    NEAR_MESSAGES,
    Breach,
    RequestContext,
    Rulebook,
)
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


def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.model else Breach("model", "a model parameter is required for this endpoint.")


def _messages_missing(context: RequestContext) -> Breach | None:
    return None if context.body.value.get("messages") else Breach("messages", "messages is a required field")


def _role(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message.get("role") not in ROLES:
            sentence = f"invalid request: Invalid role in messages at index {index}. Role must be one of the following:"
            return Breach(f"messages[{index}].role", f"{sentence} {', '.join(ROLES)}")
    return None


def _block_type(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        allowed = BLOCKS[message["role"]]
        for number, block in enumerate(blocks_of(message)):
            if block.get("type") not in allowed:
                at = f"messages[{index}].content[{number}]"
                return Breach(at, f"invalid content type in {at}: must be one of {', '.join(allowed)}")
    return None


def _message_empty(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] != "tool" and not message.get("content") and not message.get("tool_calls"):
            return Breach(f"messages[{index}]", f"invalid message provided at index {index}: {EMPTY}")
    return None


def _result_empty(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] == "tool" and not message.get("content"):
            return Breach(f"messages[{index}]", f"invalid message provided at index {index}: {EMPTY}")
    return None


def _call_type(context: RequestContext) -> Breach | None:
    for place, call in calls_of(context):
        if call.get("type") != "function":
            return _of_call(place, "tool call must be of type function", "type")
    return None


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


def _call_without_id(context: RequestContext) -> Breach | None:
    for place, call in calls_of(context):
        if not call.get("id"):
            return _of_call(place, "id is a required field", "id")
    return None


def _call_ids_twice(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for place, call in calls_of(context):
        id_ = text_or_nothing(call.get("id"))
        if id_ and id_ in seen:
            return _of_call(place, f"cannot have duplicate tool ids '{id_}'", "id")
        seen.add(id_)
    return None


def _text_beside_calls(context: RequestContext) -> Breach | None:
    sentence = "messages with non-empty 'tool_calls' cannot contain content items of type 'text'"
    for index, message in messages_of(context):
        blocks = enumerate(blocks_of(message)) if message.get("tool_calls") else ()
        for number, block in blocks:
            if block.get("type") == "text" and block.get("text"):
                return Breach(f"messages[{index}].content[{number}]", sentence)
    return None


def _result_without_id(context: RequestContext) -> Breach | None:
    for index, message in messages_of(context):
        if message["role"] == "tool" and not message.get("tool_call_id"):
            sentence = f"invalid tool message at messages[{index}]: tool_call_id is a required field"
            return Breach(f"messages[{index}].tool_call_id", sentence)
    return None


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


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/model-missing", "The request names no model.",
    ANY_PARAMETER, _model_missing,
    wrong=sample_request(model=""), right=sample_request(),
    verbatim=listed("a model parameter is required for this endpoint."))
BOOK.row("cohere/messages-missing", "There are no messages. The sentence is that of another field that is missing.",
    ANY_PARAMETER, _messages_missing,
    wrong={"model": MODEL, "messages": []}, right=sample_request(),
    inferred={OPENAPI: "required: messages, model"})
BOOK.row("cohere/role-unknown", "A message has another role than the four; `developer` is none.",
    ANY_MESSAGE, _role,
    wrong=sample_request({"role": "developer", "content": "Be brief."}, USER),
    right=sample_request({"role": "system", "content": "Be brief."}, USER),
    inferred=(*cite(OPENAPI, "discriminator: role"),
        *listed("Invalid role in chat_history at index 2. Role must be one of the following: User, Chatbot")))
BOOK.row("cohere/block-type", "A block of a message is of a type that its role does not have.",
    ANY_MESSAGE, _block_type,
    wrong=sample_request({"role": "user", "content": [{"type": "input_text", "text": "Rain?"}]}),
    right=sample_request({"role": "user", "content": [{"type": "text", "text": "Rain?"}]}),
    inferred={OPENAPI: "discriminator: type"})
BOOK.row("cohere/message-empty", "A message of the system, the user or the model has neither content nor calls.",
    ANY_MESSAGE, _message_empty,
    wrong=sample_request(USER, {"role": "assistant", "content": ""}, USER),
    right=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim=(
        *cite("clients of /v2/chat and of Cohere's models on OpenRouter, 2026",
        f"invalid message provided at index 2: {EMPTY}"), *listed("message must not be empty in a turn")))
BOOK.row("cohere/result-empty",
    "A result is empty. Clients send something in its place, since empty messages are refused; that this one is "
        "too is deduced.",
    ANY_MESSAGE, _result_empty, needs="tool",
    wrong=sample_request(USER, CALLS, {**RESULT, "content": ""}), right=sample_request(USER, CALLS, RESULT),
    inferred={"clients of /v2/chat, 2026": f"invalid message provided at index 2: {EMPTY}"})
BOOK.row("cohere/call-type", "A call has no type, or another than `function`.",
    ANY_MESSAGE, _call_type, needs="tool_calls",
    wrong=sample_with_call(type="custom"), right=sample_with_call(),
    reported=(*listed("tool call must be of type function"),
        *cite("the beginning is that of other sentences on calls", "invalid tool call provided in messages[2]")))
BOOK.row("cohere/arguments-not-object",
    "The arguments of a call are no text of a JSON object: cut off, an array, or the empty text that Cohere itself "
        "streams for a call without arguments. `null` is accepted.",
    ANY_MESSAGE, _arguments_not_object, needs="tool_calls",
    wrong=sample_with_arguments(""), right=sample_with_arguments("{}"),
    verbatim={"clients of /v2/chat, live runs of 2026: the empty text of a stream sent back":
        "invalid tool call provided in messages[2].tool_calls[0]: tool arguments must be a stringified JSON object",
        "clients of Cohere's models on OpenRouter, 2026: one broken call ends the session": ""})
BOOK.row("cohere/call-without-id", "A call of the conversation has no id.",
    ANY_MESSAGE, _call_without_id, needs="tool_calls",
    wrong=sample_request(USER, {"role": "assistant", "tool_calls": [{**CALL, "id": ""}]}),
    right=sample_request(USER, {"role": "assistant", "tool_calls": [CALL]}),
    inferred={OPENAPI: "ToolCallV2, required: id, type",
        "the sentence is that of a result without one": "tool_call_id is a required field"})
BOOK.row("cohere/call-ids-twice", "Two calls of the conversation have one id, also in different messages.",
    ALL_MESSAGES, _call_ids_twice, needs="tool_calls",
    wrong=sample_request(USER, CALLS, RESULT, CALLS),
    right=sample_request(USER, CALLS, RESULT, {**CALLS, "tool_calls": [{**CALL, "id": "get_weather_9p2zr6t0c4de"}]}),
    verbatim=(
        *cite("clients of Cohere's models on OpenRouter, 2026",
        "invalid tool call provided in messages[36].tool_calls[0]: cannot have duplicate tool ids 'bash0'"),
        *listed("cannot have duplicate tool ids")))
BOOK.row("cohere/text-beside-calls",
    "A message with calls has a text as well, and not a `tool_plan` or a thought. An empty text is accepted.",
    NEAR_MESSAGES, _text_beside_calls, needs="tool_calls",
    wrong=sample_request(USER, {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]}, RESULT),
    right=sample_request(USER, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT),
    verbatim={"a client of /v2/chat, live runs of 2026":
        "messages with non-empty 'tool_calls' cannot contain content items of type 'text'",
        "vercel/ai#5794, in the words of 2025":
        "text content is not allowed when tool_calls are provided. If you wish to pass a tool plan, either pass "
        "thinking content (with thinking enabled) or use 'tool_plan': 'messages[2].content[0]'"})
BOOK.row("cohere/result-without-id", "A result does not say to which call it belongs.",
    ANY_MESSAGE, _result_without_id, needs="tool",
    wrong=sample_request(USER, CALLS, {"role": "tool", "content": "7 degrees"}),
    right=sample_request(USER, CALLS, RESULT),
    verbatim={"clients of /v2/chat and of Cohere's models on OpenRouter, 2026":
        "invalid tool message at messages[3]: tool_call_id is a required field"})
BOOK.row("cohere/result-without-call",
    "No call before a result has its id: the call was pruned, renamed or never sent.",
    NEAR_MESSAGES, _result_without_call, needs="tool",
    wrong=sample_request(USER, RESULT), right=sample_request(USER, CALLS, RESULT),
    verbatim=(
        *cite("clients of /v2/chat and of Cohere's models on OpenRouter, 2025 and 2026",
        "invalid tool message at messages[4]: tool call id 'web_search' not found in previous tool calls"),
        *listed("tool call id not found in previous tool calls")))
# fmt: on
