"""Rules on the members of `tools`. Of a schema only the root is read here; the schema compiler is in `strict`."""

import re
from collections.abc import Callable
from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import ALL_TOOLS, ANY_TOOL, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import TOOL, TOOL_PROBES, measured, sample_request
from fake_providers.wires.anthropic_messages.rules.schemas import is_schema
from fake_providers.wires.anthropic_messages.rules.values import uses_newer_beta

BOOK = Rulebook(envelope)

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
OF_PROVIDER = re.compile(r"mcp_toolset|tool_search_tool_[a-z0-9]+|[a-z0-9_]+_20\d{6}")
"""The types of the provider's own tools, most of them with a date; their fields are not checked."""
UNIONS = ("oneOf", "allOf", "anyOf")
RIG = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_matrix"


def all_tools(context: RequestContext) -> list[Any]:
    tools = context.body.get("tools")
    return tools if isinstance(tools, list) else []


def client_tools(context: RequestContext) -> list[tuple[str, dict[str, Any]]]:
    """The client's own tools, each with its path. Found once for all rules."""
    found: list[tuple[str, dict[str, Any]]] | None = context.read.get("client tools")
    if found is None:
        found = context.read["client tools"] = [
            (f"tools.{index}.custom", tool)
            for index, tool in enumerate(all_tools(context))
            if isinstance(tool, dict) and tool.get("type") in (None, "custom")
        ]
    return found


def input_schemas(context: RequestContext) -> list[tuple[str, dict[str, Any]]]:
    tools = client_tools(context)
    return [(f"{path}.input_schema", tool["input_schema"]) for path, tool in tools if _has_schema(tool)]


def _has_schema(tool: dict[str, Any]) -> bool:
    return isinstance(tool.get("input_schema"), dict)


def first_breach(
    context: RequestContext, check: Callable[[str, dict[str, Any]], tuple[str, str] | None]
) -> Breach | None:
    """The first error that `check` finds in a custom tool, as a path below the tool and a sentence."""
    for path, tool in client_tools(context):
        if fault := check(path, tool):
            return Breach(path + fault[0], f"{path}{fault[0]}: {fault[1]}")
    return None


def sample_with_tool_fields(**members: Any) -> dict[str, Any]:
    tool = TOOL | members
    return sample_request(tools=[{name: value for name, value in tool.items() if value is not ...}])


def tools_type(context: RequestContext) -> Breach | None:
    if "tools" not in context.body:
        return None
    fault = values.array_of(values.obj)(context.body["tools"])
    return Breach(f"tools{fault[0]}", f"tools{fault[0]}: {fault[1]}") if fault else None


def tool_type_unknown(context: RequestContext) -> Breach | None:
    for index, tool in enumerate(() if uses_newer_beta(context.headers) else all_tools(context)):
        kind = tool.get("type") if isinstance(tool, dict) else None
        if kind in (None, "custom") or (isinstance(kind, str) and OF_PROVIDER.fullmatch(kind)):
            continue
        return Breach(f"tools.{index}", f"tools.{index}: {values.unknown_tag(kind, values.TOOL_TAGS)}")
    return None


def tool_name_missing(context: RequestContext) -> Breach | None:
    def check(_: str, tool: dict[str, Any]) -> tuple[str, str] | None:
        if "name" not in tool:
            return ".name", values.REQUIRED
        fault = values.string(tool["name"])
        return (".name", fault[1]) if fault else None

    return first_breach(context, check)


def tool_name_pattern(context: RequestContext) -> Breach | None:
    def check(_: str, tool: dict[str, Any]) -> tuple[str, str] | None:
        name = tool.get("name")
        if not isinstance(name, str) or NAME.fullmatch(name):
            return None
        if not name:
            return ".name", "String should have at least 1 character"
        if len(name) > 128:
            return ".name", "String should have at most 128 characters"
        return ".name", "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"

    return first_breach(context, check)


def tool_schema_missing(context: RequestContext) -> Breach | None:
    return first_breach(context, lambda _, tool: None if "input_schema" in tool else (".input_schema", values.REQUIRED))


def tool_schema_shape(context: RequestContext) -> Breach | None:
    def check(_: str, tool: dict[str, Any]) -> tuple[str, str] | None:
        wrong = "input_schema" in tool and not isinstance(tool["input_schema"], dict)
        return (".input_schema", values.SHAPE) if wrong else None

    return first_breach(context, check)


