"""Every documented field of a request, from the vendors' own types: a small value for each, and its place.

Knows type annotations: TypedDicts, pydantic models, unions, literals; knows no provider.
"""

import collections.abc
import enum
import functools
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Literal, Union, get_args, get_origin

import typing_extensions
from pydantic import BaseModel

Path = tuple[str, ...]
Instance = tuple[Path, Any]
"""The path to a field, and a value that has this field and otherwise only required ones."""

WRAPPERS = (
    typing.Annotated,
    typing.Required,
    typing.NotRequired,
    typing_extensions.Required,
    typing_extensions.NotRequired,
)
ALIASES = tuple({getattr(module, "TypeAliasType", None) for module in (typing, typing_extensions)} - {None})
MAPPINGS = (dict, collections.abc.Mapping)
SCALARS: dict[Any, Any] = {str: "a", int: 1, float: 0.5, bool: True, bytes: "YQ==", Any: "a", object: {"a": 1}}


class Walker:
    """Finds each field of each class once, at the first place where it occurs."""

    def __init__(self, hints: Mapping[str, Any] | None = None) -> None:
        """`hints` are values for members whose type does not say which values are valid."""
        self._told: set[Any] = set()
        self._hints = hints or {}

    def instances(self, kind: Any, path: Path = ()) -> Iterator[Instance]:
        """The smallest value first, then one for each field and each literal inside."""
        kind = required_only(kind)
        if is_record(kind):
            yield path, smallest(kind)
            yield from self._fields(kind, path)
        elif get_origin(kind) is Literal:
            yield from (((*path, f"={value}"), value) for value in get_args(kind))
        elif isinstance(kind, type) and issubclass(kind, enum.Enum):
            yield from (((*path, f"={one.value}"), one.value) for one in kind)
        elif is_union(kind):
            for one in get_args(kind):
                if one is not type(None):
                    yield from self.instances(one, path)
        elif is_list(kind):
            yield from ((inner, [value]) for inner, value in self.instances(item_of(kind), (*path, "[]")))
        else:
            yield path, smallest(kind)

    def _fields(self, kind: Any, path: Path) -> Iterator[Instance]:
        if kind in self._told:
            return
        self._told.add(kind)
        for name, inner in fields_of(kind).items():
            if name in self._hints:
                yield (*path, name), {**smallest(kind), name: self._hints[name]}
                continue
            for where, value in self.instances(inner, (*path, name)):
                yield where, {**smallest(kind), name: value}


def smallest(kind: Any, visited: frozenset[Any] = frozenset()) -> Any:
    """The smallest valid value; for a union, that of the first member that has one."""
    kind = required_only(kind)
    if is_record(kind):
        deeper = visited | {kind}
        return {name: smallest(inner, deeper) for name, inner in fields_of(kind).items() if name in required_of(kind)}
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(iter(kind)).value
    if is_union(kind):
        left = [one for one in get_args(kind) if one is not type(None) and required_only(one) not in visited]
        return smallest(left[0], visited) if left else None
    if is_list(kind):
        return [smallest(item_of(kind), visited)]
    if get_origin(kind) in MAPPINGS or kind in MAPPINGS:
        return {"a": "b"}
    return SCALARS.get(kind, "a")


def required_only(kind: Any) -> Any:
    while True:
        if get_origin(kind) in WRAPPERS:
            kind = get_args(kind)[0]
        elif isinstance(kind, ALIASES):
            kind = kind.__value__
        elif isinstance(get_origin(kind), ALIASES):  # such as `OptionalNullable[str]`
            kind = get_args(kind)[0]
        elif hasattr(kind, "__supertype__"):
            kind = kind.__supertype__
        else:
            return kind


def is_record(kind: Any) -> bool:
    return typing_extensions.is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, BaseModel))


@functools.cache
def fields_of(kind: Any) -> dict[str, Any]:
    """By the names that are sent."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {
            field.serialization_alias or field.alias or name: field.annotation
            for name, field in kind.model_fields.items()
        }
    return typing_extensions.get_type_hints(kind, include_extras=True)


@functools.cache
def required_of(kind: Any) -> frozenset[str]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return frozenset(
            field.serialization_alias or field.alias or name
            for name, field in kind.model_fields.items()
            if field.is_required()
        )
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    return frozenset(name for name, inner in hints.items() if _is_required(inner, total=kind.__total__))


def _is_required(kind: Any, *, total: bool) -> bool:
    """`__required_keys__` is wrong if annotations are strings, as they are in the SDKs."""
    if get_origin(kind) is typing.Annotated:
        return _is_required(get_args(kind)[0], total=total)
    if get_origin(kind) in (typing.Required, typing_extensions.Required):
        return True
    return total and get_origin(kind) not in (typing.NotRequired, typing_extensions.NotRequired)


def is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def is_list(kind: Any) -> bool:
    origin = get_origin(kind)
    return (
        isinstance(origin, type) and origin not in MAPPINGS and len(get_args(kind)) == 1 and hasattr(origin, "__iter__")
    )


def item_of(kind: Any) -> Any:
    return get_args(kind)[0]
