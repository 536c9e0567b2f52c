"""Rules of strict mode on the schemas of tools."""

from collections.abc import Callable
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.samples import cite, sample_with_tool
from fakes.wires.openai_chat.rules.schemas import ITEM_RULES, refused_schema
from fakes.wires.openai_chat.rules.tools import function_of
from fakes.wires.openai_shared.schema_faults import nodes

__all__ = ["ITEM_RULES", "strict_fault"]

UNTYPED: Final = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")
"""A schema with one of these keywords needs no type."""

NOT_PERMITTED: Final = ("allOf", "oneOf", "propertyNames", "uniqueItems", "contains", "if")
"""Keywords that refusals name; `anyOf`, `const`, formats and limits were recorded as accepted."""

_STRING = {"type": "string"}


def _sample_strict(schema: dict[str, Any]) -> dict[str, Any]:
    return sample_with_tool(strict=True, parameters=schema)


def _schema(**changes: Any) -> dict[str, Any]:
    properties = {"city": _STRING}
    return {"type": "object", "properties": properties, "required": ["city"], "additionalProperties": False, **changes}


def _strict_check(check: Callable[[Any], str | None]) -> Callable[[RequestContext], Breach | None]:
    def found(context: RequestContext) -> Breach | None:
        function = function_of(context.body)
        if function is None or function.get("strict") is not True:
            return None
        # Even without parameters, strict mode requires `additionalProperties`: recorded.
        fault = check(function.get("parameters", {"type": "object"}))
        return None if fault is None else refused_schema(context, function, fault)

    return found


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
        every = "'required' is required to be supplied and to be an array including every key in properties."
        for name in properties:
            if not isinstance(required, list) or name not in required:
                return f"In context={path}, {every} Missing '{name}'."
        for name in required if isinstance(required, list) else ():
            if name not in properties:
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


ITEM_RULES.rule(
    "openai/strict-further-properties",
    why="A strict tool does not set `additionalProperties` to false.",
    confidence="recorded",
    evidence=cite("recorded exchanges, gpt-4o-mini, gpt-4-turbo", "'additionalProperties' is required to be supplied"),
    breaking=_sample_strict({name: value for name, value in _schema().items() if name != "additionalProperties"}),
    accepted=_sample_strict(_schema()),
)(_strict_check(further_properties))

ITEM_RULES.rule(
    "openai/strict-optional-property",
    why="A strict tool has an optional property.",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4", "an array including every key in properties. Missing 'occupation'."),
    breaking=_sample_strict(_schema(required=[])),
    accepted=_sample_strict(_schema()),
)(_strict_check(optional_property))

ITEM_RULES.rule(
    "openai/strict-not-permitted",
    why="A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties', 'patch'), 'propertyNames' is not permitted."
    ),
    breaking=_sample_strict(_schema(properties={"city": {**_STRING, "propertyNames": {"type": "string"}}})),
    accepted=_sample_strict(_schema(properties={"city": _STRING})),
)(_strict_check(not_permitted))

ITEM_RULES.rule(
    "openai/strict-untyped",
    why="A strict tool has a property without a type.",
    confidence="verbatim",
    evidence=(
        *cite(
            "apexive/odoo-llm#212", "In context=('properties', 'method_name_filter'), schema must have a 'type' key."
        ),
        *cite("crmne/ruby_llm#480"),
    ),
    breaking=_sample_strict(_schema(properties={"city": {}})),
    accepted=_sample_strict(_schema(properties={"city": _STRING})),
)(_strict_check(untyped))
