"""Which tools a `tool_choice` forces or allows, in the forms of chat completions and of Responses. Refuses nothing."""

from collections.abc import Iterable
from typing import Any


def forced_tools(choice: Any, offered: Iterable[str]) -> frozenset[str]:
    """The tools one of which must be called; none if the model may answer. A list of allowed tools may force too."""
    if choice in ("required", "any"):  # "any" is Mistral's word for it
        return frozenset(offered)
    if not isinstance(choice, dict):
        return frozenset()
    if choice.get("type") != "allowed_tools":
        return _names([choice])
    nested = choice.get("allowed_tools")
    allowed = nested if isinstance(nested, dict) else choice
    tools = allowed.get("tools")
    return _names(tools) if allowed.get("mode") == "required" and isinstance(tools, list) else frozenset()


def allowed_tools(choice: Any) -> frozenset[str] | None:
    """The only tools that may be called; None where the choice names none."""
    if not isinstance(choice, dict) or choice.get("type") != "allowed_tools":
        return None
    nested = choice.get("allowed_tools")
    tools = (nested if isinstance(nested, dict) else choice).get("tools")
    return _names(tools) if isinstance(tools, list) else None


def _names(tools: list[Any]) -> frozenset[str]:
    named = [tool.get("function", tool) for tool in tools if isinstance(tool, dict)]
    names = [one.get("name") for one in named if isinstance(one, dict)]
    return frozenset(name for name in names if isinstance(name, str))
