"""Places in a body: how a provider spells them, how we do, and as JSON Pointers. Knows JSON and no wire."""

import re
from collections.abc import Iterator
from typing import Any

Place = tuple[str | int, ...]

SOURCES = ("base64", "url", "file")
"""Types of sources of a file, with which places of Anthropic's errors end."""

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def place_of(body: Any, at: str) -> tuple[Place, str]:
    """The longest part of a place that exists, and the name of what is missing below it, or "".

    Providers spell places in their own ways: `messages.[2].role`, `messages.0.content.0.tool_use.input` with the type
    of the block as a part, `function_call` for `functionCall`.
    """
    place: list[str | int] = []
    value = body
    parts = _PART.findall(at)
    for number, (name, index) in enumerate(parts):
        part: str | int = int(index or name) if (index or name.isdigit()) else name
        if isinstance(value, dict) and _is_type(value, part) and (number + 1 < len(parts) or part in SOURCES):
            continue
        if isinstance(value, dict) and isinstance(part, int) and part < len(value):
            part = list(value)[part]  # Google counts the members of a map
            value = value[part]
        elif isinstance(value, dict) and part in ("value", "custom") and part not in value:
            continue
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) and isinstance(part, str) and (key := _key(value, part)) is not None:
            value, part = value[key], key
        else:
            return tuple(place), part if isinstance(part, str) and isinstance(value, dict) else ""
        place.append(part)
    return tuple(place), ""


def _is_type(value: dict[str, Any], part: str | int) -> bool:
    """Whether this part of a place is the type of the value, and no member."""
    return part == value.get("type") and not isinstance(value.get(str(part)), dict | list)


def _key(value: dict[str, Any], part: str) -> str | None:
    """The key as the body spells it; Google's errors say `function_call` of a `functionCall`."""
    bare = part.replace("_", "").lower()
    return part if part in value else next((key for key in value if key.replace("_", "").lower() == bare), None)


def spelled(place: Place) -> str:
    """`messages[2].role`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def pointer(place: Place) -> str:
    """`/messages/2/role`, as in a JSON Patch."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in place)


def at(body: Any, place: Place) -> Any:
    """What is at the place. Raises `LookupError`."""
    for part in place:
        body = body[part]
    return body


def walk(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value below this one with its place, itself first, without recursion."""
    waiting = [(place, value)]
    while waiting:
        here, value = waiting.pop()
        yield here, value
        if isinstance(value, dict):
            waiting.extend(((*here, key), member) for key, member in reversed(value.items()))
        elif isinstance(value, list):
            waiting.extend(((*here, index), value[index]) for index in range(len(value) - 1, -1, -1))


def leaves(value: Any, *, most: int = 50) -> int:
    """How many values that hold no others are in this one; counted up to `most`."""
    count = 0
    for _, inner in walk(value):
        count += not isinstance(inner, dict | list) or not inner
        if count >= most:
            break
    return count
