"""Rules on the list of tools, and on each tool up to its name. Groups (`namespace`) and hosted tools are accepted.

An empty list is accepted, and so are two tools of the same name: no refusal was found.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_responses.errors import envelope
from fakes.wires.openai_responses.rules.samples import (
    TOOL,
    cite,
    cite_probe,
    item_with,
    sample_request,
    sample_with_tool,
)
from fakes.wires.openai_shared.item_rules import ItemRules
from fakes.wires.openai_shared.wording import breach, empty_string, long_string, missing, wrong_pattern, wrong_type

BOOK = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")

LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


@BOOK.rule(
    "openai/responses-tools-type",
    why="`tools` is not a list.",
    confidence="recorded",
    evidence=cite_probe("tools as a string"),
    breaking=sample_request(tools=TOOL),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tools_type(context: RequestContext) -> Breach | None:
    tools = context.body.get("tools")
    return None if tools is None or isinstance(tools, list) else wrong_type("tools", "an array of tools", tools)


@ITEM_RULES.rule(
    "openai/responses-tool-type",
    why="A tool is not an object.",
    confidence="inferred",
    evidence=cite("the sentence of an item that is no object"),
    breaking=sample_request(tools=["get_weather"]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tool_type(context: RequestContext) -> Breach | None:
    tool = context.body
    return None if isinstance(tool.value, dict) else wrong_type(tool.place, "an object", tool.value)


@ITEM_RULES.rule(
    "openai/responses-tool-type-missing",
    why="A tool has no `type`.",
    confidence="recorded",
    evidence=cite_probe("tools member without a type"),
    breaking=sample_request(tools=[item_with(TOOL, type=None)]),
    accepted=_SAMPLE_WITH_TOOL,
)
def _tool_type_missing(context: RequestContext) -> Breach | None:
    return None if "type" in context.body.value else missing(f"{context.body.place}.type")


@ITEM_RULES.rule(
    "openai/responses-tool-name-missing",
    why="A function has no name of its own, as in the format of chat completions, which nests it in `function`.",
    confidence="recorded",
    evidence=(
        *cite_probe("chat-shaped tool"),
        *cite("recorded exchange, gpt-5-codex", "Missing required parameter: 'tools[0].name'."),
    ),
    breaking=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}}]),
    accepted=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}]),
)
def _name_missing(context: RequestContext) -> Breach | None:
    tool = context.body.value
    return missing(f"{context.body.place}.name") if tool["type"] == "function" and "name" not in tool else None


@ITEM_RULES.rule(
    "openai/responses-namespace-description",
    why="A group of tools has no description.",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Missing required parameter: 'tools[0].description'"),
    breaking=sample_request(tools=[{"type": "namespace", "name": "weather", "tools": [TOOL]}]),
    accepted=sample_request(
        tools=[{"type": "namespace", "name": "weather", "tools": [TOOL], "description": "The weather."}]
    ),
)
def _namespace(context: RequestContext) -> Breach | None:
    tool = context.body.value
    described = tool["type"] != "namespace" or "description" in tool
    return None if described else missing(f"{context.body.place}.description")


@ITEM_RULES.rule(
    "openai/responses-stores-missing",
    why="A `file_search` tool names no vector stores; recorded as accepted after an assistant message.",
    confidence="recorded",
    evidence=cite("recorded exchanges, gpt-4o", "Missing required parameter: 'tools[0].vector_store_ids'."),
    breaking=sample_request(tools=[{"type": "file_search"}]),
    accepted=sample_request(tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
)
def _stores_missing(context: RequestContext) -> Breach | None:
    tool = context.body.value
    if tool["type"] != "file_search" or "vector_store_ids" in tool:
        return None
    input_ = context.body.request_body.get("input")
    if isinstance(input_, list) and any(item.get("role") == "assistant" for item in input_):
        return None
    return missing(f"{context.body.place}.vector_store_ids")


def _name_check(check: Callable[[str, Any], Breach | None]) -> Callable[[RequestContext], Breach | None]:
    """Makes a check of the name of each function; the check gets the name's place and the name."""

    def found(context: RequestContext) -> Breach | None:
        tool = context.body.value
        return check(f"{context.body.place}.name", tool["name"]) if tool["type"] == "function" else None

    return found


@ITEM_RULES.rule(
    "openai/responses-tool-name-type",
    why="The name of a function is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_with_tool(name=7),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_type(place: str, name: Any) -> Breach | None:
    return None if isinstance(name, str) else wrong_type(place, "a string", name)


@ITEM_RULES.rule(
    "openai/responses-tool-name-empty",
    why="The name of a function is empty.",
    confidence="inferred",
    evidence=cite("the sentence for a function of chat completions"),
    breaking=sample_with_tool(name=""),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_empty(place: str, name: Any) -> Breach | None:
    return None if name else empty_string(place)


@ITEM_RULES.rule(
    "openai/responses-tool-name-too-long",
    why="The name of a function has more than 64 characters.",
    confidence="reported",
    evidence=cite("microsoft/vscode#243602", "limits tool names to 64 chars"),
    breaking=sample_with_tool(name="g" * 65),
    accepted=sample_with_tool(name="g" * 64),
)
@_name_check
def _name_too_long(place: str, name: Any) -> Breach | None:
    return long_string(place, most=LONGEST_NAME, length=len(name)) if len(name) > LONGEST_NAME else None


@ITEM_RULES.rule(
    "openai/responses-tool-name-pattern",
    why="The name of a function has characters other than letters, digits, _ and -.",
    models="gpt-5.6-luna, gpt-6-astra observed",
    confidence="verbatim",
    evidence=cite("quoted in three public threads", "Invalid 'tools[0].name': string does not match pattern."),
    breaking=sample_with_tool(name="weather.get"),
    accepted=_SAMPLE_WITH_TOOL,
)
@_name_check
def _name_pattern(place: str, name: Any) -> Breach | None:
    return None if re.fullmatch("[a-zA-Z0-9_-]+", name) else wrong_pattern(place, NAME_PATTERN)


def refused_schema(context: RequestContext, fault: str) -> Breach:
    """The refusal of the parameters of the current function."""
    name = context.body.value["name"]
    message = f"Invalid schema for function '{name}': {fault}"
    return breach(f"{context.body.place}.parameters", message, "invalid_function_parameters")
