"""How Go decodes JSON into typed structs, and its error messages.

Null fits every type, unknown members are skipped, and names are matched case-insensitively. After a value of the wrong
type Go continues and reports the first such error at the end. But an error of a type that decodes itself (`CustomType`)
ends the decoding, so it is reported instead of an earlier type error.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class TypeMismatch:
    """A value of the wrong type. `at` is its place in the body; `struct` and `path` are Go's names for that place.

    `text` is the complete error message, if it is not Go's message for a wrong type.
    """

    at: str
    value: str = ""
    type: str = ""
    struct: str = ""
    path: tuple[str, ...] = ()
    text: str = ""

    @property
    def message(self) -> str:
        if self.text:
            return self.text
        place = f"struct field {self.struct}.{'.'.join(self.path)}" if self.path else "value"
        return f"json: cannot unmarshal {self.value} into Go {place} of type {self.type}"

    def within(self, struct: str, path: tuple[str, ...]) -> "TypeMismatch":
        """The same error, found while a member of an outer struct was decoded: Go then names the outer struct and both
        paths."""
        return replace(self, struct=struct, path=(*path, *self.path)) if path and not self.text else self


@dataclass(frozen=True, slots=True)
class Scalar:
    """`string`, `bool`, `int` or `float64`."""

    type: str


@dataclass(frozen=True, slots=True)
class Anything:
    pass


@dataclass(frozen=True, slots=True)
class AnyMap:
    """A map with members of any type."""

    type: str = "map[string]interface {}"


@dataclass(frozen=True, slots=True)
class Slice:
    item: "GoType"
    type: str


@dataclass(frozen=True, slots=True)
class Struct:
    """`name` is empty for one that is declared in another."""

    name: str
    members: Mapping[str, "GoType"]
    package: str = "api"

    @property
    def type(self) -> str:
        return f"{self.package}.{self.name}" if self.name else "struct"


@dataclass(frozen=True, slots=True)
class CustomType:
    """A type that decodes itself: a function from the value and its place to an error or None. It never receives
    null."""

    read: Callable[[Any, str], TypeMismatch | None]


GoType = Scalar | Anything | AnyMap | Slice | Struct | CustomType
_PYTHON: dict[str, tuple[type, ...]] = {"string": (str,), "bool": (bool,), "int": (int,), "float64": (int, float)}


def mismatch(value: Any, kind: GoType, at: str = "") -> TypeMismatch | None:
    """The error of Go's `Unmarshal`, or None if the value fits."""
    reading = _Unmarshaler()
    return reading.read(value, kind, at, "", ()) or reading.first


def member_named(members: Mapping[str, Found], name: str) -> Found | None:
    """The member of this name as Go finds it: the same name, or else one that differs only in case."""
    if name in members:
        return members[name]
    folded = name.casefold()
    return next((found for key, found in members.items() if key.casefold() == folded), None)


def by_lower_names(value: Any) -> dict[str, Any]:
    """The members of an object by their names in lower case, each as `member_named` finds it; none of anything else."""
    if not isinstance(value, dict):
        return {}
    names = "".join(value)
    if names.islower() and names.isascii():
        return value
    return {name: member_named(value, name) for name in map(str.casefold, value)}


class _Unmarshaler:
    """One call of `Unmarshal`: `first` is the type error that is reported at the end."""

    def __init__(self) -> None:
        self.first: TypeMismatch | None = None

    def read(self, value: Any, kind: GoType, at: str, struct: str, path: tuple[str, ...]) -> TypeMismatch | None:
        """An error that ends the decoding, or None."""
        if value is None or isinstance(kind, Anything):
            return None
        if isinstance(kind, CustomType):
            found = kind.read(value, at)
            return found.within(struct, path) if found else None
        if isinstance(kind, Struct) and isinstance(value, dict):
            return self._members(value, kind, at, path)
        if isinstance(kind, Slice) and isinstance(value, list):
            items = ((item, f"{at}[{index}]") for index, item in enumerate(value))
            return next((f for item, place in items if (f := self.read(item, kind.item, place, struct, path))), None)
        if not _fits(value, kind) and self.first is None:
            self.first = TypeMismatch(at, _go_type_of(value, kind), kind.type, struct, path)
        return None

    def _members(self, value: dict[str, Any], kind: Struct, at: str, path: tuple[str, ...]) -> TypeMismatch | None:
        for key, child in value.items():
            name = key if key in kind.members else next((n for n in kind.members if n.casefold() == key.casefold()), "")
            if not name or (kind.members[name] is TEXT and isinstance(child, str)):
                continue
            place = f"{at}.{name}" if at else name
            found = self.read(child, kind.members[name], place, kind.name, (*path, name))
            if found is not None:
                return found
        return None


def _fits(value: Any, kind: Scalar | AnyMap | Slice | Struct) -> bool:
    if isinstance(kind, AnyMap):
        return isinstance(value, dict)
    if not isinstance(kind, Scalar):
        return False
    return isinstance(value, _PYTHON[kind.type]) and (kind.type == "bool" or not isinstance(value, bool))


