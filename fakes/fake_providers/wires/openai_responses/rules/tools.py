"""Rules on the list of tools, and on each tool up to its name. Groups (`namespace`) and hosted tools are accepted.

An empty list is accepted, and so are two tools of the same name: no refusal was found.
"""

from typing import Any

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import (
    TOOL,
    cite,
    cite_probe,
    item_with,
    sample_request,
    sample_with_tool,
)
from fake_providers.wires.openai_shared import function_rules
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.shared_rules import SharedRules
from fake_providers.wires.openai_shared.wording import missing, wrong_type

BOOK = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


def functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The place of the tool, and the tool if it is a function; empty for a tool of another type."""
    tool = context.body.value
    return ((context.body.place, tool),) if tool["type"] == "function" else ()


FUNCTION_RULES = SharedRules(ITEM_RULES, functions, sample_with_tool)


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
    evidence=cite("worded like the refusal of an item that is not an object"),
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
    "openai/responses-tool-type-type",
    why="The type of a tool is not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
    breaking=sample_request(tools=[item_with(TOOL, type=7)]),
    accepted=_SAMPLE_WITH_TOOL,
    checked="2026-11-23",
)
def _tool_type_type(context: RequestContext) -> Breach | None:
    kind = context.body.value["type"]
    return None if isinstance(kind, str) else wrong_type(f"{context.body.place}.type", "a string", kind)


@ITEM_RULES.rule(
    "openai/responses-tool-name-missing",
    why="A function has no name of its own, as in the format of chat completions, which nests it in `function`.",
    confidence="recorded",
    evidence=(
        *cite_probe("chat-shaped tool"),
        *cite("recording, gpt-5-codex", "Missing required parameter: 'tools[0].name'."),
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
    evidence=cite("recordings, gpt-4o", "Missing required parameter: 'tools[0].vector_store_ids'."),
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


FUNCTION_RULES.add(
    "openai/responses-tool-name-type",
    function_rules.name_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/responses-tool-member-type",
    function_rules.member_type,
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
)
FUNCTION_RULES.add(
    "openai/responses-tool-name-empty",
    function_rules.name_empty,
    confidence="inferred",
    evidence=cite("worded as on chat completions"),
)
FUNCTION_RULES.add(
    "openai/responses-tool-name-too-long",
    function_rules.name_too_long,
    confidence="reported",
    evidence=cite("microsoft/vscode#243602", "limits tool names to 64 chars"),
)
FUNCTION_RULES.add(
    "openai/responses-tool-name-pattern",
    function_rules.name_pattern,
    models="gpt-5.6-luna, gpt-6-astra observed",
    confidence="verbatim",
    evidence=cite("quoted in three public threads", "Invalid 'tools[0].name': string does not match pattern."),
)
