"""Rules on the list of messages, and on each message's role, content and name."""

import re
from typing import Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.wording import (
    LONGEST_TEXT,
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


@LIST.rule(
    "openai/messages-type",
    why="`messages` is not a list.",
    confidence="recorded",
    evidence=cite_probe("a string messages"),
    breaking={"model": "gpt-4.1", "messages": "Hello"},
    accepted=sample_request(),
)
def _messages_type(context: RequestContext) -> Breach | None:
    messages = context.body["messages"]
    return None if isinstance(messages, list) else wrong_type("messages", "an array of objects", messages)


@LIST.rule(
    "openai/messages-empty",
    why="`messages` is an empty list.",
    confidence="recorded",
    evidence=cite("recording, gpt-5-nano", "Invalid 'messages': empty array."),
    breaking={"model": "gpt-4.1", "messages": []},
    accepted=sample_request(),
)
def _messages_empty(context: RequestContext) -> Breach | None:
    return None if context.body["messages"] else empty_array("messages")


@ITEM_RULES.rule(
    "openai/message-type",
    why="A message is not an object.",
    confidence="recorded",
    evidence=cite("recording, gpt-5", "Invalid type for 'messages[0]': expected an object"),
    breaking={"model": "gpt-4.1", "messages": [USER, "Hello"]},
    accepted=sample_request(USER, USER),
)
def _message_type(context: RequestContext) -> Breach | None:
    item = context.body
    return None if isinstance(item.value, dict) else wrong_type(item.place, "an object", item.value)


@ITEM_RULES.rule(
    "openai/role-missing",
    why="A message has no role.",
    confidence="recorded",
    evidence=cite_probe("a message with no role"),
    breaking=sample_request({"content": USER["content"]}),
    accepted=sample_request(),
)
def _role_missing(context: RequestContext) -> Breach | None:
    return None if "role" in context.body.value else missing(f"{context.body.place}.role")


@ITEM_RULES.rule(
    "openai/role-unknown",
    why="A message has an unknown role.",
    confidence="recorded",
    evidence=cite_probe("a bad role at a later index beats a missing content at an earlier one"),
    breaking=sample_request({**USER, "role": "human"}),
    accepted=sample_request(),
)
def _role_unknown(context: RequestContext) -> Breach | None:
    role = context.body.value["role"]
    if role in ROLES:
        return None
    place = f"{context.body.place}.role"
    if isinstance(role, str):
        return wrong_value(place, role, ROLES)
    return wrong_type(place, "one of 'system', 'assistant', 'user', 'function', 'tool', or 'developer'", role)


@ITEM_RULES.rule(
    "openai/content-type",
    why="The content of a message is neither a string nor a list of parts.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4.1", "expected one of a string or array of objects, but got an object instead."),
        *cite_probe("content null on a developer item"),
    ),
    breaking=sample_request({**USER, "content": {"text": "Hello"}}),
    accepted=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}),
)
def _content_type(context: RequestContext) -> Breach | None:
    message = context.body.value
    content = message.get("content")
    if isinstance(content, str | list):
        return None
    # Missing content and null are checked last of all, except on developer messages.
    if content is None and (message["role"] != "developer" or "content" not in message):
        return None
    return wrong_type(f"{context.body.place}.content", "one of a string or array of objects", content)


@ITEM_RULES.rule(
    "openai/developer-content-missing",
    why="A developer message has no content.",
    confidence="recorded",
    evidence=cite_probe("content absent on a developer item"),
    breaking=sample_request({"role": "developer"}, USER),
    accepted=sample_request({"role": "developer", "content": "Be brief."}, USER),
)
def _developer_content(context: RequestContext) -> Breach | None:
    message = context.body.value
    absent = message["role"] == "developer" and "content" not in message
    return missing(f"{context.body.place}.content") if absent else None


@ITEM_RULES.rule(
    "openai/text-too-long",
    why="The text of one message has more than 10485760 characters; in 2024 the limit was a tenth of it.",
    confidence="verbatim",
    evidence=cite("Shopify/roast#52", "Expected a string with maximum length 10485760, but got a string with length"),
    breaking=None,
    accepted=None,
)
def _text_too_long(context: RequestContext) -> Breach | None:
    content = context.body.value.get("content")
    if not isinstance(content, str) or len(content) <= LONGEST_TEXT:
        return None
    return long_string(f"{context.body.place}.content", most=LONGEST_TEXT, length=len(content))


@ITEM_RULES.rule(
    "openai/message-name-pattern",
    why="The name of a message contains a space or one of < | \\ / >.",
    confidence="verbatim",
    evidence=cite("public code that quotes the pattern; until 2025 the API required ^[a-zA-Z0-9_-]+$"),
    breaking=sample_request({**USER, "name": "Ada Lovelace"}),
    accepted=sample_request({**USER, "name": "Ada_Lovelace"}),
)
def _name_pattern(context: RequestContext) -> Breach | None:
    name = context.body.value.get("name")
    if not isinstance(name, str) or re.search(NAME_PATTERN, name):
        return None
    return wrong_pattern(f"{context.body.place}.name", NAME_PATTERN)
