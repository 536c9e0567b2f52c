"""Rules on the list of messages, on each message's role, content and name, and on which result answers which call."""

import re
from typing import Any, Final

from msgspec import Struct

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, NEAR_MESSAGES, Breach, RequestContext, Rulebook, Selector
from fake_providers.values.json_texts import comparable
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, PROBES, RESULT, USER, sample_request
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.shared_rules import MESSAGE, Item, ItemRules, has, is_object

LIST = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "messages")
CONVERSATION_ITEM_RULES = ItemRules(envelope, "messages")
MISSING_CONTENT_ITEM_RULES = ItemRules(envelope, "messages")

ROLES: Final = ("system", "assistant", "user", "function", "tool", "developer")
NAME_PATTERN: Final = r"^[^\s<|\\/>]+$"
CONTENT_SUBSTITUTES: Final = ("tool_calls", "function_call", "refusal", "audio")
"""What an assistant message may have instead of content. Null does not count; an empty text is content."""

_SAMPLE_WITH_RESULT = sample_request(USER, CALL_MESSAGE, RESULT)


def _content_type(message: dict[str, Any], place: str) -> Breach | None:
    content = message.get("content")
    # Missing content and null are checked last of all, except on developer messages.
    is_later = content is None and (message["role"] != "developer" or "content" not in message)
    if is_later or isinstance(content, str | list):
        return None
    return say.wrong_type(f"{place}.content", "one of a string or array of objects", content)


def _has_no_content(message: dict[str, Any]) -> bool:
    substituted = message["role"] == "assistant" and any(message.get(key) is not None for key in CONTENT_SUBSTITUTES)
    return message.get("content") is None and not substituted


def _has_tool_use(context: RequestContext) -> bool:
    """Whether there is a call or a result anywhere in the conversation."""
    item = context.body
    found: bool | None = item.read.get("tool-use")
    if found is None:
        messages = item.request_body["messages"]
        found = any(message.get("tool_calls") or message["role"] in ("tool", "function") for message in messages)
        item.read["tool-use"] = found
    return found


def _late(place: str, member: str, message: str) -> Breach:
    """Of the rules that are checked last, the parameter has a further dot."""
    return say.breach(f"{place.replace('[', '.[')}.{member}", message)


class Turn(Struct):
    """The calls of a message, and what the results right after it answer."""

    ids: list[Any]
    called: set[Any]
    answered: set[Any]


def _turns(item: Item) -> list[Turn | None]:
    """For each message, and for the end of the list, the turn that the results right before it belong to."""
    found: list[Turn | None] | None = item.read.get("turns")
    if found is None:
        found = item.read["turns"] = [None]
        for message in item.request_body["messages"]:
            turn = found[-1]
            if message["role"] != "tool":
                ids = [call["id"] for call in message.get("tool_calls") or ()] if message["role"] == "assistant" else []
                turn = Turn(ids, set(map(comparable, ids)), set()) if ids else None
            elif turn is not None:
                turn.answered.add(comparable(message.get("tool_call_id")))
            found.append(turn)
    return found


NEAR: Final = Selector(
    lambda context: ((context.body.value, context.body.place, _turns(context.body)[context.body.index]),),
    "{place}",
    ("place", "turn"),
    "exchanges",
    ("conversation",),
)
"""Each message with the turn that it may go on."""


def _unanswered(context: RequestContext) -> Breach | None:
    item, turns = context.body, _turns(context.body)
    # At the end of the list there is no next message, and the API names none.
    ends = [(turns[item.index], f"messages.[{item.index}].role")] if item.value["role"] != "tool" else []
    ends += [(turns[-1], "messages")] if item.index == len(turns) - 2 else []
    for turn, param in ends:
        ids = [id for id in turn.ids if comparable(id) not in turn.answered] if turn is not None else []
        if ids:
            message = (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(ids)}"
            )
            return say.breach(param, message, at=None if param.endswith("role") else item.place)
    return None


# A table: two rows are to be compared.
# fmt: off
LIST.row("openai/messages-type", "`messages` is not a list.",
    ANY_PARAMETER, lambda body: not isinstance(body["messages"], list)
        and say.wrong_type("messages", "an array of objects", body["messages"]), remedy=remedies.MESSAGE_LIST,
    wrong={"model": "gpt-4.1", "messages": "Hello"}, right=sample_request(),
    recorded={PROBES: "a string messages"})
LIST.row("openai/messages-empty", "`messages` is an empty list.",
    ANY_PARAMETER, lambda body: not body["messages"] and say.empty_array("messages"), remedy=remedies.CONVERSATION,
    wrong={"model": "gpt-4.1", "messages": []}, right=sample_request(),
    recorded={"recording, gpt-5-nano": "Invalid 'messages': empty array."})
ITEM_RULES.row("openai/message-type", "A message is not an object.",
    MESSAGE, is_object, remedy=remedies.MESSAGE_LIST,
    wrong={"model": "gpt-4.1", "messages": [USER, "Hello"]}, right=sample_request(USER, USER),
    recorded={"recording, gpt-5": "Invalid type for 'messages[0]': expected an object"})
ITEM_RULES.row("openai/role-missing", "A message has no role.",
    MESSAGE, has("role"), remedy=remedies.ROLE_OF_MESSAGE,
    wrong=sample_request({"content": USER["content"]}), right=sample_request(),
    recorded={PROBES: "a message with no role"})
ITEM_RULES.row("openai/role-unknown", "A message has an unknown role.",
    MESSAGE, lambda message, place: say.unknown_word(f"{place}.role", message["role"], ROLES),
    remedy=remedies.CHAT_ROLES,
    wrong=sample_request({**USER, "role": "human"}), right=sample_request(),
    recorded={PROBES: "a bad role at a later index beats a missing content at an earlier one"})
