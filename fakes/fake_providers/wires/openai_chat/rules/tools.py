"""Rules on the list of tools, and on each tool up to its name. Schemas are checked later.

Two tools of the same name are accepted: no refusal by OpenAI was found, and eclipse-theia/theia#16122 reports that what
Anthropic refuses works there.
"""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, cite_probe, sample_request, sample_with_tool
from fake_providers.wires.openai_shared import function_rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.shared_rules import SharedRules, each
from fake_providers.wires.openai_shared.wording import empty_array, long_array, missing, unknown_word, wrong_type

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
    function_rules.name_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/function-member-type",
    function_rules.member_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/function-name-empty",
    function_rules.name_empty,
    confidence="recorded",
    evidence=cite_probe("a tool function with a blank name"),
)
FUNCTION_RULES.add(
    "openai/function-name-too-long",
    function_rules.name_too_long,
    confidence="verbatim",
    evidence=cite("quoted in public code", "Expected a string with maximum length 64"),
)
FUNCTION_RULES.add(
    "openai/function-name-pattern",
    function_rules.name_pattern,
    confidence="verbatim",
    evidence=(
        *cite("brekkylab/ailoy#109", "Invalid 'tools[0].function.name': string does not match pattern."),
        *cite("hackers365/xiaozhi-esp32-server-golang#268"),
    ),
)
