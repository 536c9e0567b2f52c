"""The schemas of the tools' parameters: what every model refuses, strict mode or not."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from fakes.openai_chat.errors import envelope
from fakes.openai_chat.rules.sources import TOOL, asking, offering, offering_schema, seen
from fakes.openai_chat.rules.tools import function_of
from fakes.openai_chat.rules.walk import Walk
from fakes.openai_chat.rules.wording import broken
from fakes.rulebook import Asked, Broken

WALK = Walk(envelope, "tools")

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
UNIONS: Final = ("oneOf", "anyOf", "allOf", "enum", "not")

_OFFERED = asking(tools=[TOOL])

Node = tuple[tuple[str, ...], dict[str, Any]]
"""A schema inside a schema, after the path to it: `('properties', 'city')`."""


def nodes(schema: Any) -> Iterator[Node]:
    """Every schema inside this one, itself first, in the order of reading. References are not followed."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        yield path, node
        waiting += reversed([((*path, *step), child) for step, child in _children(node)])


def _children(node: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key in ("properties", "$defs", "definitions"):
        if isinstance(node.get(key), dict):
            yield from (((key, name), child) for name, child in node[key].items())
    for key in ("items", "additionalProperties"):
        yield (key,), node.get(key)
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(node.get(key), list):
            yield from (((key, str(index)), child) for index, child in enumerate(node[key]))


def schema_check(check: Callable[[Any], str | None]) -> Callable[[Asked], Broken | None]:
    """A check of the parameters of each function that has some; it answers with what is wrong with them."""

    def found(asked: Asked) -> Broken | None:
        function = function_of(asked.body)
        if function is None or "parameters" not in function:
            return None
        fault = check(function["parameters"])
        return None if fault is None else refused_schema(asked, function, fault)

    return found


def refused_schema(asked: Asked, function: dict[str, Any], fault: str) -> Broken:
    param = f"{asked.body.place}.function.parameters"
    return broken(param, f"Invalid schema for function '{function['name']}': {fault}", "invalid_function_parameters")


@WALK.rule(
    "openai/schema-not-object",
    why="the parameters are no schema: null, or a list",
    confidence="verbatim",
    evidence=(
        *seen("FoundationAgents/OpenManus#1162", "[] is not of type 'object', 'boolean'."),
        *seen("rossoctl/examples#856", "None is not of type 'object', 'boolean'"),
    ),
    breaking=offering(parameters=[]),
    accepted=_OFFERED,
)
@schema_check
def _not_object(schema: Any) -> str | None:
    return None if isinstance(schema, dict | bool) else f"{schema!r} is not of type 'object', 'boolean'."


@WALK.rule(
    "openai/schema-type-unknown",
    why="a type in the parameters is none of JSON Schema's",
    confidence="reported",
    evidence=seen("reported for `str` and `int`; the words are those of the validator that the other sentences show"),
    breaking=offering_schema(city={"type": "str"}),
    accepted=offering_schema(city={"type": "string"}),
)
@schema_check
def _type_unknown(schema: Any) -> str | None:
    for _, node in nodes(schema):
        kind = node.get("type")
        if isinstance(kind, str) and kind not in TYPES:
            return f"{kind!r} is not valid under any of the given schemas."
    return None


@WALK.rule(
    "openai/schema-required-not-list",
    why="`required` stands on a property as true, and not as a list beside the properties",
    confidence="reported",
    evidence=seen("reported for `required: true`; the words are those of the validator that the other sentences show"),
    breaking=offering_schema(city={"type": "string", "required": True}),
    accepted=offering_schema(city={"type": "string"}),
)
@schema_check
def _required_not_list(schema: Any) -> str | None:
    for _, node in nodes(schema):
        if "required" in node and not isinstance(node["required"], list):
            return f"{node['required']!r} is not of type 'array'."
    return None


@WALK.rule(
    "openai/schema-root-type",
    why="the parameters are a schema of another type than object, or of none",
    confidence="verbatim",
    evidence=seen("vercel/ai#1485", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"),
    breaking=offering(parameters={"type": "array", "items": {"type": "string"}, "properties": {}}),
    accepted=offering(parameters={"type": "object", "items": {"type": "string"}, "properties": {}}),
)
@schema_check
def _root_type(schema: Any) -> str | None:
    # An empty schema is let through: it stands in bodies of the probes that were refused for something else.
    if not isinstance(schema, dict) or not schema:
        return None
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, list) and "object" in kind):
        return None
    return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."


@WALK.rule(
    "openai/schema-root-union",
    why="the parameters are a union at the top",
    confidence="verbatim",
    evidence=seen("nspady/google-calendar-mcp#39", "schema must have type 'object' and not have 'oneOf'/'anyOf'"),
    breaking=offering(parameters={"type": "object", "properties": {}, "anyOf": [{"required": []}]}),
    accepted=offering(parameters={"type": "object", "properties": {}}),
)
@schema_check
def _root_union(schema: Any) -> str | None:
    if not isinstance(schema, dict) or not any(union in schema for union in UNIONS):
        return None
    return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."


@WALK.rule(
    "openai/schema-without-properties",
    why="the parameters are an object without `properties`",
    confidence="recorded",
    evidence=(
        *seen("recorded exchange, gpt-4o-mini", "In context=(), object schema missing properties."),
        *seen("github/github-mcp-server#1548"),
        *seen("spring-projects/spring-ai#4776"),
    ),
    breaking=offering(parameters={"type": "object"}),
    accepted=offering(parameters={"type": "object", "properties": {}}),
)
@schema_check
def _without_properties(schema: Any) -> str | None:
    if not isinstance(schema, dict) or schema.get("type") != "object" or "properties" in schema:
        return None
    return "In context=(), object schema missing properties."


@WALK.rule(
    "openai/schema-array-without-items",
    why="an array in the parameters does not say what its items are",
    confidence="verbatim",
    evidence=(
        *seen("sigoden/aichat#1049", "In context=('properties', 'paths'), array schema missing items."),
        *seen("campfirein/byterover-cli#42", "In context=('properties', 'interaction', 'type', '1')"),
        *seen("PrefectHQ/fastmcp#2464", "In context=('properties', 'figsize', 'anyOf', '0')"),
    ),
    breaking=offering_schema(cities={"type": "array"}),
    accepted=offering_schema(cities={"type": "array", "items": {"type": "string"}}),
)
@schema_check
def _array_without_items(schema: Any) -> str | None:
    for path, node in nodes(schema):
        kind = node.get("type")
        if "items" in node:
            continue
        if kind == "array":
            return f"In context={path}, array schema missing items."
        if isinstance(kind, list) and "array" in kind:
            return f"In context={(*path, 'type', str(kind.index('array')))}, array schema missing items."
    return None
