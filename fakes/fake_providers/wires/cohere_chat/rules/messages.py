"""What a conversation has to be like: no empty messages, and results that belong to calls.

Whether a call needs a result, and which message has to be the first or the last, is not known: nothing is refused for
it here. A system message in the middle is recorded as accepted.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members, text_or_empty
from fake_providers.wires.cohere_chat.errors import ERRORS_PAGE, envelope
from fake_providers.wires.cohere_chat.request import blocks_of
from fake_providers.wires.cohere_chat.rules.samples import CALL, CALLS, RESULT, USER, request, with_call

BLOCKS: Final = {
    "user": ("text", "image_url"),
    "assistant": ("text", "thinking"),
    "system": ("text",),
    "tool": ("text", "document"),
}
"""The types of blocks, by role."""
OPENAPI: Final = "cohere-ai/cohere-developer-experience cohere-openapi.yaml, commit e814c8a"
CLIENTS: Final = "clients of /v2/chat and of Cohere's models on OpenRouter"
OPENROUTER: Final = "clients of Cohere's models on OpenRouter, 2026"
EMPTY: Final = "invalid message provided at index {i}: must have non-empty content or tool calls"
TEXT_BESIDE_CALLS: Final = "messages with non-empty 'tool_calls' cannot contain content items of type 'text'"


def messages(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, message in enumerate(listed(context.body.value.get("messages"))):
        if isinstance(message, dict):
            yield message, i


def _blocks(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for message, i in messages(context):
        for j, block in enumerate(blocks_of(message)):
            yield block, i, j, message


def _calls(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for message, i in messages(context):
        for j, call in enumerate(listed(message.get("tool_calls"))):
            if isinstance(call, dict):
                yield call, i, j


PARAMETERS: Final = Selector(lambda context: ((context.body.value,),), reads="parts", unusual=("parameter",))
MESSAGE: Final = Selector(messages, "messages[{i}]", ("i",), "parts", ("conversation",))
BLOCK: Final = Selector(_blocks, "messages[{i}].content[{j}]", ("i", "j", "message"), "parts", ("conversation",))
EACH_CALL: Final = Selector(_calls, "messages[{i}].tool_calls[{j}]", ("i", "j"), "parts", ("conversation",))
NEAR: Final = Selector(lambda context: ((list(messages(context)),),), reads="exchanges", unusual=("conversation",))
HISTORY: Final = Selector(lambda context: ((list(_calls(context)),),), unusual=("conversation",))
"""All calls with their indexes."""
OF_CALL: Final = f"invalid tool call provided in {EACH_CALL.place}: "


def _of_another_role(block: Any, message: Any) -> Any:
    allowed = BLOCKS.get(str(message.get("role")))
    return allowed is not None and block.get("type") not in allowed and ", ".join(allowed)


def is_object_text(text: Any) -> bool:
    try:
        return isinstance(json.loads(text_or_empty(text)), dict | None)
    except (ValueError, RecursionError):
        return False


def _id_twice(calls: Any) -> Any:
    seen: set[str] = set()
    for call, i, j in calls:
        id_ = text_or_empty(call.get("id"))
        if id_ and id_ in seen:
            return {"i": i, "j": j, "id": id_}
        seen.add(id_)
    return None


def _result_without_call(found: Any) -> Any:
    called: set[str] = set()
    for message, i in found:
        called.update(text_or_empty(members(call).get("id")) for call in listed(message.get("tool_calls")))
        id_ = text_or_empty(message.get("tool_call_id"))
        if message.get("role") == "tool" and id_ not in called:
            return {"i": i, "id": id_}
    return None


BOOK = Rulebook(envelope)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/model-missing", "The request names no model.",
    PARAMETERS, lambda body, context: not context.model, "a model parameter is required for this endpoint.", "model",
    remedy=remedies.MODEL_NAME,
    wrong=request(model=""), right=request(),
    verbatim={ERRORS_PAGE: "..."})
BOOK.row("cohere/messages-missing", "There are no messages. The sentence is that of another field that is missing.",
    PARAMETERS, lambda body: not body.get("messages"), "messages is a required field", "messages",
    remedy=remedies.CONVERSATION,
    wrong={**request(), "messages": []}, right=request(),
    inferred={OPENAPI: "required: messages, model"})
BOOK.row("cohere/role-unknown", "A message has another role than the four; `developer` is none.",
    MESSAGE, lambda one: one.get("role") not in tuple(BLOCKS),
    "invalid request: Invalid role in messages at index {i}. Role must be one of the "
        "following: user, assistant, system, tool", ".role", remedy=remedies.FOUR_ROLES,
    wrong=request({"role": "developer", "content": "Be brief."}, USER),
    right=request({"role": "system", "content": "Be brief."}, USER),
    inferred={OPENAPI: "discriminator: role",
        ERRORS_PAGE: "Invalid role in chat_history at index 2. Role must be one of the following: User, Chatbot"})
BOOK.row("cohere/block-type", "A block of a message is of a type that its role does not have.",
    BLOCK, _of_another_role, "invalid content type in {at}: must be one of {found}",
    remedy=Remedy("content",
        "Write blocks of the types that this role has, `text` and `image_url` for the user, and leave out those "
        "of other providers."),
    wrong=request({"role": "user", "content": [{"type": "input_text", "text": "Rain?"}]}),
    right=request({"role": "user", "content": [{"type": "text", "text": "Rain?"}]}),
    inferred={OPENAPI: "discriminator: type"})
BOOK.row("cohere/message-empty", "A message of the system, the user or the model has neither content nor calls.",
    MESSAGE, lambda one: one.get("role") != "tool" and not one.get("content") and not one.get("tool_calls"), EMPTY,
    remedy=Remedy("messages",
        "Leave messages out that say nothing, such as an answer that broke off; end the turn without a request "
        "where the user's is empty."),
    wrong=request(USER, {"role": "assistant", "content": ""}, USER),
    right=request(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim={f"{CLIENTS}, 2026": EMPTY.format(i=2), ERRORS_PAGE: "message must not be empty in a turn"})
BOOK.row("cohere/result-empty",
    "A result is empty. Clients send something in its place, since empty messages are refused; that this one is "
        "too is deduced.",
    MESSAGE, lambda one: one.get("role") == "tool" and not one.get("content"), EMPTY, needs="tool",
    remedy=Remedy("results", "Say in the result of a tool that it returned nothing."),
    wrong=request(USER, CALLS, {**RESULT, "content": ""}), right=with_call(),
    inferred={"clients of /v2/chat, 2026": EMPTY.format(i=2)})
BOOK.row("cohere/call-type", "A call has no type, or another than `function`.",
    EACH_CALL, lambda call: call.get("type") != "function", OF_CALL + "tool call must be of type function", ".type",
    needs="tool_calls", remedy=Remedy("calls", 'Send `"type":"function"` with each call.'),
    wrong=with_call(type="custom"), right=with_call(),
    reported={ERRORS_PAGE: "tool call must be of type function",
        "the beginning is that of other sentences on calls": "invalid tool call provided in messages[2]"})
BOOK.row("cohere/arguments-not-object",
    "The arguments of a call are no text of a JSON object: cut off, an array, or the empty text that Cohere itself "
        "streams for a call without arguments. `null` is accepted.",
    EACH_CALL, lambda call: not is_object_text(members(call.get("function")).get("arguments")),
    OF_CALL + "tool arguments must be a stringified JSON object", ".function.arguments", needs="tool_calls",
    remedy=Remedy("calls",
        "Store arguments that are no JSON object as `{}`, also the empty text that is streamed for a call without "
        "any."),
    wrong=with_call(function={"name": "get_weather", "arguments": ""}),
    right=with_call(function={"name": "get_weather", "arguments": "{}"}),
    verbatim={"clients of /v2/chat, live runs of 2026: the empty text of a stream sent back":
        "invalid tool call provided in messages[2].tool_calls[0]: tool arguments must be a stringified JSON object",
        f"{OPENROUTER}: one broken call ends the session": ""})
BOOK.row("cohere/call-without-id", "A call of the conversation has no id.",
    EACH_CALL, lambda call: not call.get("id"), OF_CALL + "id is a required field", ".id", needs="tool_calls",
    remedy=Remedy("calls", "Keep the id of each call, and send it with the call and as `tool_call_id` of its result."),
    wrong=request(USER, {"role": "assistant", "tool_calls": [{**CALL, "id": ""}]}),
    right=request(USER, {"role": "assistant", "tool_calls": [CALL]}),
    inferred={OPENAPI: "ToolCallV2, required: id, type",
        "the sentence is that of a result without one": "tool_call_id is a required field"})
BOOK.row("cohere/call-ids-twice", "Two calls of the conversation have one id, also in different messages.",
    HISTORY, _id_twice, OF_CALL + "cannot have duplicate tool ids '{id}'", "messages[{i}].tool_calls[{j}].id",
    needs="tool_calls",
    remedy=Remedy("calls",
        "Give a call a new id, and its result too, where the history has the id already; do not number the calls "
        "of each turn anew."),
    wrong=request(USER, CALLS, RESULT, CALLS),
    right=request(USER, CALLS, RESULT, {**CALLS, "tool_calls": [{**CALL, "id": "get_weather_9p2zr6t0c4de"}]}),
    verbatim={OPENROUTER:
        "invalid tool call provided in messages[36].tool_calls[0]: cannot have duplicate tool ids 'bash0'",
        ERRORS_PAGE: "cannot have duplicate tool ids"})
BOOK.row("cohere/text-beside-calls",
    "A message with calls has a text as well, and not a `tool_plan` or a thought. An empty text is accepted.",
    BLOCK, lambda block, message: message.get("tool_calls") and block.get("type") == "text" and block.get("text"),
    TEXT_BESIDE_CALLS, needs="tool_calls",
    remedy=Remedy("content",
        "Send a text before calls as `tool_plan`, or, for models that refuse it, as a message of its own before "
        "the calls."),
    wrong=request(USER, {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]}, RESULT),
    right=request(USER, {"role": "assistant", "content": "", "tool_calls": [CALL]}, RESULT),
    verbatim={"a client of /v2/chat, live runs of 2026": "...",
        "vercel/ai#5794, in the words of 2025":
        "text content is not allowed when tool_calls are provided. If you wish to pass a tool plan, either pass "
        "thinking content (with thinking enabled) or use 'tool_plan': 'messages[2].content[0]'"})
BOOK.row("cohere/result-without-id", "A result does not say to which call it belongs.",
    MESSAGE, lambda one: one.get("role") == "tool" and not one.get("tool_call_id"),
    "invalid tool message at messages[{i}]: tool_call_id is a required field", ".tool_call_id", needs="tool",
    remedy=Remedy("results",
        "Keep the id of each call, and send it with the call and as `tool_call_id` of its result."),
    wrong=request(USER, CALLS, {"role": "tool", "content": "7 degrees"}), right=with_call(),
    verbatim={f"{CLIENTS}, 2026": "invalid tool message at messages[3]: tool_call_id is a required field"})
BOOK.row("cohere/result-without-call",
    "No call before a result has its id: the call was pruned, renamed or never sent.",
    NEAR, _result_without_call,
    "invalid tool message at messages[{i}]: tool call id '{id}' not found in previous tool calls",
    "messages[{i}].tool_call_id", needs="tool", remedy=remedies.RESULT_WITH_CALL,
    wrong=request(USER, RESULT), right=with_call(),
    verbatim={f"{CLIENTS}, 2025 and 2026":
        "invalid tool message at messages[4]: tool call id 'web_search' not found in previous tool calls",
        ERRORS_PAGE: "tool call id not found in previous tool calls"})
# fmt: on
