"""Rules of the schema compiler for `strict` tools and structured output."""

from collections.abc import Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation
from fake_providers.rulebook import ALL_TOOLS, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import members
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import schemas
from fake_providers.wires.anthropic_messages.rules.samples import TOOL_PROBES, sample_request
from fake_providers.wires.anthropic_messages.rules.tools import client_tools

BOOK = Rulebook(envelope)

LIMITS_CASSETTES = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_limits"
MATRIX_CASSETTES = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_matrix"
TEXT = {"type": "string"}
SIZES = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
UNSUPPORTED = {
    "integer": SIZES,
    "number": SIZES,
    "array": frozenset({"maxItems", "uniqueItems", "contains"}),
    "object": frozenset({"propertyNames", "minProperties", "if"}),
}
"""The keywords that were observed to be refused, by type. Some keywords of strings were observed to be accepted."""


def _strict_schemas(context: RequestContext) -> list[tuple[dict[str, Any], str]]:
    tools = [(tool.get("input_schema"), path) for tool, path in client_tools(context) if tool.get("strict") is True]
    return [(schema, path) for schema, path in tools if isinstance(schema, dict)]


def _strict_nodes(context: RequestContext) -> Iterator[dict[str, Any]]:
    for schema, _ in _strict_schemas(context):
        yield from schemas.nodes(schema)


def compiled_schemas(context: RequestContext) -> Iterator[tuple[dict[str, Any], str]]:
    """Every schema that is compiled to a grammar, with the path that the sentences name."""
    yield from _strict_schemas(context)
    body = context.body
    for path, format_ in (
        ("output_config.format.schema", members(body.get("output_config")).get("format")),
        ("output_format.schema", body.get("output_format")),
    ):
        if isinstance(schema := members(format_).get("schema"), dict):
            yield schema, path


COMPILING = ("output_config", "output_format", "strict")
COMPILED = Selector(compiled_schemas, "{path}", ("path",), "parts")


def _strict_tool(**schema: Any) -> dict[str, Any]:
    input_schema = {"type": "object", "properties": {}, "additionalProperties": False, **schema}
    return {"name": "f", "strict": True, "input_schema": input_schema}


def _sample(**schema: Any) -> dict[str, Any]:
    return sample_request(tools=[_strict_tool(**schema)])


def _properties(count: int, kind: Any) -> dict[str, Any]:
    return {f"p{index:02}": {"type": kind} for index in range(count)}


def _has_boolean(node: dict[str, Any]) -> bool:
    return any(isinstance(member, bool) for member in members(node.get("properties")).values())


