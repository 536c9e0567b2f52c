"""How Go reads JSON into typed structs, and in which words it complains. Knows Go's `encoding/json`, and no provider.

Null fits every type, unknown members are skipped, names are matched without regard to case. After a value of the wrong
type Go reads on, and complains of the first at the end; but a type that reads itself (`Own`) ends the reading with what
it finds, so that such a fault is heard before an earlier plain one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class TypeMismatch:
    """A value that does not fit. `at` is its place in the body; `struct` and `path` are how Go names that place.

    `text` is the whole complaint where Go's own words for a wrong type do not apply.
    """

    at: str
    value: str = ""
    type: str = ""
    struct: str = ""
    path: tuple[str, ...] = ()
    text: str = ""

    @property
    def words(self) -> str:
        if self.text:
            return self.text
        place = f"struct field {self.struct}.{'.'.join(self.path)}" if self.path else "value"
        return f"json: cannot unmarshal {self.value} into Go {place} of type {self.type}"

    def within(self, struct: str, path: tuple[str, ...]) -> "TypeMismatch":
        """The same, met while a member of an outer struct was read: Go then names the outer struct, and both paths."""
        return replace(self, struct=struct, path=(*path, *self.path)) if path and not self.text else self


@dataclass(frozen=True, slots=True)
class Plain:
    """`string`, `bool` or `int`."""

    type: str


@dataclass(frozen=True, slots=True)
class Anything:
    pass


@dataclass(frozen=True, slots=True)
class Table:
    """A map with members of any type."""

    type: str = "map[string]interface {}"


@dataclass(frozen=True, slots=True)
class Slice:
    item: "Kind"
    type: str


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    members: Mapping[str, "Kind"]

    @property
    def type(self) -> str:
        return f"api.{self.name}"


@dataclass(frozen=True, slots=True)
class Own:
    """A type that reads itself: given the value and its place, its complaint or None. Null is never given to it."""

    read: Callable[[Any, str], TypeMismatch | None]


Kind = Plain | Anything | Table | Slice | Struct | Own
_PYTHON: dict[str, tuple[type, ...]] = {"string": (str,), "bool": (bool,), "int": (int,)}


def mismatch(value: Any, kind: Kind, at: str = "") -> TypeMismatch | None:
    """What Go's `Unmarshal` complains of, or None where the value fits."""
    reading = _Reading()
    return reading.read(value, kind, at, "", ()) or reading.first


def member_named(members: Mapping[str, Found], name: str) -> Found | None:
    """The member of this name as Go finds it: the same name, else one that differs in case alone."""
    if name in members:
        return members[name]
    folded = name.casefold()
    return next((found for key, found in members.items() if key.casefold() == folded), None)


class _Reading:
    """One call of `Unmarshal`: `first` is the complaint that is kept until the end."""

    def __init__(self) -> None:
        self.first: TypeMismatch | None = None

    def read(self, value: Any, kind: Kind, at: str, struct: str, path: tuple[str, ...]) -> TypeMismatch | None:
        """A complaint that ends the reading, or None."""
        if value is None or isinstance(kind, Anything):
            return None
        if isinstance(kind, Own):
            found = kind.read(value, at)
            return found.within(struct, path) if found else None
        if isinstance(kind, Struct) and isinstance(value, dict):
            return self._members(value, kind, at, path)
        if isinstance(kind, Slice) and isinstance(value, list):
            items = ((item, f"{at}[{index}]") for index, item in enumerate(value))
            return next((f for item, place in items if (f := self.read(item, kind.item, place, struct, path))), None)
        if not _fits(value, kind) and self.first is None:
            self.first = TypeMismatch(at, _described(value, kind), kind.type, struct, path)
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


def _fits(value: Any, kind: Plain | Table | Slice | Struct) -> bool:
    if isinstance(kind, Table):
        return isinstance(value, dict)
    if not isinstance(kind, Plain):
        return False
    return isinstance(value, _PYTHON[kind.type]) and (kind.type != "int" or not isinstance(value, bool))


def _described(value: Any, kind: Plain | Table | Slice | Struct) -> str:
    """What Go calls the value; a number that is no integer is quoted."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return f"number {value}" if kind.type == "int" else "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
