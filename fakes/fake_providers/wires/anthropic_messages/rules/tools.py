"""Rules on the members of `tools`. Of a schema only the root is read here; the schema compiler is in `strict`."""

import re
from typing import Any

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy
from fake_providers.rulebook import ALL_TOOLS, ANY_TOOL, RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members
from fake_providers.wires.anthropic_messages.betas import of_known_names
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import TOOL, TOOL_PROBES, measured, sample_request
from fake_providers.wires.anthropic_messages.rules.schemas import is_schema

BOOK = Rulebook(envelope)

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
OF_PROVIDER = re.compile(r"mcp_toolset|tool_search_tool_[a-z0-9]+|[a-z0-9_]+_20\d{6}")
"""The types of the provider's own tools, most of them with a date; their fields are not checked."""
FIELDS = {
    "description": values.string,
    "strict": values.boolean,
    "defer_loading": values.boolean,
    "cache_control": values.obj,
}
"""Fields of a tool that may be null."""
RIG = "0xPlaygrounds/rig tests/cassettes/anthropic/strict_schema_matrix"


def client_tools(context: RequestContext) -> list[tuple[dict[str, Any], str]]:
    """The client's own tools, each with its path. Found once for all rules."""
    found: list[tuple[dict[str, Any], str]] | None = context.read.get("client tools")
    if found is None:
        found = context.read["client tools"] = [
            (tool, f"tools.{index}.custom")
            for index, tool in enumerate(listed(context.body.get("tools")))
            if isinstance(tool, dict) and tool.get("type") in (None, "custom")
        ]
    return found


def _schemas(context: RequestContext) -> list[tuple[dict[str, Any], str]]:
    tools = client_tools(context)
    return [(tool["input_schema"], path) for tool, path in tools if isinstance(tool.get("input_schema"), dict)]


CLIENT_TOOL = Selector(client_tools, "{path}", ("path",), "parts", ("tool",))
SCHEMA = Selector(_schemas, "{path}.input_schema", ("path",), "parts", ("tool",))


def sample_with_tool_fields(**members: Any) -> dict[str, Any]:
    tool = TOOL | members
    return sample_request(tools=[{name: value for name, value in tool.items() if value is not ...}])


def _with_deferred(**members: Any) -> dict[str, Any]:
    """A request with a tool that is deferred, beside one that is not."""
    return sample_request(tools=[TOOL, TOOL | {"name": "g", "defer_loading": True, **members}])


def _unknown_type(body: Any) -> tuple[str, int] | None:
    for index, tool in enumerate(listed(body.get("tools"))):
        kind = tool.get("type") if isinstance(tool, dict) else None
        if kind not in (None, "custom") and not (isinstance(kind, str) and OF_PROVIDER.fullmatch(kind)):
            return values.unknown_tag(kind, values.TOOL_TAGS), index
    return None


def _bad_name(tool: dict[str, Any]) -> str | None:
    name = tool.get("name")
    if not isinstance(name, str) or NAME.fullmatch(name):
        return None
    if name and len(name) <= 128:
        return "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
    return f"String should have at {'most 128 characters' if name else 'least 1 character'}"


def _bad_field(tool: dict[str, Any]) -> tuple[str, str] | None:
    found = ((name, values.optional(check)(tool.get(name))) for name, check in FIELDS.items())
    return next(((f".{name}{fault[0]}", fault[1]) for name, fault in found if fault), None)


def _repeated_name(body: Any) -> tuple[int] | None:
    seen: set[str] = set()
    for index, tool in enumerate(listed(body.get("tools"))):
        name = tool.get("name") if isinstance(tool, dict) else None
        if isinstance(name, str):
            if name in seen:
                return (index,)
            seen.add(name)
    return None


def _all_deferred(body: Any) -> bool:
    tools = listed(body.get("tools"))
    return bool(tools) and all(isinstance(tool, dict) and tool.get("defer_loading") is True for tool in tools)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/tools-type", "`tools` is not a list of objects; leave it out if there are none.",
    ANY_TOOL, lambda body: "tools" in body and values.array_of(values.obj)(body["tools"]), "{at}: {found[1]}",
    "tools{found[0]}", remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=None), right=sample_request(tools=[]),
    recorded=measured("tools: Input should be a valid array"))
