"""How Go decodes JSON into typed structs, and its error messages. Knows Go's `encoding/json`; no provider.

Null fits every type, unknown members are skipped, and names are matched case-insensitively. After a value of the wrong
type Go continues and reports the first such error at the end. But an error of a type that decodes itself (`CustomType`)
ends the decoding, so it is reported instead of an earlier type error.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

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
            if not name:
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
