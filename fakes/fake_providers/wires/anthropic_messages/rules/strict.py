"""Rules of the schema compiler for `strict` tools and structured output."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import ALL_TOOLS, ANY_PART, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import schemas
from fake_providers.wires.anthropic_messages.rules.samples import TOOL_PROBES, sample_request
from fake_providers.wires.anthropic_messages.rules.tools import client_tools

BOOK = Rulebook(envelope)

LIMITS_CASSETTES = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_limits"
MATRIX_CASSETTES = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_matrix"
MOST_TOOLS = 20
TEXT = {"type": "string"}
SIZES = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
UNSUPPORTED = {
    "integer": SIZES,
    "number": SIZES,
    "array": frozenset({"maxItems", "uniqueItems", "contains"}),
    "object": frozenset({"propertyNames", "minProperties", "if"}),
}
"""The keywords that were observed to be refused, by type. Some keywords of strings were observed to be accepted."""
MOST_OPTIONAL = 24
MOST_UNIONS = 16


def strict_schemas(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, tool in client_tools(context):
        if tool.get("strict") is True and isinstance(tool.get("input_schema"), dict):
            yield path, tool["input_schema"]


def compiled_schemas(context: RequestContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that is compiled to a grammar, with the path that the sentences name."""
    yield from strict_schemas(context)
    config = context.body.get("output_config")
    for path, format_ in (
        ("output_config.format.schema", config.get("format") if isinstance(config, dict) else None),
        ("output_format.schema", context.body.get("output_format")),
    ):
        if isinstance(format_, dict) and isinstance(format_.get("schema"), dict):
            yield path, format_["schema"]


def strict_tool(**schema: Any) -> dict[str, Any]:
    input_schema = {"type": "object", "properties": {}, "additionalProperties": False, **schema}
    return {"name": "f", "strict": True, "input_schema": input_schema}


def sample_properties(count: int, kind: Any) -> dict[str, Any]:
    return {f"p{index:02}": {"type": kind} for index in range(count)}


def strict_open_object(context: RequestContext) -> Breach | None:
    for path, schema in compiled_schemas(context):
        if any(
            schemas.is_object(node) and node.get("additionalProperties") is not False for node in schemas.nodes(schema)
        ):
            return Breach(path, f"{path}: For 'object' type, 'additionalProperties' must be explicitly set to false")
    return None


def strict_boolean_schema(context: RequestContext) -> Breach | None:
    for path, schema in compiled_schemas(context):
        for node in schemas.nodes(schema):
            members = node.get("properties")
            if isinstance(members, dict) and any(isinstance(member, bool) for member in members.values()):
                return Breach(path, f"{path}: For 'object' type, property 'properties' is not supported")
    return None


def strict_keyword(context: RequestContext) -> Breach | None:
    for path, schema in compiled_schemas(context):
        for node in schemas.nodes(schema):
            for kind in schemas.types(node):
                keywords = sorted(UNSUPPORTED.get(kind, frozenset()) & node.keys())
                if keywords:
                    words = (
                        f"property '{keywords[0]}' is"
                        if len(keywords) == 1
                        else f"properties {', '.join(keywords)} are"
                    )
                    return Breach(path, f"{path}: For '{kind}' type, {words} not supported")
    return None


def strict_min_items(context: RequestContext) -> Breach | None:
    for path, schema in compiled_schemas(context):
        for node in schemas.nodes(schema):
            if "array" in schemas.types(node) and node.get("minItems", 0) not in (0, 1):
                return Breach(path, f"{path}: For 'array' type, 'minItems' values other than 0 or 1 are not supported")
    return None


def strict_circular_schema(context: RequestContext) -> Breach | None:
    for path, schema in compiled_schemas(context):
        if pair := schemas.cycle(schema):
            return Breach(
                path,
                f"{path}: Invalid schema: Circular reference detected in schema definitions: {pair[0]} -> {pair[1]}. "
                "Self-referencing or mutually-referencing definitions are not supported.",
            )
    return None


def strict_too_many_tools(context: RequestContext) -> Breach | None:
    count = sum(1 for _ in strict_schemas(context))
    if count <= MOST_TOOLS:
        return None
    return Breach(
        "tools",
        f"Too many strict tools ({count}). The maximum number of strict tools supported is {MOST_TOOLS}. Try reducing "
        "the number of tools marked as strict.",
    )


def strict_too_many_optional(context: RequestContext) -> Breach | None:
    count = sum(
        schemas.optional_properties(node) for _, schema in strict_schemas(context) for node in schemas.nodes(schema)
    )
    if count <= MOST_OPTIONAL:
        return None
    return Breach(
        "tools",
        f"Schemas contains too many optional parameters ({count}), which would make grammar compilation inefficient. "
        f"Reduce the number of optional parameters in your tool schemas (limit: {MOST_OPTIONAL}).",
    )


