"""Rules on the schemas of the functions' parameters: the errors that chat completions report too, and those of strict
mode.

A function without `strict` is made strict if that is possible, and is never refused for it: recorded.
"""

from collections.abc import Callable
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_responses.errors import envelope
from fakes.wires.openai_responses.rules.samples import (
    TOOL,
    cite,
    sample_request,
    sample_with_properties,
    sample_with_tool,
)
from fakes.wires.openai_responses.rules.tools import refused_schema
from fakes.wires.openai_shared import schema_faults, strict_schemas
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import wrong_type

ITEM_RULES = ItemRules(envelope, "tools")

Fault = Callable[[Any], str | None]

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])
_STRING = {"type": "string"}


def _sample_strict(**changes: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": _STRING}, "required": ["city"], "additionalProperties": False}
    schema |= changes
    return sample_with_tool(strict=True, parameters={key: value for key, value in schema.items() if value is not None})


def _schema(fault: Fault) -> Callable[[RequestContext], Breach | None]:
    def found(context: RequestContext) -> Breach | None:
        tool = context.body.value
        if tool["type"] != "function" or tool.get("parameters") is None:
            return None
        error = fault(tool["parameters"])
        return None if error is None else refused_schema(context, error)

    return found


def _strict(fault: Fault) -> Callable[[RequestContext], Breach | None]:
    check = _schema(fault)
    return lambda context: check(context) if context.body.value.get("strict") is True else None


@ITEM_RULES.rule(
    "openai/responses-schema-not-object",
    why="The parameters are not a schema but, for example, a list or a text.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid type for 'tools[0].parameters': expected an object, but got an"
    ),
    breaking=sample_with_tool(parameters=[]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _not_object(context: RequestContext) -> Breach | None:
    tool = context.body.value
    parameters = tool.get("parameters") if tool["type"] == "function" else None
    if parameters is None or isinstance(parameters, dict | bool):
        return None
    return wrong_type(f"{context.body.place}.parameters", "an object", parameters)


ITEM_RULES.rule(
    "openai/responses-schema-type-unknown",
    why="A type in the parameters is not a type of JSON Schema.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions"),
    breaking=sample_with_properties(city={"type": "str"}),
    accepted=sample_with_properties(city={"type": "string"}),
)(_schema(schema_faults.type_unknown))

ITEM_RULES.rule(
    "openai/responses-schema-required-not-list",
    why="`required` is a boolean on a property instead of a list next to the properties.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions"),
    breaking=sample_with_properties(city={"type": "string", "required": True}),
    accepted=sample_with_properties(city={"type": "string"}),
)(_schema(schema_faults.required_not_list))

ITEM_RULES.rule(
    "openai/responses-schema-root-type",
    why="The parameters are not of type object.",
    confidence="recorded",
    evidence=cite(
        "recorded exchange, gpt-3.5-turbo", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \""
    ),
    breaking=sample_with_tool(parameters={"type": "array", "items": {"type": "string"}, "properties": {}}),
    accepted=sample_with_tool(parameters={"type": "object", "items": {"type": "string"}, "properties": {}}),
)(_schema(schema_faults.root_type))

ITEM_RULES.rule(
    "openai/responses-schema-root-union",
    why="The parameters are a union at the top level.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, nspady/google-calendar-mcp#39"),
    breaking=sample_with_tool(parameters={"type": "object", "properties": {}, "anyOf": [{"required": []}]}),
    accepted=sample_with_tool(parameters={"type": "object", "properties": {}}),
)(_schema(schema_faults.root_union))

ITEM_RULES.rule(
    "openai/responses-schema-without-properties",
    why="The parameters are an object without `properties`.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, recorded there"),
    breaking=sample_with_tool(parameters={"type": "object"}),
    accepted=sample_with_tool(parameters={"type": "object", "properties": {}}),
)(_schema(schema_faults.without_properties))

ITEM_RULES.rule(
    "openai/responses-schema-array-without-items",
    why="An array in the parameters has no `items`.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, sigoden/aichat#1049"),
    breaking=sample_with_properties(cities={"type": "array"}),
    accepted=sample_with_properties(cities={"type": "array", "items": {"type": "string"}}),
)(_schema(schema_faults.array_without_items))

_further_properties = _strict(strict_schemas.further_properties)

ITEM_RULES.rule(
    "openai/responses-strict-further-properties",
    why="A strict tool does not set `additionalProperties` to false.",
    models="all but gpt-4o-mini, which was observed to accept it",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o", "'additionalProperties' is required to be supplied and to be false."),
    breaking=_sample_strict(additionalProperties=None),
    accepted=_sample_strict(),
)(lambda context: None if "completes-schemas" in context.traits else _further_properties(context))

ITEM_RULES.rule(
    "openai/responses-strict-optional-property",
    why="A strict tool has an optional property.",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o-mini", "an array including every key in properties. Missing 'unit'."),
    breaking=_sample_strict(required=[]),
    accepted=_sample_strict(),
)(_strict(strict_schemas.optional_property))

ITEM_RULES.rule(
    "openai/responses-strict-not-permitted",
    why="A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties','metadata'), 'propertyNames' is not permitted."
    ),
    breaking=_sample_strict(properties={"city": {**_STRING, "propertyNames": {"type": "string"}}}),
    accepted=_sample_strict(properties={"city": _STRING}),
)(_strict(strict_schemas.not_permitted))

ITEM_RULES.rule(
    "openai/responses-strict-untyped",
    why="A strict tool has a property without a type.",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, apexive/odoo-llm#212"),
    breaking=_sample_strict(properties={"city": {}}),
    accepted=_sample_strict(properties={"city": _STRING}),
)(_strict(strict_schemas.untyped))
