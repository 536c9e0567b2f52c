"""A value of JSON as the type that it should have, or nothing in place of a value of another type."""

from typing import Any


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def members(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""