ITEM_RULES.row("openai/content-type", "The content of a message is neither a string nor a list of parts.",
    MESSAGE, _content_type, remedy=remedies.CONTENT_SHAPE,
    wrong=sample_request({**USER, "content": {"text": "Hello"}}),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    recorded={"recording, gpt-4.1": "expected one of a string or array of objects, but got an object instead.",
        PROBES: "content null on a developer item"})
ITEM_RULES.row("openai/developer-content-missing", "A developer message has no content.",
    MESSAGE, lambda message, place: message["role"] == "developer" and has("content")(message, place),
    needs="developer", remedy=remedies.JOIN_INSTRUCTIONS,
    wrong=sample_request({"role": "developer"}, USER),
    right=sample_request({"role": "developer", "content": "Be brief."}, USER),
    recorded={PROBES: "content absent on a developer item"})
ITEM_RULES.row("openai/text-too-long",
    "The text of one message has more than 10485760 characters; in 2024 the limit was a tenth of it.",
    MESSAGE, lambda message, place: say.long_string(f"{place}.content", message.get("content"), say.LONGEST_TEXT),
    remedy=remedies.SHORTEN,
    wrong=None, right=None,
    verbatim={"Shopify/roast#52": "Expected a string with maximum length 10485760, but got a string with length"})
ITEM_RULES.row("openai/message-name-pattern", "The name of a message contains a space or one of < | \\ / >.",
    MESSAGE, lambda message, place: isinstance(message.get("name"), str)
        and not re.search(NAME_PATTERN, message["name"]) and say.wrong_pattern(f"{place}.name", NAME_PATTERN),
    remedy=Remedy("messages", "Write the name with letters, digits, `_` and `-`, or leave it out."),
    wrong=sample_request({**USER, "name": "Ada Lovelace"}), right=sample_request({**USER, "name": "Ada_Lovelace"}),
    verbatim={"public code that quotes the pattern; until 2025 the API required ^[a-zA-Z0-9_-]+$": ""})
CONVERSATION_ITEM_RULES.row("openai/result-id-missing", "A tool result has no `tool_call_id`.",
    MESSAGE, lambda message, place: message["role"] == "tool" and "tool_call_id" not in message
        and _late(place, "tool_call_id",
        "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'."), needs="tool",
    given=_has_tool_use, remedy=remedies.ID_OF_CALL,
    wrong=sample_request(USER, CALL_MESSAGE, {"role": "tool", "content": RESULT["content"]}), right=_SAMPLE_WITH_RESULT,
    verbatim={"langchain-ai/langchain#22600": "messages with role 'tool' must have a 'tool_call_id'",
        "MadcowD/ell#325": ""})
CONVERSATION_ITEM_RULES.row("openai/function-message-without-name", "A result of the old role `function` has no name.",
    MESSAGE, lambda message, place: message["role"] == "function" and not message.get("name")
        and _late(place, "name", "Missing parameter 'name': messages with role 'function' must have a 'name'."),
    given=_has_tool_use, remedy=remedies.ID_OF_CALL,
    wrong=sample_request(USER, {"role": "function", "content": "7 degrees"}),
    right=sample_request(USER, {"role": "function", "content": "7 degrees", "name": "get_weather"}),
    recorded={"recording, gpt-3.5-turbo": "messages with role 'function' must have a 'name'."})
CONVERSATION_ITEM_RULES.row("openai/tool-without-call", "A tool result does not follow a message with tool calls.",
    NEAR, lambda message, place, turn: message["role"] == "tool" and turn is None
        and _late(place, "role",
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
    needs="tool", given=_has_tool_use, remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_request(USER, {**RESULT}), right=sample_request(USER, {**RESULT, "role": "user"}),
    verbatim={"Haervwe/open-webui-tools#12": "must be a response to a preceeding message with 'tool_calls'.",
        "smarter-sh/smarter#264": "", "crewAIInc/crewAI#1620": ""})
CONVERSATION_ITEM_RULES.row("openai/result-of-unknown-call",
    "The `tool_call_id` of a tool result is not the id of a call in the message that it follows.",
    NEAR, lambda message, place, turn: message["role"] == "tool" and turn is not None
        and comparable(message["tool_call_id"]) not in turn.called
        and _late(place, "tool_call_id",
        f"Invalid parameter: 'tool_call_id' of '{message['tool_call_id']}' not found in 'tool_calls' of previous "
        "message."), needs="tool", given=_has_tool_use, remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": "call_2"}), right=_SAMPLE_WITH_RESULT,
    verbatim={"dapr/dapr-agents#145": "not found in 'tool_calls' of previous message."})
CONVERSATION_ITEM_RULES.row("openai/tool-calls-unanswered",
    "A tool call has no result before the next message that is not a tool result.",
    NEAR_MESSAGES, _unanswered, needs="tool_calls", given=_has_tool_use, remedy=remedies.ANSWER_CALLS,
    wrong=sample_request(USER, CALL_MESSAGE), right=_SAMPLE_WITH_RESULT,
    recorded={"recording, gpt-4.1-nano": "The following tool_call_ids did not have response messages:",
        "RamiAwar/dataline#172": "", "BerriAI/litellm#10083": ""})
MISSING_CONTENT_ITEM_RULES.row("openai/content-null", "A message has no content, or null, and no substitute for it.",
    MESSAGE, lambda message, place: _has_no_content(message)
        and _late(place, "content", "Invalid value for 'content': expected a string, got null."),
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(USER, {"role": "assistant", "content": None}),
    right=sample_request(USER, {"role": "assistant", "content": ""}),
    recorded={PROBES: "a bad role at a later index beats a missing content at an earlier one"})
# fmt: on