def tool_schema_type(context: RequestContext) -> Breach | None:
    for path, schema in input_schemas(context):
        if "type" not in schema:
            return Breach(f"{path}.type", f"{path}.type: {values.REQUIRED}")
        if schema["type"] != "object":
            return Breach(f"{path}.type", f"{path}.type: Input should be 'object'")
    return None


def tool_field_type(context: RequestContext) -> Breach | None:
    def check(_: str, tool: dict[str, Any]) -> tuple[str, str] | None:
        found = ((f".{name}", values.optional(member)(tool.get(name))) for name, member in FIELDS.items())
        return next(((name + fault[0], fault[1]) for name, fault in found if fault), None)

    return first_breach(context, check)


FIELDS = {
    "description": values.string,
    "strict": values.boolean,
    "defer_loading": values.boolean,
    "cache_control": values.obj,
}
"""Fields of a tool that may be null."""


def tool_extra_key(context: RequestContext) -> Breach | None:
    def check(_: str, tool: dict[str, Any]) -> tuple[str, str] | None:
        key = values.unknown_key(tool, values.TOOL_FIELDS)
        return (f".{key}", values.EXTRA) if key is not None else None

    return None if uses_newer_beta(context.headers) else first_breach(context, check)


def tools_all_deferred(context: RequestContext) -> Breach | None:
    tools = all_tools(context)
    if not tools or not all(isinstance(tool, dict) and tool.get("defer_loading") is True for tool in tools):
        return None
    return Breach("tools", "At least one tool must have defer_loading=false. All tools cannot be deferred.")


def tool_names_unique(context: RequestContext) -> Breach | None:
    seen: set[str] = set()
    for index, tool in enumerate(all_tools(context)):
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(name, str) and name in seen:
            return Breach(f"tools.{index}.name", "tools: Tool names must be unique.")
        if isinstance(name, str):
            seen.add(name)
    return None


def tool_schema_union(context: RequestContext) -> Breach | None:
    for path, schema in input_schemas(context):
        if any(key in schema for key in UNIONS):
            return Breach(path, f"{path}: input_schema does not support oneOf, allOf, or anyOf at the top level")
    return None


def tool_schema_invalid(context: RequestContext) -> Breach | None:
    for path, schema in input_schemas(context):
        if not is_schema(schema):
            return Breach(
                path,
                f"{path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/"
                "draft/2020-12). Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/"
                "tool-use/overview.",
            )
    return None


def tool_property_name(context: RequestContext) -> Breach | None:
    for path, schema in input_schemas(context):
        properties = schema.get("properties")
        for key in properties if isinstance(properties, dict) else ():
            if not PROPERTY.fullmatch(key):
                at = f"{path}.properties"
                return Breach(at, f"{at}: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'")
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tools-type", "`tools` is not a list of objects; leave it out if there are none.",
    ANY_TOOL, tools_type,
    wrong=sample_request(tools=None), right=sample_request(tools=[]),
    recorded=measured("tools: Input should be a valid array"))
BOOK.row("anthropic/tool-type-unknown",
    "A tool has an unknown type; the client's own tools have the type `custom` or none, and `function` is OpenAI's.",
    ANY_TOOL, tool_type_unknown,
    wrong=sample_with_tool_fields(type="function"), right=sample_with_tool_fields(type="custom"),
    verbatim={"dirac-run/dirac#57": "tools.0: Input tag 'function' found using 'type' does not match any"})
BOOK.row("anthropic/tool-name-missing",
    "A tool has no name, or it is not a string; OpenAI nests the name under `function`.",
    ANY_TOOL, tool_name_missing,
    wrong=sample_with_tool_fields(name=...), right=sample_with_tool_fields(),
    inferred={TOOL_PROBES: "tools.0.custom.input_schema: Field required"})