BOOK.row("anthropic/tool-type-unknown",
    "A tool has an unknown type; the client's own tools have the type `custom` or none, and `function` is OpenAI's.",
    ANY_TOOL, _unknown_type, "{at}: {found[0]}", "tools.{found[1]}", given=of_known_names,
    remedy=remedies.TOOL_SHAPE,
    wrong=sample_with_tool_fields(type="function"), right=sample_with_tool_fields(type="custom"),
    verbatim={"dirac-run/dirac#57": "tools.0: Input tag 'function' found using 'type' does not match any"})
BOOK.row("anthropic/tool-name-missing",
    "A tool has no name, or it is not a string; OpenAI nests the name under `function`.",
    CLIENT_TOOL, lambda tool: values.string(tool["name"]) if "name" in tool else ("", values.REQUIRED),
    "{at}: {found[1]}", ".name", remedy=remedies.TOOL_MEMBERS,
    wrong=sample_with_tool_fields(name=...), right=sample_with_tool_fields(),
    inferred={TOOL_PROBES: "tools.0.custom.input_schema: Field required"})
BOOK.row("anthropic/tool-name-pattern",
    "The name of a tool is not 1 to 128 letters, digits, underscores and hyphens; dots, slashes and spaces are "
        "refused.",
    CLIENT_TOOL, _bad_name, "{at}: {found}", ".name", remedy=remedies.TOOL_NAMES,
    wrong=sample_with_tool_fields(name="a.b"), right=sample_with_tool_fields(name="a_b"),
    verbatim={"BerriAI/litellm#26788": "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        "live probe of claude-sonnet-5-5, 2026-10-05": "String should have at most 128 characters"})
BOOK.row("anthropic/tool-schema-missing",
    "A tool has no `input_schema`, which a tool without arguments needs too; `parameters` is OpenAI's name for it.",
    CLIENT_TOOL, lambda tool: "input_schema" not in tool, "{at}: Field required", ".input_schema",
    remedy=remedies.OBJECT_SCHEMA,
    wrong=sample_with_tool_fields(input_schema=...), right=sample_with_tool_fields(),
    recorded={TOOL_PROBES: "tools.0.custom.input_schema: Field required"})
BOOK.row("anthropic/tool-schema-shape",
    "An `input_schema` is not an object but, for example, a boolean, a string or null.",
    CLIENT_TOOL, lambda tool: "input_schema" in tool and not isinstance(tool["input_schema"], dict),
    f"{{at}}: {values.SHAPE}", ".input_schema", remedy=remedies.OBJECT_SCHEMA,
    wrong=sample_with_tool_fields(input_schema=True), right=sample_with_tool_fields(),
    recorded={RIG: "tools.0.custom.input_schema: Input does not match the expected shape."})
BOOK.row("anthropic/tool-schema-type",
    "The root of an `input_schema` does not itself have `type: object`; a reference or a union does not count.",
    SCHEMA,
    lambda schema: schema.get("type") != "object"
        and ("Input should be 'object'" if "type" in schema else values.REQUIRED), "{at}: {found}", ".type",
    remedy=remedies.OBJECT_SCHEMA,
    wrong=sample_with_tool_fields(input_schema={}), right=sample_with_tool_fields(),
    recorded=(Citation(RIG, "tools.0.custom.input_schema.type: Field required"),
        Citation(RIG, "tools.0.custom.input_schema.type: Input should be 'object'")))
BOOK.row("anthropic/tool-field-type",
    "The description of a tool is not a string, a flag of it not a boolean, or its `cache_control` not an object.",
    CLIENT_TOOL, _bad_field, "{at}: {found[1]}", "{found[0]}", checked="2026-11-23",
    remedy=remedies.VALUE.of("declarations"),
    wrong=sample_with_tool_fields(description=7), right=sample_with_tool_fields(description="a"),
    recorded={"recording of a Claude through OpenRouter": "tools.0.custom.description: Input should be a valid string"})
BOOK.row("anthropic/tool-extra-key", "A tool has an unknown key.",
    CLIENT_TOOL, lambda tool: values.unknown_key(tool, values.TOOL_FIELDS), "{at}: Extra inputs are not permitted",
    ".{found[0]}", given=of_known_names, remedy=remedies.TOOL_SHAPE,
    wrong=sample_with_tool_fields(parameters={}), right=sample_with_tool_fields(),
    verbatim={"anthropics/claude-code#31033": "tools.0.custom.defer_loading: Extra inputs are not permitted"})
BOOK.row("anthropic/tools-all-deferred",
    "The loading of every tool is deferred, also of the one that would find the others.",
    ALL_TOOLS, _all_deferred, "At least one tool must have defer_loading=false. All tools cannot be deferred.", "tools",
    needs="defer_loading", checked="2026-11-23",
    remedy=Remedy("declarations", "Load at least the tool that searches at once, without `defer_loading`."),
    wrong=sample_with_tool_fields(defer_loading=True), right=sample_with_tool_fields(defer_loading=False),
    verbatim={"two public probes, and the guide to tool search":
        "At least one tool must have defer_loading=false. All tools cannot be deferred."})
BOOK.row("anthropic/tool-deferred-and-cached",
    "The loading of a tool is deferred, and a point of the cache is set on it, such as on the last of all tools.",
    CLIENT_TOOL, lambda tool: tool.get("defer_loading") is True and tool.get("cache_control") is not None,
    "Tool '{item[name]}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot "
        "use prompt caching.", ".cache_control", needs="defer_loading", checked="2026-11-29",
    remedy=Remedy("caching", "Set the point of the cache on the last tool that is not deferred."),
    wrong=_with_deferred(cache_control={"type": "ephemeral"}), right=_with_deferred(),
    verbatim={"router-for-me/CLIProxyAPI#4561": "Tool 'tool_1' cannot have both defer_loading=true and cache_control "
            "set. Tools with defer_loading cannot use prompt caching.",
        "Wei-Shaw/sub2api#4990": "Tool 'generate_mcp14' cannot have both defer_loading=true and cache_control set.",
        "anthropics/claude-code#86743": ""})
BOOK.row("anthropic/tool-names-unique", "Two tools have the same name.",
    ALL_TOOLS, _repeated_name, "tools: Tool names must be unique.", "tools.{found[0]}.name",
    remedy=remedies.DECLARE_ONCE,
    wrong=sample_request(tools=[TOOL, TOOL]), right=sample_request(tools=[TOOL, TOOL | {"name": "g"}]),
    verbatim={"danny-avila/LibreChat#13162": "tools: Tool names must be unique."})
BOOK.row("anthropic/tool-schema-union", "The root of an `input_schema` has oneOf, allOf or anyOf.",
    SCHEMA, lambda schema: any(key in schema for key in ("oneOf", "allOf", "anyOf")),
    "{at}: input_schema does not support oneOf, allOf, or anyOf at the top level", needs=("allOf", "anyOf", "oneOf"),
    remedy=remedies.NO_ROOT_UNION,
    wrong=sample_with_tool_fields(input_schema={"type": "object", "anyOf": [{}]}), right=sample_with_tool_fields(),
    verbatim={"Hmbown/Codewhale#4329": "input_schema does not support oneOf, allOf, or anyOf at the top level"})
BOOK.row("anthropic/tool-schema-invalid",
    "An `input_schema` is not valid JSON Schema of draft 2020-12: `required: true` on a property or an unknown "
        "type is refused.",
    SCHEMA, lambda schema: not is_schema(schema),
    "{at}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). "
        "Learn more about tool use at https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
    remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a": {"type": "text"}}}),
    right=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a": {"type": "string"}}}),
    verbatim={"anthropics/claude-code#86664": "JSON schema is invalid. It must match JSON Schema draft"})
BOOK.row("anthropic/tool-property-name",
    "The name of an argument is not 1 to 64 letters, digits, underscores, dots and hyphens.",
    SCHEMA, lambda schema: not all(map(PROPERTY.fullmatch, members(schema.get("properties")))),
    "{at}: Property keys should match pattern '^[a-zA-Z0-9_.-]{{1,64}}$'", ".properties",
    remedy=Remedy("schemas", "Name arguments with letters, digits, `_`, `.` and `-`, and map the names back."),
    wrong=sample_with_tool_fields(input_schema={"type": "object", "properties": {"a b": {"type": "string"}}}),
    right=sample_with_tool_fields(input_schema={"type": "object", "properties": {}}),
    verbatim={"beautyfree/appstore-connect-mcp#2": "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"})
# fmt: on
