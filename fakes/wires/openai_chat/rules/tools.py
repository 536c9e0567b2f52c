"""Rules on the list of tools, and on each tool up to its name. Schemas are checked later.

Two tools of the same name are accepted: no refusal by OpenAI was found, and eclipse-theia/theia#16122 reports that what
Anthropic refuses works there.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.rules.samples import TOOL, cite, cite_probe, sample_request, sample_with_tool
from fakes.wires.openai_shared.errors import envelope
from fakes.wires.openai_shared.item_rules import Item, ItemRules
from fakes.wires.openai_shared.wording import (
    empty_array,
    empty_string,
    long_array,
    long_string,
    missing,
    wrong_pattern,
    wrong_type,
)

LIST = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")

MOST_TOOLS: Final = 128
LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


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
    evidence=cite("the sentence of a message that is no object"),
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
        *cite("recorded exchange, gpt-4o-mini", "Missing required parameter: 'tools[0].type'."),
        *cite("openai/openai-cookbook#1248", "Missing required parameter: 'tools[0].type'"),
    ),
    breaking=sample_request(tools=[{"function": TOOL["function"]}]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tool_type_missing(context: RequestContext) -> Breach | None:
    return None if "type" in context.body.value else missing(f"{context.body.place}.type")


@ITEM_RULES.rule(
    "openai/tool-function-missing",
    why="A tool has no `function`, as in the format of the Responses API.",
    confidence="recorded",
    evidence=cite_probe("a tool with no function"),
    breaking=sample_request(tools=[{"type": "function"}]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _function_missing(context: RequestContext) -> Breach | None:
    tool, place = context.body.value, f"{context.body.place}.function"
    if tool["type"] != "function" or isinstance(tool.get("function"), dict):
        return None
    return wrong_type(place, "an object", tool["function"]) if "function" in tool else missing(place)


def _name_check(check: Callable[[str, Any], Breach | None]) -> Callable[[RequestContext], Breach | None]:
    """Makes a rule's check of each function; `check` gets the place of the name and the name."""

    def found(context: RequestContext) -> Breach | None:
        function = function_of(context.body)
        if function is None:
            return None
        return check(f"{context.body.place}.function.name", function.get("name", missing))

    return found


@ITEM_RULES.rule(
    "openai/function-name-missing",
    why="A tool has no name.",
    confidence="recorded",
    evidence=cite_probe("a tool function with no name"),
    breaking=sample_with_tool(name=None),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_missing(place: str, name: Any) -> Breach | None:
    return missing(place) if name is missing else None


@ITEM_RULES.rule(
    "openai/function-name-type",
    why="The name of a tool is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_with_tool(name=7),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_type(place: str, name: Any) -> Breach | None:
    return None if isinstance(name, str) else wrong_type(place, "a string", name)


@ITEM_RULES.rule(
    "openai/function-name-empty",
    why="The name of a tool is empty.",
    confidence="recorded",
    evidence=cite_probe("a tool function with a blank name"),
    breaking=sample_with_tool(name=""),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_empty(place: str, name: Any) -> Breach | None:
    return None if name else empty_string(place)


@ITEM_RULES.rule(
    "openai/function-name-too-long",
    why="The name of a tool has more than 64 characters.",
    confidence="verbatim",
    evidence=cite("quoted in public code", "Expected a string with maximum length 64"),
    breaking=sample_with_tool(name="g" * 65),
    accepted=sample_with_tool(name="g" * 64),
)
@_name_check
def _name_too_long(place: str, name: Any) -> Breach | None:
    return long_string(place, most=LONGEST_NAME, length=len(name)) if len(name) > LONGEST_NAME else None


@ITEM_RULES.rule(
    "openai/function-name-pattern",
    why="The name of a tool has characters other than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=(
        *cite("brekkylab/ailoy#109", "Invalid 'tools[0].function.name': string does not match pattern."),
        *cite("hackers365/xiaozhi-esp32-server-golang#268"),
    ),
    breaking=sample_with_tool(name="weather.get"),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_pattern(place: str, name: Any) -> Breach | None:
    return None if re.fullmatch("[a-zA-Z0-9_-]+", name) else wrong_pattern(place, NAME_PATTERN)


def function_of(item: Item) -> dict[str, Any] | None:
    """The tool's function, or None for a tool of another type."""
    tool = item.value
    return tool["function"] if tool["type"] == "function" else None
