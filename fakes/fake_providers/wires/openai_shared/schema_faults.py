"""Errors that OpenAI finds in the schema of a tool's parameters, in its own words.

Each function returns the first error of its kind, as the text after `Invalid schema for function 'f': `, or None.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
UNIONS: Final = ("oneOf", "anyOf", "allOf", "enum", "not")

MAPS: Final = ("properties", "$defs", "definitions")
SINGLE: Final = ("items", "additionalProperties")
LISTS: Final = ("anyOf", "oneOf", "allOf")
WITH_CHILDREN: Final = frozenset((*MAPS, *SINGLE, *LISTS))
"""The keywords that contain other schemas."""

UNTYPED: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
"""A schema with one of these keywords needs no type."""
NOT_PERMITTED: Final = ("allOf", "oneOf", "propertyNames", "uniqueItems", "contains", "if")
"""Keywords that refusals name; `anyOf`, `const`, formats and limits were recorded as accepted."""

_NONE: Final[list[str]] = []

Node = tuple[tuple[str, ...], dict[str, Any]]
"""The path to a schema inside a schema, `('properties', 'city')`, and that schema."""


def nodes(schema: Any) -> Iterator[Node]:
    """This schema and every schema inside it, in document order. References are not followed."""
    pending: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while pending:
        path, node = pending.pop()
        if not isinstance(node, dict):
            continue
        yield path, node
        if not node.keys().isdisjoint(WITH_CHILDREN):
            pending += reversed([((*path, *keys), child) for keys, child in _children(node)])


def _children(node: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key in MAPS:
        if isinstance(node.get(key), dict):
            yield from (((key, name), child) for name, child in node[key].items())
    for key in SINGLE:
        if key in node:
            yield (key,), node[key]
    for key in LISTS:
        if isinstance(node.get(key), list):
            yield from (((key, str(index)), child) for index, child in enumerate(node[key]))


def has_fault_inside(schema: Any) -> bool:
    """Whether `type_unknown`, `required_not_list` or `array_without_items` find something. They read a schema of which
    nearly every one is right; without paths, and once for all three, this is much quicker.
    """
    pending = [schema]
    while pending:
        node = pending.pop()
        if not isinstance(node, dict):
            continue
        kind = node.get("type")
        if isinstance(kind, str):
            has_fault = kind not in TYPES or (kind == "array" and "items" not in node)
        else:
            has_fault = isinstance(kind, list) and "array" in kind and "items" not in node
        if has_fault or not isinstance(node.get("required", _NONE), list):
            return True
        if not node.keys().isdisjoint(WITH_CHILDREN):
            pending += _children_alone(node)
    return False


def _children_alone(node: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for key in WITH_CHILDREN & node.keys():
        value = node[key]
        if key in SINGLE:
            found.append(value)
        elif isinstance(value, dict) and key in MAPS:
            found += value.values()
        elif isinstance(value, list) and key in LISTS:
            found += value
    return found


Path = tuple[str, ...]


def _in_any_node(find: Callable[[Path, dict[str, Any]], str | None]) -> Callable[[Any], str | None]:
    """Makes the check of a schema from that of one node."""
    return lambda schema: next((fault for node in nodes(schema) if (fault := find(*node)) is not None), None)


@_in_any_node
def type_unknown(path: Path, node: dict[str, Any]) -> str | None:
    is_unknown = isinstance(node.get("type"), str) and node["type"] not in TYPES
    return f"{node['type']!r} is not valid under any of the given schemas." if is_unknown else None


@_in_any_node
def required_not_list(path: Path, node: dict[str, Any]) -> str | None:
    return None if isinstance(node.get("required", _NONE), list) else f"{node['required']!r} is not of type 'array'."


@_in_any_node
def array_without_items(path: Path, node: dict[str, Any]) -> str | None:
    kind = node.get("type")
    if "items" in node or (kind != "array" and not (isinstance(kind, list) and "array" in kind)):
        return None
    inside = path if kind == "array" else (*path, "type", str(kind.index("array")))
    return f"In context={inside}, array schema missing items."


@_in_any_node
def further_properties(path: Path, node: dict[str, Any]) -> str | None:
    is_closed = node.get("type") != "object" or node.get("additionalProperties") is False
    words = f"In context={path}, 'additionalProperties' is required to be supplied and to be false."
    return None if is_closed else words


@_in_any_node
def optional_property(path: Path, node: dict[str, Any]) -> str | None:
    properties, required = node.get("properties"), node.get("required")
    if not isinstance(properties, dict):
        return None
    listed = required if isinstance(required, list) else []
    named = {name for name in listed if isinstance(name, str)}
    every = "'required' is required to be supplied and to be an array including every key in properties."
    for name in properties:
        if name not in named:
            return f"In context={path}, {every} Missing '{name}'."
    for name in listed:
        if not isinstance(name, str) or name not in properties:
            return f"In context={path}, {every} Extra required key '{name}' supplied."
    return None


@_in_any_node
def not_permitted(path: Path, node: dict[str, Any]) -> str | None:
    found = next((keyword for keyword in NOT_PERMITTED if keyword in node), None)
    return None if found is None else f"In context={path}, '{found}' is not permitted."


@_in_any_node
def untyped(path: Path, node: dict[str, Any]) -> str | None:
    is_typed = not path or any(key in node for key in UNTYPED)
    return None if is_typed else f"In context={path}, schema must have a 'type' key."


def root_type(schema: Any) -> str | None:
    # An empty schema is accepted: it is in bodies of the probes that were refused for another reason.
    if not isinstance(schema, dict) or not schema:
        return None
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind):
        return None
    return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."


def root_union(schema: Any) -> str | None:
    if not isinstance(schema, dict) or not any(union in schema for union in UNIONS):
        return None
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."


def without_properties(schema: Any) -> str | None:
    if not isinstance(schema, dict) or schema.get("type") != "object" or "properties" in schema:
        return None
    return "In context=(), object schema missing properties."


def strict_fault(schema: Any) -> str | None:
    """The first error that strict mode reports for a schema, or None."""
    return further_properties(schema) or optional_property(schema) or not_permitted(schema) or untyped(schema)