def _refused_keywords(schema: dict[str, Any]) -> tuple[str, str] | None:
    for node in schemas.nodes(schema):
        for kind in schemas.types(node):
            if found := sorted(UNSUPPORTED.get(kind, frozenset()) & node.keys()):
                return kind, f"property '{found[0]}' is" if len(found) == 1 else f"properties {', '.join(found)} are"
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/strict-open-object",
    "An object of a strict schema or of structured output lacks `additionalProperties: false`.",
    COMPILED,
    lambda schema: any(schemas.is_object(node) and node.get("additionalProperties") is not False
        for node in schemas.nodes(schema)),
    "{at}: For 'object' type, 'additionalProperties' must be explicitly set to false", needs=COMPILING,
    remedy=remedies.CLOSE_OBJECTS,
    wrong=sample_request(tools=[_strict_tool() | {"input_schema": {"type": "object"}}]),
    right=sample_request(tools=[_strict_tool() | {"input_schema": {"type": "object", "additionalProperties": False}}]),
    recorded={TOOL_PROBES: "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        "maruel/genai GenSync-JSON.yaml": "output_config.format.schema: For 'object' type"})
BOOK.row("anthropic/strict-boolean-schema",
    "A property of a strict schema or of structured output is true or false instead of a schema.",
    COMPILED, lambda schema: any(map(_has_boolean, schemas.nodes(schema))),
    "{at}: For 'object' type, property 'properties' is not supported", needs=COMPILING, remedy=remedies.STRICT_KEYWORD,
    wrong=_sample(properties={"a": True}, required=["a"]),
    right=_sample(properties={"a": {"type": "string"}}, required=["a"]),
    recorded={MATRIX_CASSETTES: "tools.0.custom: For 'object' type, property 'properties' is not supported"})
BOOK.row("anthropic/strict-keyword",
    "A strict schema or structured output restricts the size, number or names of values, with `minimum`, "
        "`maxItems` and the like.",
    COMPILED, _refused_keywords, "{at}: For '{found[0]}' type, {found[1]} not supported", needs=COMPILING,
    remedy=remedies.STRICT_KEYWORD,
    wrong=_sample(properties={"a": {"type": "integer", "minimum": 1}}, required=["a"]),
    right=_sample(properties={"a": {"type": "integer"}}, required=["a"]),
    verbatim=(
        Citation("agentjido/req_llm#302",
        "output_format.schema: For 'integer' type, property 'minimum' is not supported"),
        Citation("elie222/inbox-zero#1988"),
        Citation("requests measured by users",
        "tools.0.custom: For 'array' type, property 'maxItems' is not supported"),
        Citation("requests measured by users", "For 'integer' type, properties maximum, minimum are not supported"),
        Citation("requests measured by users", "For 'object' type, property 'propertyNames' is not supported")))
BOOK.row("anthropic/strict-min-items", "`minItems` in a strict schema or in structured output is neither 0 nor 1.",
    COMPILED,
    lambda schema: any("array" in schemas.types(node) and node.get("minItems", 0) not in (0, 1)
        for node in schemas.nodes(schema)),
    "{at}: For 'array' type, 'minItems' values other than 0 or 1 are not supported", needs=COMPILING,
    remedy=remedies.STRICT_KEYWORD,
    wrong=_sample(properties={"a": {"type": "array", "items": TEXT, "minItems": 2}}, required=["a"]),
    right=_sample(properties={"a": {"type": "array", "items": TEXT, "minItems": 1}}, required=["a"]),
    verbatim={"ghostlobster/memorize-everything#93":
        "output_config.format.schema: For 'array' type, 'minItems' values other than 0 or 1 are not supported"})
BOOK.row("anthropic/strict-circular-schema",
    "A definition of a strict schema or of structured output refers to itself, directly or through others.",
    COMPILED, schemas.cycle,
    "{at}: Invalid schema: Circular reference detected in schema definitions: {found[0]} -> {found[1]}. "
        "Self-referencing or mutually-referencing definitions are not supported.", needs=COMPILING,
    remedy=remedies.STRICT_KEYWORD,
    wrong=_sample(**{"$defs": {"N": {"items": {"$ref": "#/$defs/N"}}, "M": {"type": "string"}}}),
    right=_sample(**{"$defs": {"N": {"items": {"$ref": "#/$defs/M"}}, "M": {"type": "string"}}}),
    recorded={MATRIX_CASSETTES: "Invalid schema: Circular reference detected in schema definitions: Node -> Node."})
BOOK.row("anthropic/strict-too-many-tools", "More than 20 tools are strict.",
    ALL_TOOLS, lambda _, context: (count := len(_strict_schemas(context))) > 20 and count,
    "Too many strict tools ({found}). The maximum number of strict tools supported is 20. Try reducing the number of "
        "tools marked as strict.", "tools", even_usual=True, needs="strict", remedy=remedies.STRICT_WHERE_NEEDED,
    wrong=sample_request(tools=[_strict_tool() | {"name": f"f{index}"} for index in range(21)]),
    right=sample_request(tools=[_strict_tool() | {"name": f"f{index}"} for index in range(20)]),
    recorded={LIMITS_CASSETTES: "Too many strict tools (21). The maximum number of strict tools supported is 20."})
BOOK.row("anthropic/strict-too-many-optional", "The strict schemas have more than 24 optional properties in total.",
    ALL_TOOLS,
    lambda _, context: (count := sum(map(schemas.optional_properties, _strict_nodes(context)))) > 24 and count,
    "Schemas contains too many optional parameters ({found}), which would make grammar compilation inefficient. Reduce "
        "the number of optional parameters in your tool schemas (limit: 24).", "tools", even_usual=True, needs="strict",
    remedy=remedies.STRICT_WHERE_NEEDED,
    wrong=_sample(properties=_properties(25, "string"), required=[]),
    right=_sample(properties=_properties(25, "string"), required=["p00", "p01", "p02"]),
    recorded={LIMITS_CASSETTES: "Schemas contains too many optional parameters (25)"})
BOOK.row("anthropic/strict-too-many-unions",
    "The strict schemas have more than 16 properties with a union of types in total.",
    ALL_TOOLS, lambda _, context: (count := sum(map(schemas.is_union, _strict_nodes(context)))) > 16 and count,
    "Schemas contains too many parameters with union types ({found} parameters with type arrays or anyOf). This causes "
        "exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: 16 parameters "
        "with unions).", "tools", even_usual=True, needs="strict", remedy=remedies.STRICT_WHERE_NEEDED,
    wrong=_sample(properties=_properties(17, ["string", "null"])),
    right=_sample(properties=_properties(16, ["string", "null"])),
    recorded={LIMITS_CASSETTES: "Schemas contains too many parameters with union types (17 parameters"})
# fmt: on
