"""Reads the parts of an unchecked chat request, and skips what has another shape."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy, Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, Selector
from fake_providers.values.json_texts import comparable
from fake_providers.values.lenient import listed
from fake_providers.wires.openai_shared.request_body import NOT_JSON

PlacedItem = tuple[int, dict[str, Any]]


def messages(context: RequestContext) -> list[PlacedItem]:
    """Each message that is an object, with its index."""
    value = context.body.get("messages") if isinstance(context.body, dict) else None
    return [(index, message) for index, message in enumerate(listed(value)) if isinstance(message, dict)]


def calls(message: dict[str, Any]) -> list[PlacedItem]:
    """Each tool call of a message that is an object, with its index."""
    value = message.get("tool_calls") if message.get("role") == "assistant" else None
    return [(index, call) for index, call in enumerate(listed(value)) if isinstance(call, dict)]


def tools(context: RequestContext) -> list[PlacedItem]:
    """Each tool that is an object, with its index."""
    value = context.body.get("tools")
    return [(index, tool) for index, tool in enumerate(listed(value)) if isinstance(tool, dict)]


def function(call_or_tool: dict[str, Any]) -> dict[str, Any]:
    return inner(call_or_tool, "function")


def inner(value: dict[str, Any], *names: str) -> dict[str, Any]:
    """The object in this place; an empty one where there is none."""
    for name in names:
        found = value.get(name)
        value = found if isinstance(found, dict) else {}
    return value


KINDS_OF_JSON: Final = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


def json_kind(value: Any) -> str:
    """The name of the type of a JSON value."""
    return KINDS_OF_JSON.get(type(value), "null")


def parts(message: dict[str, Any]) -> list[PlacedItem]:
    """Each part of a message's content that is an object, with its index."""
    return [(index, part) for index, part in enumerate(listed(message.get("content"))) if isinstance(part, dict)]


def picture_url(part: dict[str, Any]) -> Any:
    """The URL of a part that is a picture; None of another."""
    return inner(part, "image_url").get("url") if part.get("type") == "image_url" else None


def rounds(found: list[PlacedItem]) -> Iterator[tuple[PlacedItem, list[PlacedItem]]]:
    """Each message that is not a tool result, with the tool results right after it."""
    place = 0
    while place < len(found):
        end = place + 1
        while end < len(found) and found[end][1].get("role") == "tool":
            end += 1
        yield found[place], found[place + 1 : end]
        place = end


def unanswered(found: list[PlacedItem]) -> dict[str, Any] | None:
    """For rows of `NEAR`: the first message with calls that have no results right after it, and their `ids`."""
    for (index, message), results in rounds(found):
        answered = {comparable(result.get("tool_call_id")) for _, result in results}
        missing = [str(call.get("id")) for _, call in calls(message) if comparable(call.get("id")) not in answered]
        if missing:
            return {"i": index, "next": index + 1, "ids": ", ".join(missing)}
    return None


def unknown_result(found: list[PlacedItem]) -> dict[str, Any] | None:
    """For rows of `NEAR`: the first result whose id no earlier call has."""
    called: set[Any] = set()
    for index, message in found:
        called |= {comparable(call.get("id")) for _, call in calls(message)}
        if message.get("role") == "tool" and comparable(message.get("tool_call_id")) not in called:
            return {"i": index, "id": message.get("tool_call_id") or ""}
    return None


def result_without_calls(found: list[PlacedItem]) -> dict[str, Any] | None:
    """For rows of `NEAR`: the first result that comes after a message without calls; one before all others is none."""
    after = (results[0] for (_, before), results in rounds(found) if results and not calls(before))
    return next(({"i": index} for index, _ in after), None)


def json_unsaid(body: Any) -> bool:
    """For rows of `WHOLE_REQUEST`: whether a JSON object is asked for, and no message has the word."""
    wanted = body.get("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") != "json_object":
        return False
    return "json" not in json.dumps(body["messages"]).lower()


