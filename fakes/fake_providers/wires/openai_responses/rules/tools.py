"""Rules on the list of tools, on each tool and its schema, and on the choice among them.

Groups (`namespace`) and hosted tools are accepted. An empty list is accepted, and so are two tools of the same name: no
refusal was found. Of a choice, a word needs no tools, the name of a function does. A function without `strict` is made
strict if that is possible, and is never refused for it: recorded.

What functions and their schemas are checked for is in `openai_shared/rules.py`.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, Rulebook
from fake_providers.values.lenient import objects
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import PROBES, sample_request, sample_with_tool
from fake_providers.wires.openai_responses.rules.samples import TOOL as WEATHER
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    TOOL,
    Item,
    ItemRules,
    has,
    inside,
    is_object,
    is_text,
)
from fake_providers.wires.openai_shared.wording import breach, missing, not_a_list, unknown_word, wrong_type

BOOK = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")
SCHEMAS_ITEM_RULES = ItemRules(envelope, "tools")
CHOICES_BOOK = Rulebook(envelope)

FUNCTION: Final = inside("tool", lambda tool, place: ((tool, place),) if tool["type"] == "function" else ())
STRICT_FUNCTION: Final = inside(
    "tool", lambda tool, place: ((tool, place),) if tool["type"] == "function" and tool.get("strict") is True else ()
)


DEFERRED: Final = {**WEATHER, "defer_loading": True}


def _stores_missing(item: Item) -> Breach | None:
    if item.value["type"] != "file_search" or "vector_store_ids" in item.value:
        return None
    input_ = item.request_body.get("input")
    if isinstance(input_, list) and any(item.get("role") == "assistant" for item in input_):
        return None
    return missing(f"{item.place}.vector_store_ids")


def _with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[WEATHER], tool_choice=choice)


def _choice_undeclared(body: dict[str, Any]) -> Breach | None:
    choice, offered = body.get("tool_choice"), body.get("tools") or ()
    if not isinstance(choice, dict) or choice.get("type") not in ("function", "custom") or _brings_more(body):
        return None
    if any(tool["type"] not in ("function", "custom") or tool.get("name") == choice.get("name") for tool in offered):
        return None
    return breach("tool_choice", f"Tool choice '{choice.get('name')}' not found in 'tools' parameter.")


def _brings_more(body: Any) -> bool:
    """Whether there may be other tools: from a stored prompt, an earlier response, or an item that adds some."""
    input_ = body.get("input")
    items = input_ if isinstance(input_, list) else ()
    named = any(body.get(name) for name in ("prompt", "previous_response_id", "conversation"))
    return named or any("tools" in item or item.get("type") == "item_reference" for item in items)


def _search(body: dict[str, Any]) -> tuple[str | None, bool] | None:
    """Who runs the search for tools, if there is one, and whether the loading of a tool is deferred; None where there
    may be other tools, or a search has a namespace to look in.
    """
    tools = body.get("tools") or ()
    by = next((tool.get("execution") or "server" for tool in tools if tool["type"] == "tool_search"), None)
    grouped = [one for tool in tools for one in (tool, *objects(tool.get("tools")))]
    is_deferred = any(one.get("defer_loading") is True for one in grouped)
    has_groups = any(tool["type"] == "namespace" for tool in tools)
    return None if _brings_more(body) or (by and has_groups) else (by, is_deferred)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/responses-tools-type", "`tools` is not a list.",
    ANY_PARAMETER, lambda body: not_a_list("tools", body.get("tools"), "an array of tools"), remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=WEATHER), right=sample_with_tool(),
    recorded={PROBES: "tools as a string"})
ITEM_RULES.row("openai/responses-tool-type", "A tool is not an object.",
    TOOL, is_object, remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=["get_weather"]), right=sample_with_tool(),
    inferred={"worded like the refusal of an item that is not an object": ""})
ITEM_RULES.row("openai/responses-tool-type-missing", "A tool has no `type`.",
    TOOL, has("type"), remedy=remedies.TOOL_SHAPE,
    wrong=sample_with_tool(type=None), right=sample_with_tool(),
    recorded={PROBES: "tools member without a type"})
ITEM_RULES.row("openai/responses-tool-type-type", "The type of a tool is not a string.",
    TOOL, is_text("type"), checked="2026-11-23", remedy=remedies.TOOL_SHAPE,
    wrong=sample_with_tool(type=7), right=sample_with_tool(),
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/responses-tool-name-missing",
    "A function has no name of its own, as in the format of chat completions, which nests it in `function`.",
    FUNCTION, has("name"), remedy=remedies.TOOL_MEMBERS,
    wrong=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}}]),
    right=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}]),
    recorded={PROBES: "chat-shaped tool", "recording, gpt-5-codex": "Missing required parameter: 'tools[0].name'."})
ITEM_RULES.row("openai/responses-namespace-description", "A group of tools has no description.",
    TOOL, lambda tool, place: tool["type"] == "namespace" and has("description")(tool, place), needs="namespace",
    remedy=remedies.TOOL_MEMBERS,
    wrong=sample_request(tools=[{"type": "namespace", "name": "weather", "tools": [WEATHER]}]),
    right=sample_request(
        tools=[{"type": "namespace", "name": "weather", "tools": [WEATHER], "description": "The weather."}]),
    verbatim={"public code that quotes it": "Missing required parameter: 'tools[0].description'"})
ITEM_RULES.row("openai/responses-stores-missing",
    "A `file_search` tool names no vector stores; recorded as accepted after an assistant message.",
    WHOLE_REQUEST, _stores_missing, needs="file_search", remedy=remedies.TOOL_MEMBERS,
    wrong=sample_request(tools=[{"type": "file_search"}]),
    right=sample_request(tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
    recorded={"recordings, gpt-4o": "Missing required parameter: 'tools[0].vector_store_ids'."})
rules.FUNCTIONS.add_to(ITEM_RULES, "responses", "openai/responses-tool-", FUNCTION, sample_with_tool)
CHOICES_BOOK.row("openai/responses-tool-choice-type", "`tool_choice` is neither a string nor an object.",
    ANY_PARAMETER, lambda body: not isinstance(body.get("tool_choice"), str | dict | None)
        and wrong_type("tool_choice", "one of an object or 'none', 'auto', or 'required'", body["tool_choice"]),
    needs="tool_choice", remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice(7), right=_with_choice("auto"),
    recorded={PROBES: "tool_choice as an integer"})
CHOICES_BOOK.row("openai/responses-tool-choice-unknown",
    "`tool_choice` is an unknown word, such as another provider's `any`.",
    ANY_PARAMETER, lambda body: isinstance(body.get("tool_choice"), str)
        and unknown_word("tool_choice", body["tool_choice"], ("none", "auto", "required")), needs="tool_choice",
    remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice("any"), right=_with_choice("required"),
    recorded={PROBES: "tool_choice unknown string"})
CHOICES_BOOK.row("openai/responses-tool-choice-incomplete",
    "`tool_choice` does not name a function, as in the format of chat completions, which nests the name in "
        "`function`.",
    ANY_PARAMETER, lambda body: isinstance(choice := body.get("tool_choice"), dict) and choice.get("type") == "function"
        and "name" not in choice and missing("tool_choice.name"), needs="tool_choice", remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice({"type": "function", "function": {"name": "get_weather"}}),
    right=_with_choice({"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}),
    recorded={PROBES: "chat-shaped tool_choice"})
CHOICES_BOOK.row("openai/responses-tool-choice-undeclared", "`tool_choice` names a function that is not in `tools`.",
    WHOLE_REQUEST, _choice_undeclared, needs="tool_choice", remedy=remedies.OFFERED_CHOICE,
    wrong=_with_choice({"type": "function", "name": "get_time"}),
    right=_with_choice({"type": "function", "name": "get_weather"}),
    reported={"public code that quotes it for hosted tools": "Tool choice 'web_search' not found in 'tools' paramet"})
CHOICES_BOOK.row("openai/responses-deferred-without-search",
    "The loading of a tool is deferred, and no `tool_search` is there that would find it.",
    WHOLE_REQUEST, lambda body: _search(body) == (None, True)
        and breach("tools", "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search."),
    needs="defer_loading", checked="2026-11-29",
    remedy=Remedy("declarations", "Offer `tool_search` beside deferred tools, or send them without `defer_loading`."),
    wrong=sample_request(tools=[DEFERRED]), right=sample_request(tools=[DEFERRED, {"type": "tool_search"}]),
    verbatim={"openai/codex#19707": "Deferred tools require tools.tool_search",
        "Wei-Shaw/sub2api#5942": "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.",
        "pydantic/pydantic-ai#6080": ""})
CHOICES_BOOK.row("openai/responses-search-without-deferred",
    "The provider is to search for tools, and the loading of none is deferred; for a search by the client there need "
        "be none.",
    WHOLE_REQUEST, lambda body: _search(body) == ("server", False)
        and breach("tools",
        "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool."),
    needs="tool_search", checked="2026-11-29",
    remedy=Remedy("declarations", "Send `tool_search` only beside a tool with `defer_loading`."),
    wrong=sample_request(tools=[WEATHER, {"type": "tool_search"}]),
    right=sample_request(tools=[DEFERRED, {"type": "tool_search"}]),
    verbatim={"justrach/codegraff#746":
        "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool.",
        "three public programs that quote it": "tools.tool_search requires at least one deferred tool",
        "recordings of Codex, gpt-5.3-codex: with `execution: client` and no deferred tool, accepted": ""})
rules.SCHEMAS.add_to(SCHEMAS_ITEM_RULES, "responses", "openai/responses-", FUNCTION, sample_with_tool)
rules.STRICT.add_to(SCHEMAS_ITEM_RULES, "responses", "openai/responses-", STRICT_FUNCTION, sample_with_tool)
# fmt: on
