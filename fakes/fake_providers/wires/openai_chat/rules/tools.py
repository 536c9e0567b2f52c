"""Rules on the list of tools, and on each tool up to its name. Schemas are checked later.

Two tools of the same name are accepted: no refusal by OpenAI was found, and eclipse-theia/theia#16122 reports that what
Anthropic refuses works there.

What their functions and schemas are checked for is in `openai_shared/rules.py`.
"""

from typing import Any, Final

from fake_providers.rulebook import ALL_TOOLS, ANY_PARAMETER, ANY_TOOL, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, cite_probe, sample_request, sample_with_tool
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.schema_faults import has_fault_inside
from fake_providers.wires.openai_shared.shared_rules import (
    ItemRules,
    Row,
    RuleTable,
    has,
    is_list,
    is_not_an_empty_list,
    is_object,
    items,
    whole_body,
)
from fake_providers.wires.openai_shared.wording import (
    breach,
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


RuleTable(LIST, whole_body, lambda: _SAMPLE_WITH_TOOL, selector=ALL_TOOLS).add(
    Row(
        "openai/tools-type",
        "`tools` is not a list.",
        is_list("tools"),
        sample_request(tools=TOOL),
        "recorded",
        cite_probe("a string tools"),
    ),
    Row(
        "openai/tools-empty",
        "`tools` is an empty list; null is accepted.",
        is_not_an_empty_list("tools"),
        sample_request(tools=[]),
        "verbatim",
        cite("quoted in two public threads", "Invalid 'tools': empty array."),
        accepted=sample_request(),
    ),
)


def _tools_too_many(context: RequestContext) -> Breach | None:
    tools = context.body.get("tools") or ()
    return long_array("tools", most=MOST_TOOLS, length=len(tools)) if len(tools) > MOST_TOOLS else None


# A table: two rows are to be compared.
# fmt: off
LIST.row("openai/tools-too-many", "There are more than 128 tools.",
    ALL_TOOLS, _tools_too_many, needs="tools",
    wrong=sample_request(tools=[TOOL] * (MOST_TOOLS + 1)), right=sample_request(tools=[TOOL] * MOST_TOOLS),
    verbatim={"quoted in public code": "Expected an array with maximum length 128"})
# fmt: on


RuleTable(ITEM_RULES, items, sample_with_tool).add(
    Row(
        "openai/tool-type",
        "A tool is not an object.",
        is_object,
        sample_request(tools=["get_weather"]),
        "inferred",
        cite("worded like the refusal of a message that is not an object"),
    ),
    Row(
        "openai/tool-type-missing",
        "A tool has no `type`.",
        has("type"),
        sample_request(tools=[{"function": TOOL["function"]}]),
        "recorded",
        (
            *cite("recording, gpt-4o-mini", "Missing required parameter: 'tools[0].type'."),
            *cite("openai/openai-cookbook#1248", "Missing required parameter: 'tools[0].type'"),
        ),
    ),
)


def _tool_type_unknown(context: RequestContext) -> Breach | None:
    kind = context.body.value["type"]
    return None if kind == RECORDED_TYPE else unknown_word(f"{context.body.place}.type", kind, ("function", "custom"))


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/tool-type-unknown",
    "A tool is neither a function nor a custom tool: hosted tools, such as `web_search`, are for Responses only.",
    ANY_TOOL, _tool_type_unknown, checked="2026-11-23",
    wrong=sample_request(tools=[{**TOOL, "type": "web_search"}]), right=_SAMPLE_WITH_TOOL,
    verbatim={"ten public projects": "Invalid value: 'web_search'. Supported values are: 'function' and 'custom'."})
# fmt: on


RuleTable(ITEM_RULES, items, sample_with_tool).add(
    Row(
        "openai/tool-function-missing",
        "A tool has no `function`, as in the format of the Responses API.",
        function_missing,
        sample_request(tools=[{"type": "function"}]),
        "recorded",
        cite_probe("a tool with no function"),
    ),
)
FUNCTION_RULES = RuleTable(ITEM_RULES, functions, sample_with_tool)
FUNCTION_RULES.add(
    Row(
        "openai/function-name-missing",
        "A function has no name.",
        has("name"),
        sample_with_tool(name=None),
        "recorded",
        cite_probe("a tool function with no name"),
    ),
)
FUNCTION_RULES.add_shared("chat", "openai/function-", *rules.FUNCTIONS)


BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")

_CHOICES_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL], tool_choice="auto")


def _sample_with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    # The API itself doubles these words.
    return wrong_type("tool_choice", "one of one of 'none', 'auto', or 'required' or object", choice)


def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, str) or choice in CHOICES:
        return None
    return wrong_value("tool_choice", choice, CHOICES)