BOOK.row("anthropic/tool-name-pattern",
    "The name of a tool is not 1 to 128 letters, digits, underscores and hyphens; dots, slashes and spaces are "
        "refused.",
    ANY_TOOL, tool_name_pattern,
    wrong=sample_with_tool_fields(name="a.b"), right=sample_with_tool_fields(name="a_b"),
    verbatim={"BerriAI/litellm#26788": "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        "live probe of claude-sonnet-5-5, 2026-10-05": "String should have at most 128 characters"})
BOOK.row("anthropic/tool-schema-missing",
    "A tool has no `input_schema`, which a tool without arguments needs too; `parameters` is OpenAI's name for it.",
    ANY_TOOL, tool_schema_missing,
    wrong=sample_with_tool_fields(input_schema=...), right=sample_with_tool_fields(),
    recorded={TOOL_PROBES: "tools.0.custom.input_schema: Field required"})
BOOK.row("anthropic/tool-schema-shape",
    "An `input_schema` is not an object but, for example, a boolean, a string or null.",
    ANY_TOOL, tool_schema_shape,
    wrong=sample_with_tool_fields(input_schema=True), right=sample_with_tool_fields(),
    recorded={RIG: "tools.0.custom.input_schema: Input does not match the expected shape."})
BOOK.row("anthropic/tool-schema-type",
    "The root of an `input_schema` does not itself have `type: object`; a reference or a union does not count.",
    ANY_TOOL, tool_schema_type,
    wrong=sample_with_tool_fields(input_schema={}), right=sample_with_tool_fields(),
    recorded=(Citation(RIG, "tools.0.custom.input_schema.type: Field required"),
        Citation(RIG, "tools.0.custom.input_schema.type: Input should be 'object'")))
BOOK.row("anthropic/tool-field-type",
    "The description of a tool is not a string, a flag of it not a boolean, or its `cache_control` not an object.",
    ANY_TOOL, tool_field_type, checked="2026-11-23",
    wrong=sample_with_tool_fields(description=7), right=sample_with_tool_fields(description="a"),
    recorded={"recording of a Claude through OpenRouter": "tools.0.custom.description: Input should be a valid string"})
BOOK.row("anthropic/tool-extra-key", "A tool has an unknown key.",
    ANY_TOOL, tool_extra_key,
    wrong=sample_with_tool_fields(parameters={}), right=sample_with_tool_fields(),
    verbatim={"anthropics/claude-code#31033": "tools.0.custom.defer_loading: Extra inputs are not permitted"})
BOOK.row("anthropic/tools-all-deferred",
    "The loading of every tool is deferred, also of the one that would find the others.",
    ALL_TOOLS, tools_all_deferred, needs="defer_loading", checked="2026-11-23",
    wrong=sample_with_tool_fields(defer_loading=True), right=sample_with_tool_fields(defer_loading=False),
    verbatim={"two public probes, and the guide to tool search":
        "At least one tool must have defer_loading=false. All tools cannot be deferred."})
BOOK.row("anthropic/tool-names-unique", "Two tools have the same name.",
    ALL_TOOLS, tool_names_unique,
    wrong=sample_request(tools=[TOOL, TOOL]), right=sample_request(tools=[TOOL, TOOL | {"name": "g"}]),
    verbatim={"danny-avila/LibreChat#13162": "tools: Tool names must be unique."})
BOOK.row("anthropic/tool-schema-union", "The root of an `input_schema` has oneOf, allOf or anyOf.",
    ANY_TOOL, tool_schema_union, needs=("allOf", "anyOf", "oneOf"),
    wrong=sample_with_tool_fields(input_schema={"type": "object", "anyOf": [{}]}), right=sample_with_tool_fields(),
    verbatim={"Hmbown/Codewhale#4329": "input_schema does not support oneOf, allOf, or anyOf at the top level"})
BOOK.row("anthropic/tool-schema-invalid",
    "An `input_schema` is not valid JSON Schema of draft 2020-12: `required: true` on a property or an unknown "
        "type is refused.",
    ANY_TOOL, tool_schema_invalid,
    wrong=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a": {"type": "text"}}}),
    right=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a": {"type": "string"}}}),
    verbatim={"anthropics/claude-code#86664": "JSON schema is invalid. It must match JSON Schema draft"})
BOOK.row("anthropic/tool-property-name",
    "The name of an argument is not 1 to 64 letters, digits, underscores, dots and hyphens.",
    ANY_TOOL, tool_property_name,
    wrong=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a b": {"type": "string"}}}),
    right=sample_with_tool_fields(input_schema={"type": "object", "properties": {}}),
    verbatim={"beautyfree/appstore-connect-mcp#2": "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"})
# fmt: on
