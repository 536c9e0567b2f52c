"""Rules on the list of tools, and on each tool up to its name. Schemas are checked later.

Two tools of the same name are accepted: no refusal by OpenAI was found, and eclipse-theia/theia#16122 reports that what
Anthropic refuses works there.

What they check is in `schema_rules`.
"""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, cite_probe, sample_request, sample_with_tool
from fake_providers.wires.openai_shared import schema_rules, shared_rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.schema_faults import has_fault_inside
from fake_providers.wires.openai_shared.shared_rules import ItemRules, SharedRules, each
from fake_providers.wires.openai_shared.wording import (
    breach,
    empty_array,
    long_array,
    missing,
    unknown_word,
    wrong_type,
    wrong_value,
)

LIST = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")

MOST_TOOLS: Final = 128
RECORDED_TYPE: Final = "web_search_preview"
"""A hosted tool that gpt-5-nano was recorded to accept (0xPlaygrounds/rig)."""

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


def functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The place of the tool's function, and the function; empty for a tool of another type."""
    tool = context.body.value
    return ((f"{context.body.place}.function", tool["function"]),) if tool["type"] == "function" else ()


def function_missing(place: str, owner: dict[str, Any]) -> Breach | None:
    """The breach of a tool or a call that is a function and does not have its object."""
    if owner["type"] != "function" or isinstance(owner.get("function"), dict):
        return None
    place = f"{place}.function"
    return wrong_type(place, "an object", owner["function"]) if "function" in owner else missing(place)


FUNCTION_RULES = SharedRules(ITEM_RULES, functions, sample_with_tool)


