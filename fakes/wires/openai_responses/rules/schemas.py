"""The schemas of the functions' parameters: the faults that chat completions find too, and those of strict mode.

A function that does not say `strict` is made strict where that is possible, and is never refused for it: recorded.
"""

from collections.abc import Callable
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules import strict_schemas
from fakes.wires.openai_responses.errors import envelope
from fakes.wires.openai_responses.rules.samples import TOOL, asking, cite, offering, offering_schema
from fakes.wires.openai_responses.rules.tools import refused_schema
from fakes.wires.openai_shared import schema_faults
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import wrong_type

ITEM_RULES = ItemRules(envelope, "tools")

Fault = Callable[[Any], str | None]

_OFFERED = asking(tools=[TOOL])
_CITY = {"type": "string"}


def _strictly(**changes: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": _CITY}, "required": ["city"], "additionalProperties": False}
    schema |= changes
    return offering(strict=True, parameters={key: value for key, value in schema.items() if value is not None})


def _schema(fault: Fault) -> Callable[[RequestContext], Breach | None]:
    def found(context: RequestContext) -> Breach | None:
        tool = context.body.value
        if tool["type"] != "function" or tool.get("parameters") is None:
            return None
        said = fault(tool["parameters"])
        return None if said is None else refused_schema(context, said)

    return found


def _strict(fault: Fault) -> Callable[[RequestContext], Breach | None]:
    check = _schema(fault)
    return lambda context: check(context) if context.body.value.get("strict") is True else None


@ITEM_RULES.rule(
    "openai/responses-schema-not-object",
    why="the parameters are no schema: a list, or a text",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid type for 'tools[0].parameters': expected an object, but got an"
    ),
    breaking=offering(parameters=[]),
    accepted=_OFFERED,
)
def _not_object(context: RequestContext) -> Breach | None:
    tool = context.body.value
    parameters = tool.get("parameters") if tool["type"] == "function" else None
    if parameters is None or isinstance(parameters, dict | bool):
        return None
    return wrong_type(f"{context.body.place}.parameters", "an object", parameters)


ITEM_RULES.rule(
    "openai/responses-schema-type-unknown",
    why="a type in the parameters is none of JSON Schema's",
    confidence="inferred",
    evidence=cite("the sentence of chat completions"),
    breaking=offering_schema(city={"type": "str"}),
    accepted=offering_schema(city={"type": "string"}),
)(_schema(schema_faults.type_unknown))

ITEM_RULES.rule(
    "openai/responses-schema-required-not-list",
    why="`required` stands on a property as true, and not as a list beside the properties",
    confidence="inferred",
    evidence=cite("the sentence of chat completions"),
    breaking=offering_schema(city={"type": "string", "required": True}),
    accepted=offering_schema(city={"type": "string"}),
)(_schema(schema_faults.required_not_list))

ITEM_RULES.rule(
    "openai/responses-schema-root-type",
    why="the parameters are a schema of another type than object, or of none",
    confidence="recorded",
    evidence=cite(
        "recorded exchange, gpt-3.5-turbo", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \""
    ),
    breaking=offering(parameters={"type": "array", "items": {"type": "string"}, "properties": {}}),
    accepted=offering(parameters={"type": "object", "items": {"type": "string"}, "properties": {}}),
)(_schema(schema_faults.root_type))

ITEM_RULES.rule(
    "openai/responses-schema-root-union",
    why="the parameters are a union at the top",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, nspady/google-calendar-mcp#39"),
    breaking=offering(parameters={"type": "object", "properties": {}, "anyOf": [{"required": []}]}),
    accepted=offering(parameters={"type": "object", "properties": {}}),
)(_schema(schema_faults.root_union))

ITEM_RULES.rule(
    "openai/responses-schema-without-properties",
    why="the parameters are an object without `properties`",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, recorded there"),
    breaking=offering(parameters={"type": "object"}),
    accepted=offering(parameters={"type": "object", "properties": {}}),
)(_schema(schema_faults.without_properties))

ITEM_RULES.rule(
    "openai/responses-schema-array-without-items",
    why="an array in the parameters does not say what its items are",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, sigoden/aichat#1049"),
    breaking=offering_schema(cities={"type": "array"}),
    accepted=offering_schema(cities={"type": "array", "items": {"type": "string"}}),
)(_schema(schema_faults.array_without_items))

_further_properties = _strict(strict_schemas.further_properties)

ITEM_RULES.rule(
    "openai/responses-strict-further-properties",
    why="a strict tool does not forbid further properties",
    models="all but gpt-4o-mini, which was seen to accept it",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o", "'additionalProperties' is required to be supplied and to be false."),
    breaking=_strictly(additionalProperties=None),
    accepted=_strictly(),
)(lambda context: None if "completes-schemas" in context.traits else _further_properties(context))

ITEM_RULES.rule(
    "openai/responses-strict-optional-property",
    why="a strict tool leaves a property optional",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o-mini", "an array including every key in properties. Missing 'unit'."),
    breaking=_strictly(required=[]),
    accepted=_strictly(),
)(_strict(strict_schemas.optional_property))

ITEM_RULES.rule(
    "openai/responses-strict-not-permitted",
    why="a strict tool has a keyword that strict mode does not know, such as `oneOf` or `uniqueItems`",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties','metadata'), 'propertyNames' is not permitted."
    ),
    breaking=_strictly(properties={"city": {**_CITY, "propertyNames": {"type": "string"}}}),
    accepted=_strictly(properties={"city": _CITY}),
)(_strict(strict_schemas.not_permitted))

ITEM_RULES.rule(
    "openai/responses-strict-untyped",
    why="a strict tool has a property without a type",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, apexive/odoo-llm#212"),
    breaking=_strictly(properties={"city": {}}),
    accepted=_strictly(properties={"city": _CITY}),
)(_strict(strict_schemas.untyped))