def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in ("allowed_tools", "custom"):
        return None
    if not isinstance(choice.get("function"), dict):
        return missing("tool_choice.function")
    return None if choice["function"].get("name") else missing("tool_choice.function.name")


def _choice_without_tools(context: RequestContext) -> Breach | None:
    return (
        None
        if context.body.get("tool_choice") is None or context.body.get("tools")
        else _only_with_tools("tool_choice")
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


def _function_call_alone(context: RequestContext) -> Breach | None:
    if context.body.get("function_call") is None or context.body.get("functions"):
        return None
    message = "'function_call' is only allowed when 'functions' are specified."
    return breach("function_call", f"Invalid value for 'function_call': {message}")


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


def _has_fault_inside(context: RequestContext) -> bool:
    found: bool | None = context.read.get("fault inside")
    if found is None:
        found = any(has_fault_inside(function.get("parameters")) for _, function in functions(context))
        context.read["fault inside"] = found
    return found


SCHEMA_RULES = RuleTable(SCHEMAS_ITEM_RULES, functions, sample_with_tool)
STRICT_RULES = RuleTable(
    SCHEMAS_ITEM_RULES,
    _strict_functions,
    sample_with_tool,
    only=lambda context: any(function.get("strict") is True for _, function in functions(context)),
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/tool-choice-type", "`tool_choice` is neither a string nor an object.",
    ANY_PARAMETER, _choice_type, needs="tool_choice",
    wrong=_sample_with_choice(7), right=_CHOICES_SAMPLE_WITH_TOOL,
    recorded=cite_probe("an integer tool_choice"))
BOOK.row("openai/tool-choice-unknown", "`tool_choice` is an unknown word, such as another provider's `any`.",
    ANY_PARAMETER, _choice_unknown, needs="tool_choice",
    wrong=_sample_with_choice("any"), right=_CHOICES_SAMPLE_WITH_TOOL,
    recorded=cite_probe("an unknown tool_choice"))
BOOK.row("openai/tool-choice-incomplete", "`tool_choice` is an object that does not name a function.",
    ANY_PARAMETER, _choice_incomplete, needs="tool_choice",
    wrong=_sample_with_choice({"type": "function", "name": "get_weather"}),
    right=_sample_with_choice({"type": "function", "name": "get_weather", "function": {"name": "get_weather"}}),
    recorded=cite_probe("a tool_choice object with no function"))
BOOK.row("openai/tool-choice-without-tools", "`tool_choice` is set and there are no tools.",
    ANY_PARAMETER, _choice_without_tools, needs="tool_choice",
    wrong=sample_request(tool_choice="auto"), right=_CHOICES_SAMPLE_WITH_TOOL,
    verbatim={"quoted in three public threads": "'tool_choice' is only allowed when 'tools' are specified."})
BOOK.row("openai/tool-choice-undeclared", "`tool_choice` names a function that is not in `tools`.",
    ALL_TOOLS, _choice_undeclared, even_usual=True, needs="tool_choice",
    wrong=_sample_with_choice({"type": "function", "function": {"name": "get_time"}}),
    right=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}}),
    recorded=cite_probe("a tool_choice naming an undeclared function"))
BOOK.row("openai/function-call-without-functions",
    "`function_call` is set and there are no `functions`, which are the older form of tools.",
    ANY_PARAMETER, _function_call_alone, needs="function_call",
    wrong=sample_request(function_call="auto"), right=sample_request(function_call=None),
    inferred={"worded like the refusal of `tool_choice` without tools": ""})
BOOK.row("openai/parallel-tool-calls-without-tools", "`parallel_tool_calls` is set and there are no tools.",
    ANY_PARAMETER, _parallel_without_tools, needs="parallel_tool_calls", trait="parallel-needs-tools",
    models="gpt-3.5 and gpt-4*; gpt-5.6 was observed to accept it",
    wrong=sample_request(parallel_tool_calls=False), right=sample_request(tools=[TOOL], parallel_tool_calls=False),
    verbatim={"openai/swarm#30": "'parallel_tool_calls' is only allowed", "Upsonic/Upsonic#323": ""})
# fmt: on

SCHEMA_RULES.add_shared("chat", "openai/", rules.SCHEMA_NOT_OBJECT)
SCHEMA_RULES.add_shared("chat", "openai/", *rules.SCHEMA_INSIDE, only=_has_fault_inside)
SCHEMA_RULES.add_shared("chat", "openai/", *rules.SCHEMA_ROOT)
SCHEMA_RULES.add_shared("chat", "openai/", rules.ARRAY_WITHOUT_ITEMS, only=_has_fault_inside)
STRICT_RULES.add_shared("chat", "openai/", *rules.STRICT)
