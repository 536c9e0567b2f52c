"""What a tool's declaration keeps of its parameters."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from agent_conformance.adapter.functions import referred
from agent_conformance.judge.case_evidence import flat

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


def unsaid_limits(wanted: Any, offered: Any, description: str) -> tuple[str, ...]:
    """What the schema `wanted` says of properties that `offered` names, and the declaration does not, in words: that
    one is required or may be left out, which values it takes, or what it means. The last two may stand anywhere in the
    declaration, as in its description.
    """
    try:
        if wanted == offered:
            return ()
        return _unsaid_between(json.dumps(wanted), json.dumps(offered, ensure_ascii=False), description)
    except RecursionError:  # as above; nobody reads the limits of such a schema
        return ()


def added_requirements(wanted: Any, offered: Any) -> tuple[str, ...]:
    """The properties that `offered` requires and `wanted` does not name. None where one of `wanted` has another name in
    `offered`, or where `wanted` leaves open what it takes: then none is known to be added.
    """
    required = offered.get("required") if isinstance(offered, Mapping) else None
    if wanted == offered or not isinstance(required, list):
        return ()
    before, after = _Schema(wanted, wanted), _Schema(offered, offered)
    names = before.properties()
    if not (names or "properties" in wanted) or not names.keys() <= after.properties().keys():
        return ()
    return tuple(name for name in required if name in after.required() and name not in names)


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
def _unsaid_between(wanted: str, offered: str, description: str) -> tuple[str, ...]:
    said = flat(f"{description} {offered}")
    return tuple(_unsaid(_whole(wanted), _whole(offered), said, "", DEEPEST))


@lru_cache(maxsize=KEPT)
def _reordered_between(wanted: str, offered: str) -> tuple[tuple[list[str], list[str]], ...]:
    return tuple(_reordered(_whole(wanted), _whole(offered), DEEPEST))


def _whole(text: str) -> "_Schema":
    schema = json.loads(text)
    return _Schema(schema, schema)


NULLS = (("type", "null"), ("enum", None))


class _Schema:
    """A schema within `root`, where its references point."""

    def __init__(self, value: Any, root: Any) -> None:
        self._value = value
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

    def values(self) -> list[str]:
        """The texts that it takes, where it takes no others."""
        lists = [variant.get("enum") for variant in self._variants]
        if any(
            variant.get("type") == "string" and values is None
            for variant, values in zip(self._variants, lists, strict=True)
        ):
            return []
        return [value for values in lists if isinstance(values, list) for value in values if isinstance(value, str)]

    def meanings(self) -> Iterator[str]:
        """Its descriptions."""
        for variant in self._variants:
            if isinstance(said := variant.get("description"), str):
                yield said

    def required(self) -> set[str]:
        """The properties that every object of this schema has to have."""
        return _required(self._value, self._root, DEEPEST)

    def may_be_nothing(self) -> bool:
        """Whether it takes null, or says itself what stands for a value that is left out."""
        return any(
            "default" in variant
            or variant.get("nullable") is True
            or variant.get("type") == "null"
            or any(isinstance(given := variant.get(word), list) and one in given for word, one in NULLS)
            for variant in self._variants
        )

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


def _required(value: Any, root: Any, depth: int) -> set[str]:
    """Its own, with those of each part of `allOf`, and of alternatives what all require that an object may match."""
    if not isinstance(value, Mapping) or not depth:
        return set()
    own = value.get("required")
    names = {name for name in own if isinstance(name, str)} if isinstance(own, list) else set()
    for word, joined in (("allOf", set.union), ("anyOf", set.intersection), ("oneOf", set.intersection)):
        parts = value.get(word)
        objects = [part for part in parts if _takes_objects(part, root)] if isinstance(parts, list) else []
        if objects:
            names |= joined(*(_required(part, root, depth - 1) for part in objects))
    if isinstance(value.get("$ref"), str):
        names |= _required(referred(value["$ref"], root), root, depth - 1)
    return names


def _takes_objects(value: Any, root: Any) -> bool:
    variants = list(_variants(value, root, DEEPEST))
    types = [variant["type"] for variant in variants if "type" in variant]
    return not types or any("object" in str(type_).lower() for type_ in types)


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


def _unsaid(wanted: _Schema, offered: _Schema, said: str, place: str, depth: int) -> Iterator[str]:
    named, required, demanded = offered.properties(), wanted.required(), offered.required()
    for name, value in wanted.properties().items() if depth else ():
        here = f"{place}.{name}" if place else name
        if name not in named:
            continue  # it is lost whole
        if name in required - demanded:
            yield f"that `{here}` is required"
        if name in demanded - required and not (value.may_be_nothing() or named[name].may_be_nothing()):
            yield f"that `{here}` may be left out"
        if any(text not in said and json.dumps(text, ensure_ascii=False)[1:-1] not in said for text in value.values()):
            yield f"which values `{here}` takes"
        if any(
            flat(text) not in said and flat(json.dumps(text, ensure_ascii=False)[1:-1]) not in said
            for text in value.meanings()
        ):
            yield f"what `{here}` means"
        yield from _unsaid(value, named[name], said, here, depth - 1)
    inner, others = wanted.items(), offered.items()
    if depth and inner is not None and others is not None:
        yield from _unsaid(inner, others, said, f"{place}[]", depth - 1)


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
