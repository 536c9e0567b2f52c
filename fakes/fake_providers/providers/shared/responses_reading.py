"""Reads the parts of an unchecked Responses request, and skips what has another shape. Knows no rule."""

from collections.abc import Iterable
from typing import Any

from fake_providers.rulebook import RequestContext

PlacedItem = tuple[str, dict[str, Any]]


def kind_of(item: dict[str, Any]) -> str | None:
    """The type of the item as a string; None for a message without one."""
    kind = item.get("type")
    return None if kind is None else str(kind)


def items(context: RequestContext) -> list[PlacedItem]:
    """Each item of the input that is an object, with its place."""
    return [(f"input[{index}]", item) for index, item in objects(context.body.get("input"))]


def tools(context: RequestContext) -> list[PlacedItem]:
    return [(f"tools[{index}]", tool) for index, tool in objects(context.body.get("tools"))]


def objects(value: Any) -> Iterable[tuple[int, dict[str, Any]]]:
    listed = value if isinstance(value, list) else []
    return [(index, one) for index, one in enumerate(listed) if isinstance(one, dict)]
