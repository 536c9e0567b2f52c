"""Lenient access to the JSON of a request, in both spellings of the keys. Never raises; knows no rule."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fake_providers.wires.gemini_generate.proto_messages import DATA, camel


def field(message: Any, name: str) -> Any:
    """The value of a field named in snake case, in either spelling; None if it is missing or null."""
    if not isinstance(message, dict):
        return None
    value = message.get(name)
    return value if value is not None else message.get(camel(name))


TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
"""In the order of their numbers: protobuf's JSON accepts an enum's number for its name, and gRPC clients send
numbers."""


def type_of(schema: Any) -> str:
    """The type of a schema in upper case; "" if it has none."""
    value = field(schema, "type")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(TYPES):
        return TYPES[value] if value else ""
    return str(value or "").upper()


def has_field(message: Any, name: str) -> bool:
    """Whether the key is present, whatever its value."""
    return isinstance(message, dict) and (name in message or camel(name) in message)


def items(value: Any) -> list[Any]:
    """The elements of a repeated field; Google accepts a single object as a list of one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive contents of one side, joined, as the rules on turn order check them.

    google-genai's own tool loop sends one content per streamed chunk, so a call and the empty text that ends its stream
    are two contents of role `model`. Recorded requests with several contents per side were accepted.
    """

    is_model: bool
    first: int
    contents: tuple[tuple[int, Any], ...]

    @property
    def parts(self) -> Iterator[tuple[int, Any]]:
        """Each part with the index of its content."""
        for index, content in self.contents:
            for part in items(field(content, "parts")):
                yield index, part

    def parts_with(self, name: str) -> list[tuple[int, Any]]:
        """The parts with a `function_call` or `function_response`, each with the index of its content."""
        return [(index, part) for index, part in self.parts if field(part, name) is not None]


def contents(body: Any) -> list[Any]:
    return [content for content in items(field(body, "contents")) if isinstance(content, dict)]


def is_model(content: Any) -> bool:
    """A content without a role or with the role `function` counts as the user's."""
    return bool(field(content, "role") == "model")


def turns(body: Any) -> list[Turn]:
    sides = groupby(enumerate(contents(body)), key=lambda placed: is_model(placed[1]))
    runs = ((side, tuple(run)) for side, run in sides)
    return [Turn(side, run[0][0], run) for side, run in runs]


def data_of(part: Any) -> list[str]:
    """Which members of the oneof `data` the part has."""
    return [name for name in DATA if field(part, name) is not None]


def declarations(body: Any) -> Iterator[tuple[str, Any]]:
    """Each function declaration with its path, `tools[0].function_declarations[2]`."""
    for i, tool in enumerate(items(field(body, "tools"))):
        for j, declaration in enumerate(items(field(tool, "function_declarations"))):
            yield f"tools[{i}].function_declarations[{j}]", declaration
