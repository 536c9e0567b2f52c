"""Rules on the list of tools, and on each tool up to its name. Groups (`namespace`) and hosted tools are accepted.

An empty list is accepted, and so are two tools of the same name: no refusal was found.

A word needs no tools, the name of a function does.

What their functions and schemas are checked for is in `openai_shared/rules.py`.

A function without `strict` is made strict if that is possible, and is never refused for it: recorded.
"""

from typing import Any, Final

from fake_providers.rulebook import ANY_PARAMETER, ANY_TOOL, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import (
    TOOL,
    cite,
    cite_probe,
    sample_request,
    sample_with_tool,
)
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.schema_faults import has_fault_inside
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    ItemRules,
    Row,
    RuleTable,
    has,
    is_list,
    is_object,
    is_text,
    items,
    whole_body,
)
from fake_providers.wires.openai_shared.wording import breach, missing, wrong_type, wrong_value

BOOK = Rulebook(envelope)
ITEM_RULES = ItemRules(envelope, "tools")

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL])


def functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    """The place of the tool, and the tool if it is a function; empty for a tool of another type."""
    tool = context.body.value
    return ((context.body.place, tool),) if tool["type"] == "function" else ()


FUNCTION_RULES = RuleTable(ITEM_RULES, functions, sample_with_tool)

RuleTable(BOOK, whole_body, sample_with_tool, selector=ANY_PARAMETER).add(
    Row(
        "openai/responses-tools-type",
        "`tools` is not a list.",
        is_list("tools", "an array of tools"),
        sample_request(tools=TOOL),
        "recorded",
        cite_probe("tools as a string"),
    ),
)
RuleTable(ITEM_RULES, items, sample_with_tool).add(
    Row(
        "openai/responses-tool-type",
        "A tool is not an object.",
        is_object,
        sample_request(tools=["get_weather"]),
        "inferred",
        cite("worded like the refusal of an item that is not an object"),
    ),
    Row(
        "openai/responses-tool-type-missing",
        "A tool has no `type`.",
        has("type"),
        sample_with_tool(type=None),
        "recorded",
        cite_probe("tools member without a type"),
    ),
    Row(
        "openai/responses-tool-type-type",
        "The type of a tool is not a string.",
        is_text("type"),
        sample_with_tool(type=7),
        "inferred",
        LIKE_OTHER_TYPES,
        checked="2026-11-23",
    ),
)


def _name_missing(context: RequestContext) -> Breach | None:
    tool = context.body.value
    return missing(f"{context.body.place}.name") if tool["type"] == "function" and "name" not in tool else None


def _namespace(context: RequestContext) -> Breach | None:
    tool = context.body.value
    described = tool["type"] != "namespace" or "description" in tool
    return None if described else missing(f"{context.body.place}.description")


