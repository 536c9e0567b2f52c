"""`tool_choice`: what it says. There need be no tools to choose from."""

from typing import Any, Final

from fakes.openai_chat.rules.wording import missing, wrong_type, wrong_value
from fakes.openai_responses.errors import envelope
from fakes.openai_responses.rules.sources import TOOL, asking, probed
from fakes.rulebook import Asked, Broken, Rulebook

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
def _choice_type(asked: Asked) -> Broken | None:
    choice = asked.body.get("tool_choice")
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
def _choice_unknown(asked: Asked) -> Broken | None:
    choice = asked.body.get("tool_choice")
    return wrong_value("tool_choice", choice, CHOICES) if isinstance(choice, str) and choice not in CHOICES else None


@BOOK.rule(
    "openai/responses-tool-choice-incomplete",
    why="`tool_choice` does not name a function, as in the shape of chat completions, where it is within `function`",
    confidence="recorded",
    evidence=probed("chat-shaped tool_choice"),
    breaking=_choosing({"type": "function", "function": {"name": "get_weather"}}),
    accepted=_choosing({"type": "function", "function": {"name": "get_weather"}, "name": "get_weather"}),
)
def _choice_incomplete(asked: Asked) -> Broken | None:
    choice = asked.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "function" or "name" in choice:
        return None
    return missing("tool_choice.name")
