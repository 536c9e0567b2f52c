"""Rules on the values of `tool_choice`. A word needs no tools, the name of a function does."""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import TOOL, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.wording import breach, missing, wrong_type, wrong_value

BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")


def _sample_with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


@BOOK.rule(
    "openai/responses-tool-choice-type",
    why="`tool_choice` is neither a string nor an object.",
    confidence="recorded",
    evidence=cite_probe("tool_choice as an integer"),
    breaking=_sample_with_choice(7),
    accepted=_sample_with_choice("auto"),
)
def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    return wrong_type("tool_choice", "one of an object or 'none', 'auto', or 'required'", choice)


@BOOK.rule(
    "openai/responses-tool-choice-unknown",
    why="`tool_choice` is an unknown word, such as another provider's `any`.",
    confidence="recorded",
    evidence=cite_probe("tool_choice unknown string"),
    breaking=_sample_with_choice("any"),
    accepted=_sample_with_choice("required"),
)
def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    return wrong_value("tool_choice", choice, CHOICES) if isinstance(choice, str) and choice not in CHOICES else None


@BOOK.rule(
    "openai/responses-tool-choice-incomplete",
    why=(
        "`tool_choice` does not name a function, as in the format of chat completions, which nests the name in "
        "`function`."
    ),
    confidence="recorded",
    evidence=cite_probe("chat-shaped tool_choice"),
    breaking=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}}),
    accepted=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}),
)
def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "function" or "name" in choice:
        return None
    return missing("tool_choice.name")


@BOOK.rule(
    "openai/responses-tool-choice-undeclared",
    why="`tool_choice` names a function that is not in `tools`.",
    confidence="reported",
    evidence=cite(
        "public code that quotes it for hosted tools", "Tool choice 'web_search' not found in 'tools' paramet"
    ),
    breaking=_sample_with_choice({"type": "function", "name": "get_time"}),
    accepted=_sample_with_choice({"type": "function", "name": "get_weather"}),
)
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