def _stores_missing(context: RequestContext) -> Breach | None:
    tool = context.body.value
    if tool["type"] != "file_search" or "vector_store_ids" in tool:
        return None
    input_ = context.body.request_body.get("input")
    if isinstance(input_, list) and any(item.get("role") == "assistant" for item in input_):
        return None
    return missing(f"{context.body.place}.vector_store_ids")


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-tool-name-missing",
    "A function has no name of its own, as in the format of chat completions, which nests it in `function`.",
    ANY_TOOL, _name_missing,
    wrong=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}}]),
    right=sample_request(tools=[{"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}]),
    recorded=(*cite_probe("chat-shaped tool"),
        *cite("recording, gpt-5-codex", "Missing required parameter: 'tools[0].name'.")))
ITEM_RULES.row("openai/responses-namespace-description", "A group of tools has no description.",
    ANY_TOOL, _namespace, needs="namespace",
    wrong=sample_request(tools=[{"type": "namespace", "name": "weather", "tools": [TOOL]}]),
    right=sample_request(
        tools=[{"type": "namespace", "name": "weather", "tools": [TOOL], "description": "The weather."}]),
    verbatim={"public code that quotes it": "Missing required parameter: 'tools[0].description'"})
ITEM_RULES.row("openai/responses-stores-missing",
    "A `file_search` tool names no vector stores; recorded as accepted after an assistant message.",
    WHOLE_REQUEST, _stores_missing, needs="file_search",
    wrong=sample_request(tools=[{"type": "file_search"}]),
    right=sample_request(tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
    recorded={"recordings, gpt-4o": "Missing required parameter: 'tools[0].vector_store_ids'."})
# fmt: on


FUNCTION_RULES.add_shared("responses", "openai/responses-tool-", *rules.FUNCTIONS)

CHOICES_BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")


def _sample_with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    return wrong_type("tool_choice", "one of an object or 'none', 'auto', or 'required'", choice)


def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    return wrong_value("tool_choice", choice, CHOICES) if isinstance(choice, str) and choice not in CHOICES else None


def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "function" or "name" in choice:
        return None
    return missing("tool_choice.name")


def _choice_undeclared(context: RequestContext) -> Breach | None:
    choice, offered = context.body.get("tool_choice"), context.body.get("tools") or ()
    if not isinstance(choice, dict) or choice.get("type") not in ("function", "custom") or _brings_more(context.body):
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


SCHEMAS_ITEM_RULES = ItemRules(envelope, "tools")


def _has_fault_inside(context: RequestContext) -> bool:
    found: bool | None = context.read.get("fault inside")
    if found is None:
        found = any(has_fault_inside(function.get("parameters")) for _, function in functions(context))
        context.read["fault inside"] = found
    return found


SCHEMA_RULES = RuleTable(SCHEMAS_ITEM_RULES, functions, sample_with_tool)
STRICT_RULES = RuleTable(
    SCHEMAS_ITEM_RULES,
    lambda context: functions(context) if context.body.value.get("strict") is True else (),
    sample_with_tool,
    only=lambda context: any(function.get("strict") is True for _, function in functions(context)),
)


# A table: two rows are to be compared.
# fmt: off
CHOICES_BOOK.row("openai/responses-tool-choice-type", "`tool_choice` is neither a string nor an object.",
    ANY_PARAMETER, _choice_type, needs="tool_choice",
    wrong=_sample_with_choice(7), right=_sample_with_choice("auto"),
    recorded=cite_probe("tool_choice as an integer"))
CHOICES_BOOK.row("openai/responses-tool-choice-unknown",
    "`tool_choice` is an unknown word, such as another provider's `any`.",
    ANY_PARAMETER, _choice_unknown, needs="tool_choice",
    wrong=_sample_with_choice("any"), right=_sample_with_choice("required"),
    recorded=cite_probe("tool_choice unknown string"))
CHOICES_BOOK.row("openai/responses-tool-choice-incomplete",
    "`tool_choice` does not name a function, as in the format of chat completions, which nests the name in "
        "`function`.",
    ANY_PARAMETER, _choice_incomplete, needs="tool_choice",
    wrong=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}}),
    right=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}),
    recorded=cite_probe("chat-shaped tool_choice"))
CHOICES_BOOK.row("openai/responses-tool-choice-undeclared", "`tool_choice` names a function that is not in `tools`.",
    WHOLE_REQUEST, _choice_undeclared, needs="tool_choice",
    wrong=_sample_with_choice({"type": "function", "name": "get_time"}),
    right=_sample_with_choice({"type": "function", "name": "get_weather"}),
    reported={"public code that quotes it for hosted tools": "Tool choice 'web_search' not found in 'tools' paramet"})
# fmt: on

SCHEMA_RULES.add_shared("responses", "openai/responses-", rules.SCHEMA_NOT_OBJECT)
SCHEMA_RULES.add_shared("responses", "openai/responses-", *rules.SCHEMA_INSIDE, only=_has_fault_inside)
SCHEMA_RULES.add_shared("responses", "openai/responses-", *rules.SCHEMA_ROOT)
SCHEMA_RULES.add_shared("responses", "openai/responses-", rules.ARRAY_WITHOUT_ITEMS, only=_has_fault_inside)
STRICT_RULES.add_shared("responses", "openai/responses-", *rules.STRICT)