def strict_too_many_unions(context: RequestContext) -> Breach | None:
    count = sum(schemas.is_union(node) for _, schema in strict_schemas(context) for node in schemas.nodes(schema))
    if count <= MOST_UNIONS:
        return None
    return Breach(
        "tools",
        f"Schemas contains too many parameters with union types ({count} parameters with type arrays or anyOf). This "
        "causes exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: "
        f"{MOST_UNIONS} parameters with unions).",
    )


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/strict-open-object",
    "An object of a strict schema or of structured output lacks `additionalProperties: false`.",
    ANY_PART, strict_open_object, even_usual=True, needs=("output_config", "output_format", "strict"),
    wrong=sample_request(tools=[strict_tool() | {"input_schema": {"type": "object"}}]),
    right=sample_request(tools=[strict_tool() | {"input_schema": {"type": "object", "additionalProperties": False}}]),
    recorded={TOOL_PROBES: "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        "maruel/genai GenSync-JSON.yaml": "output_config.format.schema: For 'object' type"})
BOOK.row("anthropic/strict-boolean-schema",
    "A property of a strict schema or of structured output is true or false instead of a schema.",
    ANY_PART, strict_boolean_schema, even_usual=True, needs=("output_config", "output_format", "strict"),
    wrong=sample_request(tools=[strict_tool(properties={"a": True}, required=["a"])]),
    right=sample_request(tools=[strict_tool(properties={"a": {"type": "string"}}, required=["a"])]),
    recorded={MATRIX_CASSETTES: "tools.0.custom: For 'object' type, property 'properties' is not supported"})
BOOK.row("anthropic/strict-keyword",
    "A strict schema or structured output restricts the size, number or names of values, with `minimum`, "
        "`maxItems` and the like.",
    ANY_PART, strict_keyword, even_usual=True, needs=("output_config", "output_format", "strict"),
    wrong=sample_request(tools=[strict_tool(properties={"a": {"type": "integer", "minimum": 1}}, required=["a"])]),
    right=sample_request(tools=[strict_tool(properties={"a": {"type": "integer"}}, required=["a"])]),
    verbatim=(
        Citation("agentjido/req_llm#302",
        "output_format.schema: For 'integer' type, property 'minimum' is not supported"),
        Citation("elie222/inbox-zero#1988"),
        Citation("requests measured by users",
        "tools.0.custom: For 'array' type, property 'maxItems' is not supported"),
        Citation("requests measured by users", "For 'integer' type, properties maximum, minimum are not supported"),
        Citation("requests measured by users", "For 'object' type, property 'propertyNames' is not supported")))
BOOK.row("anthropic/strict-min-items", "`minItems` in a strict schema or in structured output is neither 0 nor 1.",
    ANY_PART, strict_min_items, even_usual=True, needs=("output_config", "output_format", "strict"),
    wrong=sample_request(
        tools=[strict_tool(properties={"a": {"type": "array", "items": TEXT, "minItems": 2}}, required=["a"])]),
    right=sample_request(
        tools=[strict_tool(properties={"a": {"type": "array", "items": TEXT, "minItems": 1}}, required=["a"])]),
    verbatim={"ghostlobster/memorize-everything#93":
        "output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported"})
BOOK.row("anthropic/strict-circular-schema",
    "A definition of a strict schema or of structured output refers to itself, directly or through others.",
    ANY_PART, strict_circular_schema, even_usual=True, needs=("output_config", "output_format", "strict"),
    wrong=sample_request(
        tools=[strict_tool(**{"$defs": {"N": {"items": {"$ref": "#/$defs/N"}}, "M": {"type": "string"}}})]),
    right=sample_request(
        tools=[strict_tool(**{"$defs": {"N": {"items": {"$ref": "#/$defs/M"}}, "M": {"type": "string"}}})]),
    recorded={MATRIX_CASSETTES: "Invalid schema: Circular reference detected in schema definitions: Node -> Node."})
BOOK.row("anthropic/strict-too-many-tools", "More than 20 tools are strict.",
    ALL_TOOLS, strict_too_many_tools, even_usual=True, needs="strict",
    wrong=sample_request(tools=[strict_tool() | {"name": f"f{index}"} for index in range(21)]),
    right=sample_request(tools=[strict_tool() | {"name": f"f{index}"} for index in range(20)]),
    recorded={LIMITS_CASSETTES: "Too many strict tools (21). The maximum number of strict tools supported is 20."})
BOOK.row("anthropic/strict-too-many-optional", "The strict schemas have more than 24 optional properties in total.",
    ALL_TOOLS, strict_too_many_optional, even_usual=True, needs="strict",
    wrong=sample_request(tools=[strict_tool(properties=sample_properties(25, "string"), required=[])]),
    right=sample_request(
        tools=[strict_tool(properties=sample_properties(25, "string"), required=["p00", "p01", "p02"])]),
    recorded={LIMITS_CASSETTES: "Schemas contains too many optional parameters (25)"})
BOOK.row("anthropic/strict-too-many-unions",
    "The strict schemas have more than 16 properties with a union of types in total.",
    ALL_TOOLS, strict_too_many_unions, even_usual=True, needs="strict",
    wrong=sample_request(tools=[strict_tool(properties=sample_properties(17, ["string", "null"]))]),
    right=sample_request(tools=[strict_tool(properties=sample_properties(16, ["string", "null"]))]),
    recorded={LIMITS_CASSETTES: "Schemas contains too many parameters with union types (17 parameters"})
# fmt: on
