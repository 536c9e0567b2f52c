"""What a vendor's types declare of the members of a request: a table of records, and the first fault of a body.

The tables are written by `tests/fakes/documented/declared_members.py`, which explains their form.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

Kind = Literal["type", "word", "missing", "range", "extra"]
OF_JSON: Final[Mapping[type, str]] = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
TAGS: Final = ("type", "role")
"""What says which record of several an object is."""
KEY: Final = re.compile(r"(\w+)(!?) ?(\S*)")
DEEPEST: Final = 50
NUMERIC: Final = ("integer", "number", "boolean")


class Fault(Struct, frozen=True):
    """`path` is the place, and `tagged` the same with the sort of each record on the way, as pydantic has it.
    `expected` are types, or words. `owner` has the member, or lacks it."""

    kind: Kind
    path: tuple[str | int, ...]
    tagged: tuple[str | int, ...]
    value: Any
    expected: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    owner: Any = None

    @property
    def at(self) -> str:
        """The place as `messages[1].content`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")


class Union(Struct, frozen=True, eq=False):
    plain: tuple[str, ...]
    words: tuple[str, ...]
    records: tuple[str, ...]
    items: "Union | None" = None
    least: float | None = None
    most: float | None = None

    @property
    def types(self) -> tuple[str, ...]:
        """What a value may be, by JSON's names."""
        named = (*self.plain, *(["object"] if self.records else []))
        words = ["string"] if self.words and "string" not in self.plain else []
        of_items = "array of strings" if self.items and self.items.types == ("string",) else "array of objects"
        return tuple(dict.fromkeys([*words, *named, *([of_items] if self.items else [])]))


class Member(Struct, frozen=True, eq=False):
    union: Union
    is_required: bool


def _union(alternatives: list[Any], limits: str = "") -> Union:
    texts = [one for one in alternatives if isinstance(one, str)]
    inside = [inner for one in alternatives if isinstance(one, list) for inner in one]
    low, _, high = limits.partition("..")
    return Union(
        plain=tuple(one for one in texts if one[0].islower()),
        words=tuple(one[1:] for one in texts if one[0] == "="),
        records=tuple(one for one in texts if one[0].isupper()),
        items=_union(inside) if len(texts) < len(alternatives) else None,
        least=float(low) if low else None,
        most=float(high) if high else None,
    )