@LIST.rule(
    "openai/tools-type",
    why="`tools` is not a list.",
    confidence="recorded",
    evidence=cite_probe("a string tools"),
    breaking=sample_request(tools=TOOL),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tools_type(context: RequestContext) -> Breach | None:
    tools = context.body.get("tools")
    return None if tools is None or isinstance(tools, list) else wrong_type("tools", "an array of objects", tools)


@LIST.rule(
    "openai/tools-empty",
    why="`tools` is an empty list; null is accepted.",
    confidence="verbatim",
    evidence=cite("quoted in two public threads", "Invalid 'tools': empty array."),
    breaking=sample_request(tools=[]),
    accepted=sample_request(),
)
def _tools_empty(context: RequestContext) -> Breach | None:
    return empty_array("tools") if context.body.get("tools") == [] else None


@LIST.rule(
    "openai/tools-too-many",
    why="There are more than 128 tools.",
    confidence="verbatim",
    evidence=cite("quoted in public code", "Expected an array with maximum length 128"),
    breaking=sample_request(tools=[TOOL] * (MOST_TOOLS + 1)),
    accepted=sample_request(tools=[TOOL] * MOST_TOOLS),
)
def _tools_too_many(context: RequestContext) -> Breach | None:
    tools = context.body.get("tools") or ()
    return long_array("tools", most=MOST_TOOLS, length=len(tools)) if len(tools) > MOST_TOOLS else None


@ITEM_RULES.rule(
    "openai/tool-type",
    why="A tool is not an object.",
    confidence="inferred",
    evidence=cite("worded like the refusal of a message that is not an object"),
    breaking=sample_request(tools=["get_weather"]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tool_type(context: RequestContext) -> Breach | None:
    item = context.body
    return None if isinstance(item.value, dict) else wrong_type(item.place, "an object", item.value)


@ITEM_RULES.rule(
    "openai/tool-type-missing",
    why="A tool has no `type`.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o-mini", "Missing required parameter: 'tools[0].type'."),
        *cite("openai/openai-cookbook#1248", "Missing required parameter: 'tools[0].type'"),
    ),
    breaking=sample_request(tools=[{"function": TOOL["function"]}]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tool_type_missing(context: RequestContext) -> Breach | None:
    return None if "type" in context.body.value else missing(f"{context.body.place}.type")


@ITEM_RULES.rule(
    "openai/tool-type-unknown",
    why="A tool is neither a function nor a custom tool: hosted tools, such as `web_search`, are for Responses only.",
    confidence="verbatim",
    evidence=cite("ten public projects", "Invalid value: 'web_search'. Supported values are: 'function' and 'custom'."),
    breaking=sample_request(tools=[{**TOOL, "type": "web_search"}]),
    accepted=_SAMPLE_WITH_TOOL,
    checked="2026-11-23",
)
def _tool_type_unknown(context: RequestContext) -> Breach | None:
    kind = context.body.value["type"]
    return None if kind == RECORDED_TYPE else unknown_word(f"{context.body.place}.type", kind, ("function", "custom"))


@ITEM_RULES.rule(
    "openai/tool-function-missing",
    why="A tool has no `function`, as in the format of the Responses API.",
    confidence="recorded",
    evidence=cite_probe("a tool with no function"),
    breaking=sample_request(tools=[{"type": "function"}]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _function_missing(context: RequestContext) -> Breach | None:
    return function_missing(context.body.place, context.body.value)


@ITEM_RULES.rule(
    "openai/function-name-missing",
    why="A function has no name.",
    confidence="recorded",
    evidence=cite_probe("a tool function with no name"),
    breaking=sample_with_tool(name=None),
    accepted=_SAMPLE_WITH_TOOL,
)
@each(functions)
def _name_missing(place: str, function: dict[str, Any]) -> Breach | None:
    return None if "name" in function else missing(f"{place}.name")


FUNCTION_RULES.add(
    "openai/function-name-type",
    shared_rules.name_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/function-member-type",
    shared_rules.member_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/function-name-empty",
    shared_rules.name_empty,
    confidence="recorded",
    evidence=cite_probe("a tool function with a blank name"),
)
FUNCTION_RULES.add(
    "openai/function-name-too-long",
    shared_rules.name_too_long,
    confidence="verbatim",
    evidence=cite("quoted in public code", "Expected a string with maximum length 64"),
)
FUNCTION_RULES.add(
    "openai/function-name-pattern",
    shared_rules.name_pattern,
    confidence="verbatim",
    evidence=(
        *cite("brekkylab/ailoy#109", "Invalid 'tools[0].function.name': string does not match pattern."),
        *cite("hackers365/xiaozhi-esp32-server-golang#268"),
    ),
)


BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")

_CHOICES_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL], tool_choice="auto")


def _sample_with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


@BOOK.rule(
    "openai/tool-choice-type",
    why="`tool_choice` is neither a string nor an object.",
    confidence="recorded",
    evidence=cite_probe("an integer tool_choice"),
    breaking=_sample_with_choice(7),
    accepted=_CHOICES_SAMPLE_WITH_TOOL,
)
def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    # The API itself doubles these words.
    return wrong_type("tool_choice", "one of one of 'none', 'auto', or 'required' or object", choice)


@BOOK.rule(
    "openai/tool-choice-unknown",
    why="`tool_choice` is an unknown word, such as another provider's `any`.",
    confidence="recorded",
    evidence=cite_probe("an unknown tool_choice"),
    breaking=_sample_with_choice("any"),
    accepted=_CHOICES_SAMPLE_WITH_TOOL,
)
def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, str) or choice in CHOICES:
        return None
    return wrong_value("tool_choice", choice, CHOICES)


@BOOK.rule(
    "openai/tool-choice-incomplete",
    why="`tool_choice` is an object that does not name a function.",
    confidence="recorded",
    evidence=cite_probe("a tool_choice object with no function"),
    breaking=_sample_with_choice({"type": "function", "name": "get_weather"}),
    accepted=_sample_with_choice({"type": "function", "name": "get_weather", "function": {"name": "get_weather"}}),
)
def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in ("allowed_tools", "custom"):
        return None
    if not isinstance(choice.get("function"), dict):
        return missing("tool_choice.function")
    return None if choice["function"].get("name") else missing("tool_choice.function.name")


@BOOK.rule(
    "openai/tool-choice-without-tools",
    why="`tool_choice` is set and there are no tools.",
    confidence="verbatim",
    evidence=cite("quoted in three public threads", "'tool_choice' is only allowed when 'tools' are specified."),
    breaking=sample_request(tool_choice="auto"),
    accepted=_CHOICES_SAMPLE_WITH_TOOL,
)
def _choice_without_tools(context: RequestContext) -> Breach | None:
    return (
        None
        if context.body.get("tool_choice") is None or context.body.get("tools")
        else _only_with_tools("tool_choice")
    )


@BOOK.rule(
    "openai/tool-choice-undeclared",
    why="`tool_choice` names a function that is not in `tools`.",
    confidence="recorded",
    evidence=cite_probe("a tool_choice naming an undeclared function"),
    breaking=_sample_with_choice({"type": "function", "function": {"name": "get_time"}}),
    accepted=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}}),
)
def _choice_undeclared(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or not isinstance(choice.get("function"), dict):
        return None
    name = choice["function"]["name"]
    offered = [tool["function"] for tool in context.body["tools"] if isinstance(tool.get("function"), dict)]
    if any(function.get("name") == name for function in offered):
        return None
    # The API still names the fields that `tools` replaced.
    message = f"no function named '{name}' was specified in the 'functions' parameter."
    return breach("function_call", f"Invalid value for 'function_call': {message}", at="tool_choice.function.name")


@BOOK.rule(
    "openai/parallel-tool-calls-without-tools",
    why="`parallel_tool_calls` is set and there are no tools.",
    models="gpt-3.5 and gpt-4*; gpt-5.6 was observed to accept it",
    confidence="verbatim",
    evidence=(*cite("openai/swarm#30", "'parallel_tool_calls' is only allowed"), *cite("Upsonic/Upsonic#323")),
    breaking=sample_request(parallel_tool_calls=False),
    accepted=sample_request(tools=[TOOL], parallel_tool_calls=False),
)
def _parallel_without_tools(context: RequestContext) -> Breach | None:
    if "parallel-needs-tools" not in context.traits or context.body.get("tools"):
        return None
    return None if context.body.get("parallel_tool_calls") is None else _only_with_tools("parallel_tool_calls")


def _only_with_tools(param: str) -> Breach:
    return breach(param, f"Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified.")


SCHEMAS_ITEM_RULES = ItemRules(envelope, "tools")


def _strict_functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    # Even without parameters, strict mode requires `additionalProperties`: recorded.
    strict = ((place, function) for place, function in functions(context) if function.get("strict") is True)
    return tuple((place, {"parameters": {"type": "object"}, **function}) for place, function in strict)


def _is_strict(context: RequestContext) -> bool:
    return any(function.get("strict") is True for _, function in functions(context))


def _has_fault_inside(context: RequestContext) -> bool:
    return any(has_fault_inside(function.get("parameters")) for _, function in functions(context))


SCHEMA_RULES = SharedRules(SCHEMAS_ITEM_RULES, functions, sample_with_tool)
STRICT_RULES = SharedRules(SCHEMAS_ITEM_RULES, _strict_functions, sample_with_tool, only=_is_strict)

SCHEMA_RULES.add(
    "openai/schema-not-object",
    schema_rules.not_object,
    confidence="verbatim",
    evidence=(
        *cite("public code that quotes it", "Invalid type for 'tools[0].function.parameters': expected an object, but"),
        *cite("FoundationAgents/OpenManus#1162, in other words, of 2025", "[] is not of type 'object', 'boolean'."),
        *cite("llmrb/llm.rb, a recording with gpt-4.1 where the parameters are null"),
    ),
)
SCHEMA_RULES.add(
    "openai/schema-type-unknown",
    schema_rules.type_unknown,
    only=_has_fault_inside,
    confidence="reported",
    evidence=cite("reported for `str` and `int`; worded as the validator words its other messages"),
)
SCHEMA_RULES.add(
    "openai/schema-required-not-list",
    schema_rules.required_not_list,
    only=_has_fault_inside,
    confidence="reported",
    evidence=cite("reported for `required: true`; worded as the validator words its other messages"),
)
SCHEMA_RULES.add(
    "openai/schema-root-type",
    schema_rules.root_type,
    confidence="verbatim",
    evidence=cite("vercel/ai#1485", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"),
)
SCHEMA_RULES.add(
    "openai/schema-root-union",
    schema_rules.root_union,
    confidence="verbatim",
    evidence=cite("nspady/google-calendar-mcp#39", "schema must have type 'object' and not have 'oneOf'/'anyOf'"),
)
SCHEMA_RULES.add(
    "openai/schema-without-properties",
    schema_rules.without_properties,
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o-mini", "In context=(), object schema missing properties."),
        *cite("github/github-mcp-server#1548"),
        *cite("spring-projects/spring-ai#4776"),
    ),
)
SCHEMA_RULES.add(
    "openai/schema-array-without-items",
    schema_rules.array_without_items,
    only=_has_fault_inside,
    confidence="verbatim",
    evidence=(
        *cite("sigoden/aichat#1049", "In context=('properties', 'paths'), array schema missing items."),
        *cite("campfirein/byterover-cli#42", "In context=('properties', 'interaction', 'type', '1')"),
        *cite("PrefectHQ/fastmcp#2464", "In context=('properties', 'figsize', 'anyOf', '0')"),
    ),
)

STRICT_RULES.add(
    "openai/strict-further-properties",
    schema_rules.strict_further_properties,
    confidence="recorded",
    evidence=cite("recordings, gpt-4o-mini, gpt-4-turbo", "'additionalProperties' is required to be supplied"),
)
STRICT_RULES.add(
    "openai/strict-optional-property",
    schema_rules.strict_optional_property,
    confidence="recorded",
    evidence=cite("recording, gpt-4", "an array including every key in properties. Missing 'occupation'."),
)
STRICT_RULES.add(
    "openai/strict-not-permitted",
    schema_rules.strict_not_permitted,
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties', 'patch'), 'propertyNames' is not permitted."
    ),
)
STRICT_RULES.add(
    "openai/strict-untyped",
    schema_rules.strict_untyped,
    confidence="verbatim",
    evidence=(
        *cite(
            "apexive/odoo-llm#212", "In context=('properties', 'method_name_filter'), schema must have a 'type' key."
        ),
        *cite("crmne/ruby_llm#480"),
    ),
)
