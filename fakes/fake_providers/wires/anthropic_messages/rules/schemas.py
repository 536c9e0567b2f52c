"""Walks JSON Schemas. Does not recurse, so that depth does not matter."""

from collections.abc import Iterator
from typing import Any

from jsonschema_rs import meta

MAPS = ("properties", "$defs", "definitions", "patternProperties")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLE = ("items", "additionalProperties", "not")


def is_schema(schema: dict[str, Any]) -> bool:
    """Whether it is a JSON Schema of draft 2020-12. A `$schema` that names another draft is ignored.

    At its root null stands for no `properties` or `required`: Anthropic's SDK types both as optional (`InputSchema`).
    """
    absent = {key for key in ("properties", "required") if key in schema and schema[key] is None}
    plain = {key: value for key, value in schema.items() if key != "$schema" and key not in absent}
    try:
        return meta.is_valid(plain)
    except (ValueError, RecursionError):
        return False


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all schemas inside it, in order."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield node
        waiting += reversed(list(children(node)))


def children(node: dict[str, Any]) -> Iterator[Any]:
    for key in MAPS:
        if isinstance(node.get(key), dict):
            yield from node[key].values()
    for key in LISTS:
        if isinstance(node.get(key), list):
            yield from node[key]
    for key in SINGLE:
        if key in node:
            yield node[key]


def types(node: dict[str, Any]) -> list[str]:
    kind = node.get("type")
    return [one for one in (kind if isinstance(kind, list) else [kind]) if isinstance(one, str)]


def is_object(node: dict[str, Any]) -> bool:
    return "object" in types(node)


def is_union(node: dict[str, Any]) -> bool:
    return isinstance(node.get("type"), list) or "anyOf" in node


def optional_properties(node: dict[str, Any]) -> int:
    properties = node.get("properties")
    required = node.get("required")
    if not isinstance(properties, dict):
        return 0
    named = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
    return sum(name not in named for name in properties)


def cycle(schema: dict[str, Any]) -> tuple[str, str] | None:
    """Two definitions that form a circular reference, the first referring to the second; twice the same name if it
    refers to itself."""
    definitions = {**_definitions(schema, "definitions"), **_definitions(schema, "$defs")}
    refers = {name: _references(value) & definitions.keys() for name, value in definitions.items()}
    circles = _circles(refers)
    for name in definitions:
        for target in sorted(refers[name]):
            if circles[target] == circles[name]:
                return name, target
    return None


def _definitions(schema: dict[str, Any], key: str) -> dict[str, Any]:
    value = schema.get(key)
    return value if isinstance(value, dict) else {}


def _references(schema: Any) -> set[str]:
    found = (node.get("$ref") for node in nodes(schema))
    return {ref.rsplit("/", 1)[-1] for ref in found if isinstance(ref, str) and ref.startswith("#/")}


def _circles(refers: dict[str, set[str]]) -> dict[str, str]:
    """One name for all definitions that refer to each other in a circle: each definition is visited twice.

    First in the order in which all that they refer to is left, then back from the last of them (Kosaraju's way).
    """
    referred: dict[str, set[str]] = {name: set() for name in refers}
    for name, targets in refers.items():
        for target in targets:
            referred[target].add(name)
    circles: dict[str, str] = {}
    for first in reversed(_left(refers)):
        waiting = [first]
        while waiting:
            name = waiting.pop()
            if name not in circles:
                circles[name] = first
                waiting += referred[name]
    return circles


def _left(refers: dict[str, set[str]]) -> list[str]:
    """The definitions, each after those that it refers to, as far as there is no circle."""
    left: list[str] = []
    seen: set[str] = set()
    for start in refers:
        waiting = [(start, False)]
        while waiting:
            name, is_done = waiting.pop()
            if is_done:
                left.append(name)
            elif name not in seen:
                seen.add(name)
                waiting.append((name, True))
                waiting += ((target, False) for target in refers[name])
    return left
