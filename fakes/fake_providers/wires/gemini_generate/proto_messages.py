"""The protobuf messages of Google's request and their fields, and lenient access to the JSON of one, in both spellings
of the keys, which never raises.

`proto_messages.json` has the fields, with the types of the discovery document of v1beta. Those that only google-genai
3.4 or Vertex AI has are `any`: they are known but not checked. `ON_VERTEX` has the additional fields of Vertex AI.
Fields that only the Developer API has are accepted on Vertex AI too, because no recording shows what it does.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


class FieldType(Struct, frozen=True):
    """`kind` is a scalar (`string`, `bytes`, `bool`, `integer`, `number`, `int32`, `float`, `enum`), `any`,
    `Struct`, or the name of a message or an enum. `object` is a message whose members are not checked."""

    kind: str
    repeated: bool = False
    is_map: bool = False


class _Table(Struct):
    messages: dict[str, dict[str, str]]
    on_vertex: dict[str, dict[str, str]]
    enums: dict[str, frozenset[str]]


_TABLE = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=_Table)
MESSAGES, ON_VERTEX, ENUMS = _TABLE.messages, _TABLE.on_vertex, _TABLE.enums

DATA = (
    "text",
    "inline_data",
    "function_call",
    "function_response",
    "file_data",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
)
"""The members of the oneof `data` of a Part: each part has exactly one."""


def field_type(message: str, name: str, *, vertex: bool = False) -> FieldType | None:
    """The type of a field named in snake case, or None if the message has no such field."""
    type_name = MESSAGES[message].get(name)
    if type_name is None and vertex:
        type_name = ON_VERTEX.get(message, {}).get(name)
    return None if type_name is None else _parse_type(type_name)


def type_of_member(message: str, key: str, vertex: bool) -> FieldType | None:
    """The type of a field named as in JSON, in either spelling."""
    if len(key) > LONGEST_CACHED:
        return field_type(message, snake(key), vertex=vertex)
    return _cached_type_of_member(message, key, vertex)


@lru_cache(maxsize=4096)
def _cached_type_of_member(message: str, key: str, vertex: bool) -> FieldType | None:
    return field_type(message, snake(key), vertex=vertex)


@cache
def _parse_type(type_name: str) -> FieldType:
    kind = type_name.rstrip("*{}")
    return FieldType(kind, repeated=type_name.endswith("*"), is_map=type_name.endswith("{}"))


@cache
def camel(name: str) -> str:
    """The JSON key of a field, in the spelling that Google prefers."""
    return _cached_camel(name) if len(name) <= LONGEST_CACHED else _camel(name)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


_cached_camel = lru_cache(maxsize=4096)(_camel)


def snake(name: str) -> str:
    """The protobuf name of a JSON key: both spellings are accepted everywhere."""
    return _cached_snake(name) if len(name) <= LONGEST_CACHED else _snake(name)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", lambda match: "_" + match.group(1).lower(), name)


_cached_snake = lru_cache(maxsize=4096)(_snake)
LONGEST_CACHED = 100
"""Keys come from clients, so the number and the length of cached keys are limited."""


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


class Turn(Struct):
    """Consecutive contents of one side, joined, as the rules on turn order check them.

    google-genai's own tool loop sends one content per streamed chunk, so a call and the empty text that ends its stream
    are two contents of role `model`. Recorded requests with several contents per side were accepted.
    """

    is_model: bool
    parts: list[tuple[int, Any]]
    """Each part with the index of its content."""
    calls: list[tuple[int, Any]]
    """Those of the parts with a `function_call`, of a turn of the model."""
    responses: list[tuple[int, Any]]
    """Those of the parts with a `function_response`, of a turn of the user."""


def contents(body: Any) -> list[Any]:
    return [content for content in items(field(body, "contents")) if isinstance(content, dict)]


def is_model(content: Any) -> bool:
    """A content without a role or with the role `function` counts as the user's."""
    return bool(field(content, "role") == "model")


def turns(body: Any) -> list[Turn]:
    found: list[Turn] = []
    for index, content in enumerate(contents(body)):
        side = is_model(content)
        if not found or found[-1].is_model is not side:
            found.append(Turn(side, [], [], []))
        turn = found[-1]
        name, asked = ("function_call", turn.calls) if side else ("function_response", turn.responses)
        for part in items(field(content, "parts")):
            turn.parts.append((index, part))
            if field(part, name) is not None:
                asked.append((index, part))
    return found


def data_of(part: Any) -> list[str]:
    """Which members of the oneof `data` the part has."""
    if not isinstance(part, dict):
        return []
    found = [snake(key) for key, value in part.items() if value is not None]
    return [name for name in DATA if name in found] if len(found) > 1 else [name for name in found if name in DATA]


def thinking(body: Any, name: str) -> Any:
    """A member of `generationConfig.thinkingConfig`; None if it is missing or null."""
    return field(field(field(body, "generation_config"), "thinking_config"), name)


def declarations(body: Any) -> Iterator[tuple[str, Any]]:
    """Each function declaration with its path, `tools[0].function_declarations[2]`."""
    for i, tool in enumerate(items(field(body, "tools"))):
        for j, declaration in enumerate(items(field(tool, "function_declarations"))):
            yield f"tools[{i}].function_declarations[{j}]", declaration
