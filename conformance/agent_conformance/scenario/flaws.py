"""All that is wrong with data that is no value of a `Strict` type: one walk over the type and the data together."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import chain
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct, ValidationError, convert
from msgspec.structs import fields, replace

from agent_conformance.scenario.base_model import Strict
from agent_conformance.scenario.yaml_files.reading import KeyPath

FlawKind = Literal["type", "words", "bound", "missing", "unknown", "together"]

_NAMES: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "`true` or `false`",
    date: "a date",
}


class Flaw(Struct, frozen=True):
    """One mistake at a path. `union` is the path at which one of several shapes was tried, if any.

    `said`: what is expected in place of a wrong `type`; what is wrong with a value beyond a `bound`, behind the name of
    its field; the sentence about fields that do not go `together`. `words` are those that are allowed. `is_key`: it is
    the last key of the path that is wrong, and not what stands there.
    """

    path: KeyPath
    kind: FlawKind
    value: Any
    said: str = ""
    words: tuple[str, ...] = ()
    union: KeyPath | None = None
    is_key: bool = False


def flaws_in(data: Any, kind: Any, path: KeyPath = (), union: KeyPath | None = None) -> Iterator[Flaw]:
    """In the order of the type's fields; none where the data is a value of the type."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        yield from _of_bounded(data, inner[0], [one for one in inner[1:] if isinstance(one, Meta)], path, union)
    elif origin is Union or origin is UnionType:
        yield from _of_union(data, inner, path, union)
    elif origin is Literal:
        if not any(type(data) is type(word) and data == word for word in inner):
            yield Flaw(path, "words", data, words=tuple(map(str, inner)), union=union)
    elif origin is list:
        if isinstance(data, list):
            for index, item in enumerate(data):
                yield from flaws_in(item, inner[0], (*path, index), union)
        else:
            yield Flaw(path, "type", data, "a list", union=union)
    elif origin is dict or (isinstance(kind, type) and issubclass(kind, Strict)):
        if not isinstance(data, dict):
            yield Flaw(path, "type", data, "a mapping", union=union)
        elif origin is dict:
            yield from _of_dict(data, inner[0], inner[1], path, union)
        else:
            yield from _of_part(data, kind, path, union)
    elif kind is not Any:
        try:
            convert(data, kind)
        except (ValidationError, UnicodeEncodeError):  # the latter of half a character
            yield Flaw(path, "type", data, _NAMES[kind], union=union)


def _of_union(data: Any, members: tuple[Any, ...], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    """What is wrong by each of its types, unless one fits."""
    others = [one for one in members if one is not type(None)]
    if data is None and len(others) < len(members):
        return
    if len(others) == 1:
        yield from flaws_in(data, others[0], path, union)
        return
    tried = [list(flaws_in(data, one, path, path if union is None else union)) for one in others]
    if all(tried):
        yield from chain.from_iterable(tried)


def _of_dict(data: dict[str, Any], key: Any, value: Any, path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    for name, inner in data.items():
        yield from (replace(flaw, is_key=True) for flaw in flaws_in(name, key, (*path, name), union))
        yield from flaws_in(inner, value, (*path, name), union)


def _of_part(data: dict[str, Any], kind: type[Strict], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    found: list[Flaw] = []
    for field in fields(kind):
        if field.name in data:
            found += flaws_in(data[field.name], field.type, (*path, field.name), union)
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            found.append(Flaw((*path, field.name), "missing", data, union=union))
    unknown = [name for name in data if name not in kind.__struct_fields__]
    found += (Flaw((*path, name), "unknown", data[name], union=union) for name in unknown)
    yield from found
    if not found and (mistake := convert(data, kind).mistake(data.keys())) is not None:
        yield Flaw(path, "together", data, mistake, union=union)


def _of_bounded(data: Any, kind: Any, bounds: list[Meta], path: KeyPath, union: KeyPath | None) -> Iterator[Flaw]:
    found = list(flaws_in(data, kind, path, union))
    yield from found
    if not found:
        beyond = (said for bound in bounds if (said := _beyond(data, bound)) is not None)
        yield from (Flaw(path, "bound", data, said, union=union) for said in beyond)


def _beyond(value: Any, bound: Meta) -> str | None:
    """What is wrong with a value of the right type, if anything."""
    if bound.ge is not None and value < bound.ge:
        return f"is {value}; it is at least {bound.ge}."
    if bound.le is not None and value > bound.le:
        return f"is {value}; it is at most {bound.le}."
    if bound.max_length is not None and len(value) > bound.max_length:
        return f"has {len(value)} characters; at most {bound.max_length} are allowed."
    if bound.min_length is not None and len(value) < bound.min_length:
        return "is empty; it has at least one entry."
    if bound.pattern is not None and re.search(bound.pattern, value) is None:
        return "is written in another way."
    return None
