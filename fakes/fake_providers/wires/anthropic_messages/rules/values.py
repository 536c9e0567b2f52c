"""Checks of single values: missing, wrong type or out of range, in the provider's words. Knows no field.

Each check takes a value and returns None, or the path below the field and the sentence.
"""

from collections.abc import Callable, Collection
from typing import Any

FieldError = tuple[str, str]
ValueCheck = Callable[[Any], FieldError | None]

REQUIRED = "Field required"
EXTRA = "Extra inputs are not permitted"
SHAPE = "Input does not match the expected shape."


def string(value: Any) -> FieldError | None:
    return None if isinstance(value, str) else ("", "Input should be a valid string")


def boolean(value: Any) -> FieldError | None:
    return None if isinstance(value, bool) else ("", "Input should be a valid boolean")


def integer(value: Any) -> FieldError | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else ("", "Input should be a valid integer")


def obj(value: Any) -> FieldError | None:
    return None if isinstance(value, dict) else ("", "Input should be an object")


def must_be_object(value: Any) -> FieldError | None:
    return None if isinstance(value, dict) else ("", SHAPE)


def fraction(value: Any) -> FieldError | None:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ("", "Input should be a valid number")
    return None if 0 <= value <= 1 else ("", "range: 0..1")


def at_most_one(value: Any) -> FieldError | None:
    """A number up to 1; -1, sent by clients for "not set", is recorded as accepted, and -5 as refused."""
    return None if value == -1 else fraction(value)


def not_negative(value: Any) -> FieldError | None:
    fault = integer(value)
    return fault or (None if value >= 0 else ("", "must be greater than or equal to 0"))


def one_of(*allowed: str) -> ValueCheck:
    words = " or ".join(f"'{word}'" for word in allowed)
    return lambda value: None if isinstance(value, str) and value in allowed else ("", f"Input should be {words}")


def array_of(member: ValueCheck) -> ValueCheck:
    def check(value: Any) -> FieldError | None:
        if not isinstance(value, list):
            return ("", "Input should be a valid array")
        for index, item in enumerate(value):
            if fault := member(item):
                return (f".{index}{fault[0]}", fault[1])
        return None

    return check


def text_or_blocks(value: Any) -> FieldError | None:
    """A string, or a list of objects: what `system` may be."""
    return None if isinstance(value, str) else array_of(_text_block)(value)


def _text_block(value: Any) -> FieldError | None:
    if fault := must_be_object(value):
        return fault
    if value.get("type", "text") != "text":
        return (".type", "Input should be 'text'")
    if "text" not in value:
        return (".text", REQUIRED)
    if fault := string(value["text"]):
        return (".text", fault[1])
    fault = optional(obj)(value.get("cache_control"))
    return (".cache_control", fault[1]) if fault else None


def optional(member: ValueCheck) -> ValueCheck:
    """Accepts None, as if the field were left out."""
    return lambda value: None if value is None else member(value)


def unknown_key(value: dict[str, Any], known: Collection[str]) -> str | None:
    """The first key that is not in `known`."""
    return next((key for key in value if key not in known), None)


def unknown_tag(value: Any, expected: Collection[str]) -> str:
    words = ", ".join(f"'{tag}'" for tag in expected)
    return f"Input tag '{value}' found using 'type' does not match any of the expected tags: {words}"