class DeclaredTypes:
    """The records of a table, the first of which is the request."""

    def __init__(
        self,
        path: Path,
        passes: str = "",
        *,
        closed: bool = False,
        reads: Callable[[str, str], bool] = lambda text, type_: False,
    ) -> None:
        """`passes` is a pattern of the kinds and places of what the provider takes though the types say otherwise:
        `missing input.id`. `closed`: a member that is not declared is a fault. `reads`: whether a text is taken for a
        value of a type."""
        self._path = path
        self._passes = re.compile(passes)
        self._closed = closed
        self._reads = reads

    def faults(self, body: Any) -> Iterator[Fault]:
        records = _records(self._path)
        return self._of_record(body, next(iter(records)), (), (), records)

    def _of_record(self, value: Any, name: str, path: Any, tagged: Any, records: Any) -> Iterator[Fault]:
        """Those that the provider does not pass."""
        for fault in self._of_members(value, name, path, tagged, records):
            if not self._is_passed(fault.kind, fault.path):
                yield fault

    def _is_passed(self, kind: Kind, path: Any) -> bool:
        place = ".".join(part for part in path if isinstance(part, str))
        return self._passes.fullmatch(f"{kind} {place}") is not None

    def _of_members(self, value: Any, name: str, path: Any, tagged: Any, records: Any) -> Iterator[Fault]:
        members: Mapping[str, Member] = records[name]
        for member, declared in members.items():
            if member in value:
                found = value[member]
                yield from self._of(found, declared.union, (*path, member), (*tagged, member), records, value)
            elif declared.is_required:
                yield Fault("missing", (*path, member), (*tagged, member), None, declared.union.types, owner=value)
        if self._closed and path:  # of the request itself, others know more than the types do
            for member in value:
                if member not in members:
                    yield Fault("extra", (*path, member), (*tagged, member), value[member], owner=value)

    def _of(self, value: Any, union: Union, path: Any, tagged: Any, records: Any, owner: Any) -> Iterator[Fault]:
        if value is None or "any" in union.plain or len(path) > DEEPEST:
            return
        kind = "array" if isinstance(value, list) else OF_JSON[type(value)]
        if not _has(union, kind, value):
            text = str(int(value)) if kind == "boolean" else value
            if isinstance(text, str) and any(self._reads(text, one) for one in union.plain if one in NUMERIC):
                return
            yield Fault("type", path, tagged, value, union.types, owner=owner)
        elif kind == "string" and "string" not in union.plain:
            if value not in union.words:
                yield Fault("word", path, tagged, value, union.words, owner=owner)
        elif _is_outside(union, kind, value):
            yield Fault("range", path, tagged, value, union.types, union.least, union.most, owner)
        elif isinstance(value, list) and union.items is not None:
            for i, item in enumerate(value):
                yield from self._of(item, union.items, (*path, i), (*tagged, i), records, value)
        elif isinstance(value, dict) and union.records and "object" not in union.plain:
            yield from self._of_object(value, union.records, path, tagged, records)

    def _of_object(self, value: Any, names: tuple[str, ...], path: Any, tagged: Any, records: Any) -> Iterator[Fault]:
        """A record that fits, or the first fault of those that its tags choose."""
        left = names
        for tag in TAGS:
            known = [one for name in left if tag in records[name] for one in records[name][tag].union.words]
            if not known:
                continue
            said = value.get(tag)
            if said is None:
                free = self._is_passed("missing", (*path, tag))
                declared = ((name, records[name].get(tag)) for name in left)
                taken = tuple(name for name, one in declared if one is None or free or not one.is_required)
                if not taken:
                    yield Fault("missing", (*path, tag), (*tagged, tag), None, ("string",), owner=value)
                    return
            else:
                taken = tuple(name for name in left if tag in records[name] and said in records[name][tag].union.words)
                open_ = tuple(name for name in left if tag not in records[name] or not records[name][tag].union.words)
                if not taken and not open_:
                    place, inside = (*path, tag), (*tagged, tag)
                    if isinstance(said, str):
                        yield Fault("word", place, inside, said, tuple(dict.fromkeys(known)), owner=value)
                    else:
                        yield Fault("type", place, inside, said, ("string",), owner=value)
                    return
                taken = taken or open_
            left = taken
        best: list[Fault] | None = None
        for name in left:
            words = records[name]["type"].union.words if "type" in records[name] else ()
            found = [*self._of_record(value, name, path, (*tagged, *words[:1]), records)]
            if not found:
                return
            best = found if best is None or len(found) < len(best) else best
        yield from best or ()


def _has(union: Union, kind: str, value: Any) -> bool:
    if kind == "array":
        return union.items is not None
    if kind == "object":
        return bool(union.records) or "object" in union.plain
    if kind == "string":
        return bool(union.words) or "string" in union.plain
    if kind == "number" and "integer" in union.plain and value.is_integer():
        return True
    return kind in union.plain or (kind == "integer" and "number" in union.plain)


def _is_outside(union: Union, kind: str, value: Any) -> bool:
    """The range of a list is that of its items, where the member may also be a text."""
    if kind in ("object", "boolean") or (kind == "string" and union.items is not None):
        return False
    size = len(value) if kind in ("string", "array") else value
    return (union.least is not None and size < union.least) or (union.most is not None and size > union.most)


@cache
def _records(path: Path) -> dict[str, dict[str, Member]]:
    read = msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, list[Any]]])
    return {name: dict(_member(key, alternatives) for key, alternatives in members.items())
            for name, members in read.items()}  # fmt: skip


def _member(key: str, alternatives: list[Any]) -> tuple[str, Member]:
    found = KEY.fullmatch(key)
    assert found is not None, key
    return found[1], Member(_union(alternatives, found[3]), bool(found[2]))
