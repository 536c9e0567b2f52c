"""`tool_choice`: what it says. A word needs no tools to choose from, the name of a function does."""

from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_responses.errors import envelope
from fakes.wires.openai_responses.rules.samples import TOOL, asking, cite, probed
from fakes.wires.openai_shared.wording import breach, missing, wrong_type, wrong_value

BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")


def _choosing(choice: Any) -> dict[str, Any]:
    return asking(tools=[TOOL], tool_choice=choice)


@BOOK.rule(
    "openai/responses-tool-choice-type",
    why="`tool_choice` is neither a word nor an object",
    confidence="recorded",
    evidence=probed("tool_choice as an integer"),
    breaking=_choosing(7),
    accepted=_choosing("auto"),
)
def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    return wrong_type("tool_choice", "one of an object or 'none', 'auto', or 'required'", choice)


@BOOK.rule(
    "openai/responses-tool-choice-unknown",
    why="`tool_choice` is a word that there is not, such as another provider's `any`",
    confidence="recorded",
    evidence=probed("tool_choice unknown string"),
    breaking=_choosing("any"),
    accepted=_choosing("required"),
)
def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    return wrong_value("tool_choice", choice, CHOICES) if isinstance(choice, str) and choice not in CHOICES else None


@BOOK.rule(
    "openai/responses-tool-choice-incomplete",
    why="`tool_choice` does not name a function, as in the shape of chat completions, where it is within `function`",
    confidence="recorded",
    evidence=probed("chat-shaped tool_choice"),
    breaking=_choosing({"type": "function", "function": {"name": "get_weather"}}),
    accepted=_choosing({"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}),
)
def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "function" or "name" in choice:
        return None
    return missing("tool_choice.name")


@BOOK.rule(
    "openai/responses-tool-choice-undeclared",
    why="`tool_choice` names a function that is not offered",
    confidence="reported",
    evidence=cite(
        "public code that quotes it for hosted tools", "Tool choice 'web_search' not found in 'tools' paramet"
    ),
    breaking=_choosing({"type": "function", "name": "get_time"}),
    accepted=_choosing({"type": "function", "name": "get_weather"}),
)
def _choice_undeclared(context: RequestContext) -> Breach | None:
    choice, offered = context.body.get("tool_choice"), context.body.get("tools") or ()
    if not isinstance(choice, dict) or choice.get("type") not in ("function", "custom") or _brings_more(context.body):
        return None
    if any(tool["type"] not in ("function", "custom") or tool.get("name") == choice.get("name") for tool in offered):
        return None
    return breach("tool_choice", f"Tool choice '{choice.get('name')}' not found in 'tools' parameter.")


def _brings_more(body: Any) -> bool:
    """Whether tools may come from elsewhere: a prompt that is kept, what came before, an item that holds some."""
    rendered = body.get("input")
    items = rendered if isinstance(rendered, list) else ()
    named = any(body.get(name) for name in ("prompt", "previous_response_id", "conversation"))
    return named or any("tools" in item or item.get("type") == "item_reference" for item in items)
