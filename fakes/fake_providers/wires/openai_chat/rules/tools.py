"""Rules on the list of tools, on each tool and its schema, and on the choice among them.

Two tools of the same name are accepted: no refusal by OpenAI was found, and eclipse-theia/theia#16122 reports that what
Anthropic refuses works there.

What their functions and schemas are checked for is in `openai_shared/rules.py`.
"""

from collections.abc import Iterable
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ALL_TOOLS, ANY_PARAMETER, Breach, Rulebook
from fake_providers.wires.openai_chat.rules.samples import PROBES, TOOL, sample_request, sample_with_tool
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.shared_rules import TOOL as EACH_TOOL
from fake_providers.wires.openai_shared.shared_rules import ItemRules, has, inside, is_object

LIST = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")
BOOK = Rulebook(envelope)
SCHEMAS_ITEM_RULES = ItemRules(envelope, "tools")

MOST_TOOLS: Final = 128
CHOICES: Final = ("none", "auto", "required")
LIKE_MESSAGE: Final = {"worded like the refusal of a message that is not an object": ""}

_WITH_TOOL = sample_request(tools=[TOOL])


def _functions(tool: dict[str, Any], place: str) -> Iterable[tuple[Any, str]]:
    """The function of the tool; nothing for a tool of another type."""
    return ((tool["function"], f"{place}.function"),) if tool["type"] == "function" else ()


def _strict_functions(tool: dict[str, Any], place: str) -> Iterable[tuple[Any, str]]:
    # Even without parameters, strict mode requires `additionalProperties`: recorded.
    strict = ((function, at) for function, at in _functions(tool, place) if function.get("strict") is True)
    return (({"parameters": {"type": "object"}, **function}, at) for function, at in strict)


FUNCTION: Final = inside("tool", _functions)
STRICT_FUNCTION: Final = inside("tool", _strict_functions)


def function_missing(owner: dict[str, Any], place: str) -> Breach | None:
    """The breach of a tool or a call that is a function and does not have its object."""
    if owner["type"] != "function" or isinstance(owner.get("function"), dict):
        return None
    place = f"{place}.function"
    return say.wrong_type(place, "an object", owner["function"]) if "function" in owner else say.missing(place)


def _with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


def _choice_incomplete(body: dict[str, Any]) -> Breach | None:
    choice = body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in ("allowed_tools", "custom"):
        return None
    if not isinstance(choice.get("function"), dict):
        return say.missing("tool_choice.function")
    return None if choice["function"].get("name") else say.missing("tool_choice.function.name")


def _choice_undeclared(body: dict[str, Any]) -> Breach | None:
    choice = body.get("tool_choice")
    if not isinstance(choice, dict) or not isinstance(choice.get("function"), dict):
        return None
    name = choice["function"]["name"]
    offered = [tool["function"] for tool in body["tools"] if isinstance(tool.get("function"), dict)]
    if any(function.get("name") == name for function in offered):
        return None
    # The API still names the fields that `tools` replaced.
    message = f"no function named '{name}' was specified in the 'functions' parameter."
    return say.breach("function_call", f"Invalid value for 'function_call': {message}", at="tool_choice.function.name")


def _needs_tools(param: str, body: dict[str, Any]) -> Breach | None:
    if body.get(param) is None or body.get("tools"):
        return None
    return say.breach(param, f"Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified.")


# A table: two rows are to be compared.
# fmt: off
LIST.row("openai/tools-type", "`tools` is not a list.",
    ALL_TOOLS, lambda body: say.not_a_list("tools", body.get("tools")), remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=TOOL), right=_WITH_TOOL,
    recorded={PROBES: "a string tools"})
LIST.row("openai/tools-empty", "`tools` is an empty list; null is accepted.",
    ALL_TOOLS, lambda body: body.get("tools") == [] and say.empty_array("tools"),
    remedy=Remedy("declarations", "Leave `tools` out of the request where no tool is enabled."),
    wrong=sample_request(tools=[]), right=sample_request(),
    verbatim={"quoted in two public threads": "Invalid 'tools': empty array."})
LIST.row("openai/tools-too-many", "There are more than 128 tools.",
    ALL_TOOLS, lambda body: say.long_array("tools", body.get("tools") or (), MOST_TOOLS), needs="tools",
    remedy=Remedy("declarations", "Offer at most as many tools as this provider takes, those of the current task."),
    wrong=sample_request(tools=[TOOL] * (MOST_TOOLS + 1)), right=sample_request(tools=[TOOL] * MOST_TOOLS),
    verbatim={"quoted in public code": "Expected an array with maximum length 128"})
ITEM_RULES.row("openai/tool-type", "A tool is not an object.",
    EACH_TOOL, is_object, remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=["get_weather"]), right=_WITH_TOOL,
    inferred=LIKE_MESSAGE)
ITEM_RULES.row("openai/tool-type-missing", "A tool has no `type`.",
    EACH_TOOL, has("type"), remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=[{"function": TOOL["function"]}]), right=_WITH_TOOL,
    recorded={"recording, gpt-4o-mini": "Missing required parameter: 'tools[0].type'.",
        "openai/openai-cookbook#1248": "Missing required parameter: 'tools[0].type'"})
