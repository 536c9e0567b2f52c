"""What OpenAI's strict mode reports about the schema of a tool or of a response. Knows no endpoint."""

from typing import Any, Final

from fake_providers.wires.openai_shared.schema_faults import nodes

UNTYPED: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
"""A schema with one of these keywords needs no type."""


NOT_PERMITTED: Final = ("allOf", "oneOf", "propertyNames", "uniqueItems", "contains", "if")
"""Keywords that refusals name; `anyOf`, `const`, formats and limits were recorded as accepted."""


def strict_fault(schema: Any) -> str | None:
    """The first error that strict mode reports for a schema, or None."""
    return further_properties(schema) or optional_property(schema) or not_permitted(schema) or untyped(schema)


def further_properties(schema: Any) -> str | None:
    for path, node in nodes(schema):
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            return f"In context={path}, 'additionalProperties' is required to be supplied and to be false."
    return None


def optional_property(schema: Any) -> str | None:
    for path, node in nodes(schema):
        properties, required = node.get("properties"), node.get("required")
        if not isinstance(properties, dict):
            continue
        named = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set()
        every = "'required' is required to be supplied and to be an array including every key in properties."
        for name in properties:
            if name not in named:
                return f"In context={path}, {every} Missing '{name}'."
        for name in required if isinstance(required, list) else ():
            if not isinstance(name, str) or name not in properties:
                return f"In context={path}, {every} Extra required key '{name}' supplied."
    return None


def not_permitted(schema: Any) -> str | None:
    for path, node in nodes(schema):
        for keyword in NOT_PERMITTED:
            if keyword in node:
                return f"In context={path}, '{keyword}' is not permitted."
    return None


def untyped(schema: Any) -> str | None:
    for path, node in nodes(schema):
        if path and not any(key in node for key in UNTYPED):
            return f"In context={path}, schema must have a 'type' key."
    return None
