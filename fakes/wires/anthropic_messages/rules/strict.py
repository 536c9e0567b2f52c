"""Rules of the compiler behind `strict` tools and structured output. Knows schemas and nothing of messages."""

from collections.abc import Iterator
from typing import Any

from fakes.rule import Citation
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.anthropic_messages.errors import envelope
from fakes.wires.anthropic_messages.rules import schemas
from fakes.wires.anthropic_messages.rules.tool_examples import TOOL_PROBES, ask
from fakes.wires.anthropic_messages.rules.tools import custom

BOOK = Rulebook(envelope)

LIMITS = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_limits"
MATRIX = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_matrix"
MOST_TOOLS = 20
TEXT = {"type": "string"}
SIZES = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
UNSUPPORTED = {
    "integer": SIZES,
    "number": SIZES,
    "array": frozenset({"maxItems", "uniqueItems", "contains"}),
    "object": frozenset({"propertyNames", "minProperties", "if"}),
}
"""The keywords that were seen to be refused, by type. Of those for strings some were seen to be taken."""
MOST_OPTIONAL = 24
MOST_UNIONS = 16


def strict_schemas(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, tool in custom(context):
        if tool.get("strict") is True and isinstance(tool.get("input_schema"), dict):
            yield path, tool["input_schema"]


def compiled(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that is compiled to a grammar, with the path that the sentences name."""
    yield from strict_schemas(context)
    config = context.body.get("output_config")
    for path, wanted in (
        ("output_config.format.schema", config.get("format") if isinstance(config, dict) else None),
        ("output_format.schema", context.body.get("output_format")),
    ):
        if isinstance(wanted, dict) and isinstance(wanted.get("schema"), dict):
            yield path, wanted["schema"]


def one(**schema: Any) -> dict[str, Any]:
    whole = {"type": "object", "properties": {}, "additionalProperties": False, **schema}
    return {"name": "f", "strict": True, "input_schema": whole}


def properties(count: int, kind: Any) -> dict[str, Any]:
    return {f"p{index:02}": {"type": kind} for index in range(count)}


@BOOK.rule(
    "anthropic/strict-open-object",
    why="every object of a strict schema or of structured output says `additionalProperties: false`",
    confidence="recorded",
    evidence=(
        Citation(
            TOOL_PROBES, "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false"
        ),
        Citation("maruel/genai GenSync-JSON.yaml", "output_config.format.schema: For 'object' type"),
    ),
    breaking=ask(tools=[one() | {"input_schema": {"type": "object"}}]),
    accepted=ask(tools=[one() | {"input_schema": {"type": "object", "additionalProperties": False}}]),
)
def strict_open_object(context: RequestContext) -> Breach | None:
    for path, schema in compiled(context):
        if any(
            schemas.is_object(node) and node.get("additionalProperties") is not False for node in schemas.nodes(schema)
        ):
            return Breach(path, f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    return None


@BOOK.rule(
    "anthropic/strict-boolean-schema",
    why="a property of a strict schema has a schema, not true or false",
    confidence="recorded",
    evidence=(Citation(MATRIX, "tools.0.custom: For 'object' type, property 'properties' is not supported"),),
    breaking=ask(tools=[one(properties={"a": True}, required=["a"])]),
    accepted=ask(tools=[one(properties={"a": {"type": "string"}}, required=["a"])]),
)
def strict_boolean_schema(context: RequestContext) -> Breach | None:
    for path, schema in compiled(context):
        for node in schemas.nodes(schema):
            members = node.get("properties")
            if isinstance(members, dict) and any(isinstance(member, bool) for member in members.values()):
                return Breach(path, f"{path}: For 'object' type, property 'properties' is not supported")
    return None


@BOOK.rule(
    "anthropic/strict-keyword",
    why="a strict schema or structured output says of which types values are, not how large, how many or how named",
    confidence="verbatim",
    evidence=(
        Citation(
            "agentjido/req_llm#302", "output_format.schema: For 'integer' type, property 'minimum' is not supported"
        ),
        Citation("elie222/inbox-zero#1988"),
        Citation(
            "requests measured by users", "tools.0.custom: For 'array' type, property 'maxItems' is not supported"
        ),
        Citation("requests measured by users", "For 'integer' type, properties maximum, minimum are not supported"),
        Citation("requests measured by users", "For 'object' type, property 'propertyNames' is not supported"),
    ),
    breaking=ask(tools=[one(properties={"a": {"type": "integer", "minimum": 1}}, required=["a"])]),
    accepted=ask(tools=[one(properties={"a": {"type": "integer"}}, required=["a"])]),
)
def strict_keyword(context: RequestContext) -> Breach | None:
    for path, schema in compiled(context):
        for node in schemas.nodes(schema):
            for kind in schemas.types(node):
                found = sorted(UNSUPPORTED.get(kind, frozenset()) & node.keys())
                if found:
                    named = f"property '{found[0]}' is" if len(found) == 1 else f"properties {', '.join(found)} are"
                    return Breach(path, f"{path}: For '{kind}' type, {named} not supported")
    return None


@BOOK.rule(
    "anthropic/strict-min-items",
    why="a list of a strict schema or of structured output is asked to have one item at most",
    confidence="verbatim",
    evidence=(
        Citation(
            "ghostlobster/memorize-everything#93",
            "output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported",
        ),
    ),
    breaking=ask(tools=[one(properties={"a": {"type": "array", "items": TEXT, "minItems": 2}}, required=["a"])]),
    accepted=ask(tools=[one(properties={"a": {"type": "array", "items": TEXT, "minItems": 1}}, required=["a"])]),
)
def strict_min_items(context: RequestContext) -> Breach | None:
    for path, schema in compiled(context):
        for node in schemas.nodes(schema):
            if "array" in schemas.types(node) and node.get("minItems", 0) not in (0, 1):
                return Breach(path, f"{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    return None


@BOOK.rule(
    "anthropic/strict-circular-schema",
    why="a definition of a strict schema does not lead back to itself",
    confidence="recorded",
    evidence=(Citation(MATRIX, "Invalid schema: Circular reference detected in schema definitions: Node -> Node."),),
    breaking=ask(tools=[one(**{"$defs": {"N": {"items": {"$ref": "#/$defs/N"}}, "M": {"type": "string"}}})]),
    accepted=ask(tools=[one(**{"$defs": {"N": {"items": {"$ref": "#/$defs/M"}}, "M": {"type": "string"}}})]),
)
def strict_circular_schema(context: RequestContext) -> Breach | None:
    for path, schema in compiled(context):
        if pair := schemas.cycle(schema):
            return Breach(
                path,
                f"{path}: Invalid schema: Circular reference detected in schema definitions: {pair[0]} -> {pair[1]}. "
                "Self-referencing or mutually-referencing definitions are not supported.",
            )
    return None


@BOOK.rule(
    "anthropic/strict-too-many-tools",
    why="at most 20 tools are strict",
    confidence="recorded",
    evidence=(Citation(LIMITS, "Too many strict tools (21). The maximum number of strict tools supported is 20."),),
    breaking=ask(tools=[one() | {"name": f"f{index}"} for index in range(21)]),
    accepted=ask(tools=[one() | {"name": f"f{index}"} for index in range(20)]),
)
def strict_too_many_tools(context: RequestContext) -> Breach | None:
    found = sum(1 for _ in strict_schemas(context))
    if found <= MOST_TOOLS:
        return None
    return Breach(
        "tools",
        f"Too many strict tools ({found}). The maximum number of strict tools supported is {MOST_TOOLS}. Try reducing "
        "the number of tools marked as strict.",
    )


@BOOK.rule(
    "anthropic/strict-too-many-optional",
    why="strict schemas have at most 24 optional properties together",
    confidence="recorded",
    evidence=(Citation(LIMITS, "Schemas contains too many optional parameters (25)"),),
    breaking=ask(tools=[one(properties=properties(25, "string"), required=[])]),
    accepted=ask(tools=[one(properties=properties(25, "string"), required=["p00", "p01", "p02"])]),
)
def strict_too_many_optional(context: RequestContext) -> Breach | None:
    found = sum(
        schemas.optional_properties(node) for _, schema in strict_schemas(context) for node in schemas.nodes(schema)
    )
    if found <= MOST_OPTIONAL:
        return None
    return Breach(
        "tools",
        f"Schemas contains too many optional parameters ({found}), which would make grammar compilation inefficient. "
        f"Reduce the number of optional parameters in your tool schemas (limit: {MOST_OPTIONAL}).",
    )


@BOOK.rule(
    "anthropic/strict-too-many-unions",
    why="strict schemas have at most 16 properties with a union of types together",
    confidence="recorded",
    evidence=(Citation(LIMITS, "Schemas contains too many parameters with union types (17 parameters"),),
    breaking=ask(tools=[one(properties=properties(17, ["string", "null"]))]),
    accepted=ask(tools=[one(properties=properties(16, ["string", "null"]))]),
)
def strict_too_many_unions(context: RequestContext) -> Breach | None:
    found = sum(schemas.is_union(node) for _, schema in strict_schemas(context) for node in schemas.nodes(schema))
    if found <= MOST_UNIONS:
        return None
    return Breach(
        "tools",
        f"Schemas contains too many parameters with union types ({found} parameters with type arrays or anyOf). This "
        "causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: "
        f"{MOST_UNIONS} parameters with unions).",
    )