def _messages(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, message in messages(context):
        yield message, i, message.get("role")


def _parts(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, message in messages(context):
        for j, part in parts(message):
            yield part, i, j, message.get("role")


def _calls(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, message in messages(context):
        for j, call in calls(message):
            yield call, i, j, message


def _tools(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, tool in tools(context):
        yield tool, i


def _functions(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, tool in tools(context):
        yield function(tool), i, tool


MESSAGE: Final = Selector(_messages, "messages[{i}]", ("i", "role"), "parts", ("conversation",))
PART: Final = Selector(_parts, "messages[{i}].content[{j}]", ("i", "j", "role"), "parts", ("conversation",))
CALL: Final = Selector(_calls, "messages[{i}].tool_calls[{j}]", ("i", "j", "message"), "parts", ("conversation",))
TOOL: Final = Selector(_tools, "tools[{i}]", ("i",), "parts", ("tool",))
FUNCTION: Final = Selector(_functions, "tools[{i}].function", ("i", "tool"), "parts", ("tool",))
NEAR: Final = Selector(lambda context: ((messages(context),),), reads="exchanges", unusual=("conversation",))
"""All messages with their indexes, for rules that compare those near each other: a message, the results after it."""
HISTORY: Final = Selector(lambda context: ((messages(context),),), unusual=("conversation",))
"""The same, for rules that compare or count over the whole conversation."""


def _neighbours(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    before: dict[str, Any] = {}
    for i, message in messages(context):
        yield message, i, before
        before = message


def _items(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, item in enumerate(listed(context.body.get("input"))):
        if isinstance(item, dict):
            yield item, i


NEXT: Final = Selector(_neighbours, "messages[{i}]", ("i", "before"), "exchanges", ("conversation",))
"""Each message with the one `before`, which is empty for the first."""
LAST: Final = Selector(lambda context: [*_neighbours(context)][-1:], NEXT.place, NEXT.names, NEXT.reads, NEXT.unusual)
"""The last message alone, with the one before it."""
ITEM: Final = Selector(_items, "input[{i}]", ("i",), "parts")
"""Each item of the input of Responses."""


CHECKED: Final = "2026-11-21"
USER: Final = {"role": "user", "content": "What is the weather in Oslo?"}


class ConversationMember(Struct, frozen=True):
    """The member of a body that has the conversation. `rules` begins the ids of its wire's rules."""

    name: str
    rules: str
    absent: str
    is_present: Callable[[dict[str, Any]], bool]


MESSAGES: Final = ConversationMember(
    "messages",
    "",
    "The request has no messages, or they are not a list.",
    lambda body: isinstance(body.get("messages"), list),
)
INPUT: Final = ConversationMember(
    "input",
    "responses-",
    "The request has no input.",
    lambda body: "input" in body or bool(body.get("prompt")),
)
LOCAL_INPUT: Final = replace(INPUT, is_present=lambda body: "input" in body)
"""Of a server that stores no prompts."""


def refuse_unread(
    book: Rulebook,
    provider: str,
    member: ConversationMember,
    *,
    model: str,
    not_json: str | Breach,
    missing: str | Callable[[Any], Breach],
    status: int = 400,
    source: str,
    **fields: Any,
) -> None:
    """Add both rules; after them `RequestContext.body` is an object that has the member. `fields` are those that a
    request must have besides."""
    unreadable = Breach("body", not_json) if isinstance(not_json, str) else not_json
    accepted = {"model": model, **fields, member.name: [USER]}

    def rule(name: str, why: str, breaking: Any, remedy: Remedy) -> Rule:
        id, evidence = f"{provider}/{member.rules}{name}", (Citation(source),)
        return Rule(id, status, why, "all", "inferred", evidence, CHECKED, breaking, accepted, remedy)

    def is_read(context: RequestContext) -> Breach | None:
        return unreadable if context.body is NOT_JSON or not isinstance(context.body, dict) else None

    def is_there(context: RequestContext) -> Breach | None:
        if member.is_present(context.body):
            return None
        return Breach(member.name, missing) if isinstance(missing, str) else missing(context.body)

    cut_off = f'{{"model": "{model}", "{member.name}": ['.encode()
    unread = rule("body-not-json", "The body is not a JSON object.", cut_off, remedies.JSON_LIBRARY)
    book.add(unread, ANY_PARAMETER, is_read)
    without = {"model": model, **fields}
    book.add(rule(f"{member.name}-missing", member.absent, without, remedies.CONVERSATION), ANY_PARAMETER, is_there)