def _go_type_of(value: Any, kind: Scalar | AnyMap | Slice | Struct) -> str:
    """Go's name for the value; a number that is not an integer is quoted."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return f"number {value}" if kind.type == "int" else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


NO_OBJECT: Final = "Value looks like object, but can't find closing '}' symbol"
"""The error of the decoder of ordered maps for anything that is not an object."""

EFFORTS: Final = ("high", "medium", "low", "max")
UNITS: Final = ("ns", "us", "µs", "μs", "ms", "s", "m", "h")

TEXT = Scalar("string")
FLAG = Scalar("bool")
NUMBER = Scalar("float64")
WHOLE = Scalar("int")
TEXTS = Slice(TEXT, "[]string")


def _properties(value: Any, at: str) -> TypeMismatch | None:
    if not isinstance(value, dict):
        return TypeMismatch(at, text=NO_OBJECT)
    found = (mismatch(schema, PROPERTY, f"{at}.{name}") for name, schema in value.items())
    return next((one for one in found if one), None)


def _image(value: Any, at: str) -> TypeMismatch | None:
    """Base64 without a prefix, so no data URL; the error names the first byte that is not base64."""
    if not isinstance(value, str):
        return None if isinstance(value, list) else mismatch(value, Slice(Anything(), "api.ImageData"), at)
    text = re.sub(r"[\r\n]", "", value)
    match = re.match(r"[A-Za-z0-9+/]*", text)
    length = match.end() if match else 0
    if text[length:] == "=" * (-length % 4) and length % 4 != 1:
        return None
    byte = length if length < len(text) else length - length % 4
    return TypeMismatch(at, text=f"illegal base64 data at input byte {byte}")


def _think(value: Any, at: str) -> TypeMismatch | None:
    if isinstance(value, bool) or value in EFFORTS:
        return None
    listed = ", ".join(f'"{effort}"' for effort in EFFORTS)
    if isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        return TypeMismatch(at, text=f"invalid think value: {quoted} (must be {listed}, true, or false)")
    return TypeMismatch(at, text=f"think must be a boolean or string ({listed}, true, or false)")


def _keep_alive(value: Any, at: str) -> TypeMismatch | None:
    """Seconds as a number, or a text that Go's `time.ParseDuration` accepts."""
    if isinstance(value, str):
        fault = _duration_fault(value)
        return TypeMismatch(at, text=fault) if fault else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None
    types = {bool: "bool", list: "[]interface {}", dict: "map[string]interface {}"}
    return TypeMismatch(at, text=f"Unsupported type: '{types[type(value)]}'")


def _duration_fault(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return ""
    if not rest:
        return f"time: invalid duration {quoted}"
    while rest:
        number = re.match(r"\d+\.?\d*|\.\d+", rest, re.ASCII)
        if number is None:
            return f"time: invalid duration {quoted}"
        unit = re.match(r"[^.0-9]*", rest[number.end() :])
        unit_name = unit[0] if unit else ""
        if not unit_name:
            return f"time: missing unit in duration {quoted}"
        if unit_name not in UNITS:
            return f"time: unknown unit {json.dumps(unit_name, ensure_ascii=False)} in duration {quoted}"
        rest = rest[number.end() + len(unit_name) :]
    return ""


_property: dict[str, GoType] = {
    "type": CustomType(lambda value, at: None if isinstance(value, str) else mismatch(value, TEXTS, at)),
    "items": Anything(),
    "description": TEXT,
    "enum": Slice(Anything(), "[]interface {}"),
    "properties": CustomType(_properties),
    "required": TEXTS,
}
PROPERTY = Struct("ToolProperty", _property)
_property["anyOf"] = Slice(PROPERTY, "[]api.ToolProperty")

PARAMETERS = Struct(
    "ToolFunctionParameters",
    {
        "type": TEXT,
        "$defs": Anything(),
        "items": Anything(),
        "required": TEXTS,
        "properties": CustomType(_properties),
    },
)
FUNCTION = Struct("ToolFunction", {"name": TEXT, "description": TEXT, "parameters": PARAMETERS})
TOOL = Struct("Tool", {"type": TEXT, "items": Anything(), "function": FUNCTION})
CALL_FUNCTION = Struct(
    "ToolCallFunction",
    {
        "index": Scalar("int"),
        "name": TEXT,
        "arguments": CustomType(
            lambda value, at: None if isinstance(value, dict) else TypeMismatch(at, text=NO_OBJECT)
        ),
    },
)
CALL = Struct("ToolCall", {"id": TEXT, "function": CALL_FUNCTION})
MESSAGE = Struct(
    "Alias",
    {
        "role": TEXT,
        "content": TEXT,
        "thinking": TEXT,
        "images": Slice(CustomType(_image), "[]api.ImageData"),
        "tool_calls": Slice(CALL, "[]api.ToolCall"),
        "tool_name": TEXT,
        "tool_call_id": TEXT,
    },
)
"""A message decodes itself, with a local type of this name."""

REQUEST = Struct(
    "ChatRequest",
    {
        "model": TEXT,
        "messages": Slice(CustomType(lambda value, at: mismatch(value, MESSAGE, at)), "[]api.Message"),
        "stream": FLAG,
        "format": Anything(),
        "keep_alive": CustomType(_keep_alive),
        "tools": Slice(TOOL, "api.Tools"),
        "options": AnyMap(),
        "think": CustomType(_think),
        "truncate": FLAG,
        "shift": FLAG,
        "_debug_render_only": FLAG,
        "logprobs": FLAG,
        "top_logprobs": Scalar("int"),
    },
)
