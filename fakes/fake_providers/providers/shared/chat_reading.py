"""Reads the parts of an unchecked chat request, and skips what has another shape. Knows no rule."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import RequestContext

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
    value = call_or_tool.get("function")
    return value if isinstance(value, dict) else {}


def parts(message: dict[str, Any]) -> list[PlacedItem]:
    """Each part of a message's content that is an object, with its index."""
    return [(index, part) for index, part in enumerate(listed(message.get("content"))) if isinstance(part, dict)]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def rounds(found: list[PlacedItem]) -> Iterator[tuple[PlacedItem, list[PlacedItem]]]:
    """Each message that is not a tool result, with the tool results right after it."""
    place = 0
    while place < len(found):
        end = place + 1
        while end < len(found) and found[end][1].get("role") == "tool":
            end += 1
        yield found[place], found[place + 1 : end]
        place = end
