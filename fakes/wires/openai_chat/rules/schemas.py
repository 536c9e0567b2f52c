"""Rules on the schemas of the tools' parameters that every model checks, in strict mode or not."""

from collections.abc import Callable
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.samples import TOOL, cite, sample_request, sample_with_properties, sample_with_tool
from fakes.wires.openai_chat.rules.tools import function_of
from fakes.wires.openai_shared import schema_faults
from fakes.wires.openai_shared.errors import envelope
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import breach, wrong_type

ITEM_RULES = ItemRules(envelope, "tools")

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


def schema_check(check: Callable[[Any], str | None]) -> Callable[[RequestContext], Breach | None]:
    """Makes a check of the parameters of each function; `check` returns the error in them, or None."""

    def found(context: RequestContext) -> Breach | None:
        function = function_of(context.body)
        if function is None or "parameters" not in function:
            return None
        fault = check(function["parameters"])
        return None if fault is None else refused_schema(context, function, fault)

    return found


def refused_schema(context: RequestContext, function: dict[str, Any], fault: str) -> Breach:
    param = f"{context.body.place}.function.parameters"
    return breach(param, f"Invalid schema for function '{function['name']}': {fault}", "invalid_function_parameters")


@ITEM_RULES.rule(
    "openai/schema-not-object",
    why="The parameters are not a schema but, for example, a list or a text; null counts as none.",
    confidence="verbatim",
    evidence=(
        *cite("public code that quotes it", "Invalid type for 'tools[0].function.parameters': expected an object, but"),
        *cite("FoundationAgents/OpenManus#1162, in other words, of 2025", "[] is not of type 'object', 'boolean'."),
        *cite("llmrb/llm.rb, a recorded exchange with gpt-4.1 where the parameters are null"),
    ),
    breaking=sample_with_tool(parameters=[]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _not_object(context: RequestContext) -> Breach | None:
    parameters = (function_of(context.body) or {}).get("parameters")
    if parameters is None or isinstance(parameters, dict | bool):
        return None
    return wrong_type(f"{context.body.place}.function.parameters", "an object", parameters)


ITEM_RULES.rule(
    "openai/schema-type-unknown",
    why="A type in the parameters is not a type of JSON Schema.",
    confidence="reported",
    evidence=cite("reported for `str` and `int`; the words are those of the validator that the other sentences show"),
    breaking=sample_with_properties(city={"type": "str"}),
    accepted=sample_with_properties(city={"type": "string"}),
)(schema_check(schema_faults.type_unknown))


ITEM_RULES.rule(
    "openai/schema-required-not-list",
    why="`required` is a boolean on a property instead of a list next to the properties.",
    confidence="reported",
    evidence=cite("reported for `required: true`; the words are those of the validator that the other sentences show"),
    breaking=sample_with_properties(city={"type": "string", "required": True}),
    accepted=sample_with_properties(city={"type": "string"}),
)(schema_check(schema_faults.required_not_list))


ITEM_RULES.rule(
    "openai/schema-root-type",
    why="The parameters are not of type object.",
    confidence="verbatim",
    evidence=cite("vercel/ai#1485", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"),
    breaking=sample_with_tool(parameters={"type": "array", "items": {"type": "string"}, "properties": {}}),
    accepted=sample_with_tool(parameters={"type": "object", "items": {"type": "string"}, "properties": {}}),
)(schema_check(schema_faults.root_type))


ITEM_RULES.rule(
    "openai/schema-root-union",
    why="The parameters are a union at the top level.",
    confidence="verbatim",
    evidence=cite("nspady/google-calendar-mcp#39", "schema must have type 'object' and not have 'oneOf'/'anyOf'"),
    breaking=sample_with_tool(parameters={"type": "object", "properties": {}, "anyOf": [{"required": []}]}),
    accepted=sample_with_tool(parameters={"type": "object", "properties": {}}),
)(schema_check(schema_faults.root_union))


ITEM_RULES.rule(
    "openai/schema-without-properties",
    why="The parameters are an object without `properties`.",
    confidence="recorded",
    evidence=(
        *cite("recorded exchange, gpt-4o-mini", "In context=(), object schema missing properties."),
        *cite("github/github-mcp-server#1548"),
        *cite("spring-projects/spring-ai#4776"),
    ),
    breaking=sample_with_tool(parameters={"type": "object"}),
    accepted=sample_with_tool(parameters={"type": "object", "properties": {}}),
)(schema_check(schema_faults.without_properties))


ITEM_RULES.rule(
    "openai/schema-array-without-items",
    why="An array in the parameters has no `items`.",
    confidence="verbatim",
    evidence=(
        *cite("sigoden/aichat#1049", "In context=('properties', 'paths'), array schema missing items."),
        *cite("campfirein/byterover-cli#42", "In context=('properties', 'interaction', 'type', '1')"),
        *cite("PrefectHQ/fastmcp#2464", "In context=('properties', 'figsize', 'anyOf', '0')"),
    ),
    breaking=sample_with_properties(cities={"type": "array"}),
    accepted=sample_with_properties(cities={"type": "array", "items": {"type": "string"}}),
)(schema_check(schema_faults.array_without_items))