# gpt-5-nano was recorded to accept `web_search_preview` (0xPlaygrounds/rig).
ITEM_RULES.row("openai/tool-type-unknown",
    "A tool is neither a function nor a custom tool: hosted tools, such as `web_search`, are for Responses only.",
    EACH_TOOL, lambda tool, place: tool["type"] != "web_search_preview"
        and say.unknown_word(f"{place}.type", tool["type"], ("function", "custom")), checked="2026-11-23",
    remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=[{**TOOL, "type": "web_search"}]), right=_WITH_TOOL,
    verbatim={"ten public projects": "Invalid value: 'web_search'. Supported values are: 'function' and 'custom'."})
ITEM_RULES.row("openai/tool-function-missing", "A tool has no `function`, as in the format of the Responses API.",
    EACH_TOOL, function_missing, remedy=remedies.TOOL_SHAPE,
    wrong=sample_request(tools=[{"type": "function"}]), right=_WITH_TOOL,
    recorded={PROBES: "a tool with no function"})
ITEM_RULES.row("openai/function-name-missing", "A function has no name.",
    FUNCTION, has("name"), remedy=remedies.TOOL_MEMBERS,
    wrong=sample_with_tool(name=None), right=_WITH_TOOL,
    recorded={PROBES: "a tool function with no name"})
rules.FUNCTIONS.add_to(ITEM_RULES, "chat", "openai/function-", FUNCTION, sample_with_tool)
# The API itself doubles the words `one of`.
BOOK.row("openai/tool-choice-type", "`tool_choice` is neither a string nor an object.",
    ANY_PARAMETER, lambda body: not isinstance(body.get("tool_choice"), str | dict | None)
        and say.wrong_type("tool_choice", "one of one of 'none', 'auto', or 'required' or object", body["tool_choice"]),
    needs="tool_choice", remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice(7), right=_with_choice("auto"),
    recorded={PROBES: "an integer tool_choice"})
BOOK.row("openai/tool-choice-unknown", "`tool_choice` is an unknown word, such as another provider's `any`.",
    ANY_PARAMETER, lambda body: isinstance(body.get("tool_choice"), str)
        and say.unknown_word("tool_choice", body["tool_choice"], CHOICES), needs="tool_choice",
        remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice("any"), right=_with_choice("auto"),
    recorded={PROBES: "an unknown tool_choice"})
BOOK.row("openai/tool-choice-incomplete", "`tool_choice` is an object that does not name a function.",
    ANY_PARAMETER, _choice_incomplete, needs="tool_choice", remedy=remedies.CHOICE_SHAPE,
    wrong=_with_choice({"type": "function", "name": "get_weather"}),
    right=_with_choice({"type": "function", "name": "get_weather", "function": {"name": "get_weather"}}),
    recorded={PROBES: "a tool_choice object with no function"})
BOOK.row("openai/tool-choice-without-tools", "`tool_choice` is set and there are no tools.",
    ANY_PARAMETER, lambda body: _needs_tools("tool_choice", body), needs="tool_choice",
    remedy=remedies.CHOICE_WITH_TOOLS,
    wrong=sample_request(tool_choice="auto"), right=_with_choice("auto"),
    verbatim={"quoted in three public threads": "'tool_choice' is only allowed when 'tools' are specified."})
BOOK.row("openai/tool-choice-undeclared", "`tool_choice` names a function that is not in `tools`.",
    ALL_TOOLS, _choice_undeclared, even_usual=True, needs="tool_choice", remedy=remedies.OFFERED_CHOICE,
    wrong=_with_choice({"type": "function", "function": {"name": "get_time"}}),
    right=_with_choice({"type": "function", "function": {"name": "get_weather"}}),
    recorded={PROBES: "a tool_choice naming an undeclared function"})
BOOK.row("openai/function-call-without-functions",
    "`function_call` is set and there are no `functions`, which are the older form of tools.",
    ANY_PARAMETER, lambda body: body.get("function_call") is not None and not body.get("functions")
        and say.breach("function_call",
        "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are " "specified."),
    needs="function_call", remedy=remedies.CHOICE_WITH_TOOLS.of("declarations"),
    wrong=sample_request(function_call="auto"), right=sample_request(function_call=None),
    inferred={"worded like the refusal of `tool_choice` without tools": ""})
BOOK.row("openai/parallel-tool-calls-without-tools", "`parallel_tool_calls` is set and there are no tools.",
    ANY_PARAMETER, lambda body: _needs_tools("parallel_tool_calls", body), needs="parallel_tool_calls",
    trait="parallel-needs-tools", models="gpt-3.5 and gpt-4*; gpt-5.6 was observed to accept it",
    remedy=remedies.CHOICE_WITH_TOOLS,
    wrong=sample_request(parallel_tool_calls=False), right=sample_request(tools=[TOOL], parallel_tool_calls=False),
    verbatim={"openai/swarm#30": "'parallel_tool_calls' is only allowed", "Upsonic/Upsonic#323": ""})
rules.SCHEMAS.add_to(SCHEMAS_ITEM_RULES, "chat", "openai/", FUNCTION, sample_with_tool)
rules.STRICT.add_to(SCHEMAS_ITEM_RULES, "chat", "openai/", STRICT_FUNCTION, sample_with_tool)
# fmt: on
