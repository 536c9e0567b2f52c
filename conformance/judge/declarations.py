"""What a tool's declaration keeps of its parameters. Knows JSON Schema in the ways in which frameworks rewrite it."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from conformance.adapter.schema_references import referred

DEEPEST = 6
KEPT = 512
"""So many pairs of schemas are compared once: every turn of every case of a scenario declares the same tools."""


def lost_properties(wanted: Any, offered: Any) -> tuple[tuple[str, bool], ...]:
    """The properties of `wanted` that `offered` does not name, as `contact.phone`, each with whether it is certain.

    Certain: the object is described and this property is left out, or a reference points at nothing. Where an object is
    left open, as by frameworks that know nothing but Python's types, its properties are lost to the model and still
    taken by the tool.
    """
    try:
        if wanted == offered:
            return ()
        return _lost_between(json.dumps(wanted), json.dumps(offered))
    except RecursionError:  # a schema that is deeper than JSON can be written: it is no key
        return tuple(_lost(_Schema(wanted, wanted), _Schema(offered, offered), "", DEEPEST))


def reordered_properties(wanted: Any, offered: Any) -> tuple[tuple[list[str], list[str]], ...]:
    """The properties that both name, as `wanted` and as `offered` order them, for each object where that differs."""
    try:
        return _reordered_between(json.dumps(wanted), json.dumps(offered))
    except RecursionError:
        return tuple(_reordered(_Schema(wanted, wanted), _Schema(offered, offered), DEEPEST))


@lru_cache(maxsize=KEPT)
def _lost_between(wanted: str, offered: str) -> tuple[tuple[str, bool], ...]:
    return tuple(_lost(_whole(wanted), _whole(offered), "", DEEPEST))


@lru_cache(maxsize=KEPT)
def _reordered_between(wanted: str, offered: str) -> tuple[tuple[list[str], list[str]], ...]:
    return tuple(_reordered(_whole(wanted), _whole(offered), DEEPEST))


def _whole(text: str) -> "_Schema":
    schema = json.loads(text)
    return _Schema(schema, schema)


class _Schema:
    """A schema within `root`, where its references point."""

    def __init__(self, value: Any, root: Any) -> None:
        self._root = root
        self._variants = list(_variants(value, root, DEEPEST))

    def refers_to_nothing(self) -> bool:
        return any(
            isinstance(variant.get("$ref"), str) and not isinstance(referred(variant["$ref"], self._root), Mapping)
            for variant in self._variants
        )

    def properties(self) -> dict[str, "_Schema"]:
        """Of all variants: what one of them names is not lost."""
        found: dict[str, list[Any]] = {}
        for variant in self._variants:
            given = variant.get("properties")
            for name, value in given.items() if isinstance(given, Mapping) else ():
                found.setdefault(name, []).append(value)
        return {name: _Schema({"anyOf": values}, self._root) for name, values in found.items()}

    def order(self) -> list[str] | None:
        """The names in their order, or as Gemini's own word says. None if several schemas name them: none is first."""
        named = [variant for variant in self._variants if isinstance(variant.get("properties"), Mapping)]
        if len(named) != 1:
            return None
        said = named[0].get("propertyOrdering")
        return list(said if isinstance(said, list) else named[0]["properties"])

    def items(self) -> "_Schema | None":
        found = [variant["items"] for variant in self._variants if isinstance(variant.get("items"), Mapping)]
        return _Schema({"anyOf": found}, self._root) if found else None


def _variants(value: Any, root: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if not isinstance(value, Mapping) or not depth:
        return
    yield value
    for word in ("allOf", "anyOf", "oneOf"):
        parts = value.get(word)
        for part in parts if isinstance(parts, list) else ():
            yield from _variants(part, root, depth - 1)
    if isinstance(value.get("$ref"), str):
        yield from _variants(referred(value["$ref"], root), root, depth - 1)


def _lost(wanted: _Schema, offered: _Schema, place: str, depth: int) -> Iterator[tuple[str, bool]]:
    if not depth:
        return
    named = offered.properties()
    for name, value in wanted.properties().items():
        here = f"{place}.{name}" if place else name
        if name in named:
            yield from _lost(value, named[name], here, depth - 1)
        else:
            yield here, bool(named) or not place or offered.refers_to_nothing()
    inner = wanted.items()
    if inner is not None:
        yield from _lost(inner, offered.items() or _Schema(None, None), f"{place}[]", depth - 1)


def _reordered(wanted: _Schema, offered: _Schema, depth: int) -> Iterator[tuple[list[str], list[str]]]:
    before, after = wanted.order() or [], offered.order() or []
    here, there = [name for name in before if name in after], [name for name in after if name in before]
    if here != there:
        yield here, there
    named = offered.properties()
    for name, value in wanted.properties().items() if depth else ():
        if name in named:
            yield from _reordered(value, named[name], depth - 1)
    inner, others = wanted.items(), offered.items()
    if depth and inner is not None and others is not None:
        yield from _reordered(inner, others, depth - 1)
