"""Rules on the list of messages, and on each message's role, content and name."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, NEAR_MESSAGES, Breach, RequestContext, Rulebook
from fake_providers.values.json_texts import comparable
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.shared_rules import Item, ItemRules, Row, RuleTable, has, is_object, items
from fake_providers.wires.openai_shared.wording import (
    LONGEST_TEXT,
    breach,
    empty_array,
    long_string,
    missing,
    wrong_pattern,
    wrong_type,
    wrong_value,
)

LIST = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "messages")

ROLES: Final = ("system", "assistant", "user", "function", "tool", "developer")
NAME_PATTERN: Final = r"^[^\s<|\\/>]+$"


def _messages_type(context: RequestContext) -> Breach | None:
    messages = context.body["messages"]
    return None if isinstance(messages, list) else wrong_type("messages", "an array of objects", messages)


def _messages_empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else empty_array("messages")


# A table: two rows are to be compared.
# fmt: off
LIST.row("openai/messages-type", "`messages` is not a list.",
    ANY_PARAMETER, _messages_type,
    wrong={"model": "gpt-4.1", "messages": "Hello"}, right=sample_request(),
    recorded=cite_probe("a string messages"))
LIST.row("openai/messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, _messages_empty,
    wrong={"model": "gpt-4.1", "messages": []}, right=sample_request(),
    recorded={"recording, gpt-5-nano": "Invalid 'messages': empty array."})
# fmt: on


RuleTable(ITEM_RULES, items, sample_request).add(
    Row(
        "openai/message-type",
        "A message is not an object.",
        is_object,
        {"model": "gpt-4.1", "messages": [USER, "Hello"]},
        "recorded",
        cite("recording, gpt-5", "Invalid type for 'messages[0]': expected an object"),
        accepted=sample_request(USER, USER),
    ),
    Row(
        "openai/role-missing",
        "A message has no role.",
        has("role"),
        sample_request({"content": USER["content"]}),
        "recorded",
        cite_probe("a message with no role"),
    ),
)


def _role_unknown(context: RequestContext) -> Breach | None:
    role = context.body.value["role"]
    if role in ROLES:
        return None
    place = f"{context.body.place}.role"
    if isinstance(role, str):
        return wrong_value(place, role, ROLES)
    return wrong_type(place, "one of 'system', 'assistant', 'user', 'function', 'tool', or 'developer'", role)


def _content_type(context: RequestContext) -> Breach | None:
    message = context.body.value
    content = message.get("content")
    if isinstance(content, str | list):
        return None
    # Missing content and null are checked last of all, except on developer messages.
    if content is None and (message["role"] != "developer" or "content" not in message):
        return None
    return wrong_type(f"{context.body.place}.content", "one of a string or array of objects", content)


def _developer_content(context: RequestContext) -> Breach | None:
    message = context.body.value
    absent = message["role"] == "developer" and "content" not in message
    return missing(f"{context.body.place}.content") if absent else None


def _text_too_long(context: RequestContext) -> Breach | None:
    content = context.body.value.get("content")
    if not isinstance(content, str) or len(content) <= LONGEST_TEXT:
        return None
    return long_string(f"{context.body.place}.content", most=LONGEST_TEXT, length=len(content))


def _name_pattern(context: RequestContext) -> Breach | None:
    name = context.body.value.get("name")
    if not isinstance(name, str) or re.search(NAME_PATTERN, name):
        return None
    return wrong_pattern(f"{context.body.place}.name", NAME_PATTERN)


CONVERSATION_ITEM_RULES = ItemRules(envelope, "messages")

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


def _result_id_missing(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "tool" or "tool_call_id" in context.body.value:
        return None
    message = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."
    return breach(f"messages.[{context.body.index}].tool_call_id", message)


def _function_name(context: RequestContext) -> Breach | None:
    if context.body.value["role"] != "function" or context.body.value.get("name"):
        return None
    message = "Missing parameter 'name': messages with role 'function' must have a 'name'."
    return breach(f"messages.[{context.body.index}].name", message)


def _without_call(context: RequestContext) -> Breach | None:
    item = context.body
    if item.value["role"] != "tool" or _followed(item, item.index) is not None:
        return None
    message = (
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    )
    return breach(f"messages.[{item.index}].role", message)


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


# A table: two rows are to be compared.
# fmt: off
CONVERSATION_ITEM_RULES.row("openai/result-id-missing", "A tool result has no `tool_call_id`.",
    ANY_MESSAGE, _result_id_missing, needs="tool", given=_has_tool_use,
    wrong=sample_request(USER, CALL_MESSAGE, {"role": "tool", "content": RESULT["content"]}), right=_SAMPLE_WITH_RESULT,
    verbatim={"langchain-ai/langchain#22600": "messages with role 'tool' must have a 'tool_call_id'",
        "MadcowD/ell#325": ""})
CONVERSATION_ITEM_RULES.row("openai/function-message-without-name", "A result of the old role `function` has no name.",
    ANY_MESSAGE, _function_name, given=_has_tool_use,
    wrong=sample_request(USER, {"role": "function", "content": "7 degrees"}),
    right=sample_request(USER, {"role": "function", "content": "7 degrees", "name": "get_weather"}),
    recorded={"recording, gpt-3.5-turbo": "messages with role 'function' must have a 'name'."})
CONVERSATION_ITEM_RULES.row("openai/tool-without-call", "A tool result does not follow a message with tool calls.",
    NEAR_MESSAGES, _without_call, needs="tool", given=_has_tool_use,
    wrong=sample_request(USER, {**RESULT}), right=sample_request(USER, {**RESULT, "role": "user"}),
    verbatim={"Haervwe/open-webui-tools#12": "must be a response to a preceeding message with 'tool_calls'.",
        "smarter-sh/smarter#264": "", "crewAIInc/crewAI#1620": ""})
CONVERSATION_ITEM_RULES.row("openai/result-of-unknown-call",
    "The `tool_call_id` of a tool result is not the id of a call in the message that it follows.",
    NEAR_MESSAGES, _unknown_call, needs="tool", given=_has_tool_use,
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": "call_2"}), right=_SAMPLE_WITH_RESULT,
    verbatim={"dapr/dapr-agents#145": "not found in 'tool_calls' of previous message."})
CONVERSATION_ITEM_RULES.row("openai/tool-calls-unanswered",
    "A tool call has no result before the next message that is not a tool result.",
    NEAR_MESSAGES, _unanswered, needs="tool_calls", given=_has_tool_use,
    wrong=sample_request(USER, CALL_MESSAGE), right=_SAMPLE_WITH_RESULT,
    recorded={"recording, gpt-4.1-nano": "The following tool_call_ids did not have response messages:",
        "RamiAwar/dataline#172": "", "BerriAI/litellm#10083": ""})
ITEM_RULES.row("openai/role-unknown", "A message has an unknown role.",
    ANY_MESSAGE, _role_unknown,
    wrong=sample_request({**USER, "role": "human"}), right=sample_request(),
    recorded=cite_probe("a bad role at a later index beats a missing content at an earlier one"))
ITEM_RULES.row("openai/content-type", "The content of a message is neither a string nor a list of parts.",
    ANY_MESSAGE, _content_type,
    wrong=sample_request({**USER, "content": {"text": "Hello"}}),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    recorded=(*cite("recording, gpt-4.1", "expected one of a string or array of objects, but got an object instead."),
        *cite_probe("content null on a developer item")))
ITEM_RULES.row("openai/developer-content-missing", "A developer message has no content.",
    ANY_MESSAGE, _developer_content, needs="developer",
    wrong=sample_request({"role": "developer"}, USER),
    right=sample_request({"role": "developer", "content": "Be brief."}, USER),
    recorded=cite_probe("content absent on a developer item"))
ITEM_RULES.row("openai/text-too-long",
    "The text of one message has more than 10485760 characters; in 2024 the limit was a tenth of it.",
    ANY_MESSAGE, _text_too_long,
    wrong=None, right=None,
    verbatim={"Shopify/roast#52": "Expected a string with maximum length 10485760, but got a string with length"})
ITEM_RULES.row("openai/message-name-pattern", "The name of a message contains a space or one of < | \\ / >.",
    ANY_MESSAGE, _name_pattern,
    wrong=sample_request({**USER, "name": "Ada Lovelace"}), right=sample_request({**USER, "name": "Ada_Lovelace"}),
    verbatim={"public code that quotes the pattern; until 2025 the API required ^[a-zA-Z0-9_-]+$": ""})
# fmt: on


MISSING_CONTENT_ITEM_RULES = ItemRules(envelope, "messages")

CONTENT_SUBSTITUTES: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant message may have instead of content. Null does not count; an empty text is content."""


def _content_null(context: RequestContext) -> Breach | None:
    message = context.body.value
    if message.get("content") is not None:
        return None
    if message["role"] == "assistant" and any(message.get(key) is not None for key in CONTENT_SUBSTITUTES):
        return None
    sentence = "Invalid value for 'content': expected a string, got null."
    return breach(f"messages.[{context.body.index}].content", sentence)


# A table: two rows are to be compared.
# fmt: off
MISSING_CONTENT_ITEM_RULES.row("openai/content-null", "A message has no content, or null, and no substitute for it.",
    ANY_MESSAGE, _content_null,
    wrong=sample_request(USER, {"role": "assistant", "content": None}),
    right=sample_request(USER, {"role": "assistant", "content": ""}),
    recorded=cite_probe("a bad role at a later index beats a missing content at an earlier one"))
# fmt: on
