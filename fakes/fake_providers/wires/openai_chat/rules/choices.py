"""Rules on `tool_choice` and `parallel_tool_calls`: their values, and that there are tools."""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.wording import breach, missing, wrong_type, wrong_value

BOOK = Rulebook(envelope)

CHOICES: Final = ("none", "auto", "required")

_SAMPLE_WITH_TOOL = sample_request(tools=[TOOL], tool_choice="auto")


def _sample_with_choice(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


@BOOK.rule(
    "openai/tool-choice-type",
    why="`tool_choice` is neither a string nor an object.",
    confidence="recorded",
    evidence=cite_probe("an integer tool_choice"),
    breaking=_sample_with_choice(7),
    accepted=_SAMPLE_WITH_TOOL,
)
def _choice_type(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if choice is None or isinstance(choice, str | dict):
        return None
    # The API itself doubles these words.
    return wrong_type("tool_choice", "one of one of 'none', 'auto', or 'required' or object", choice)


@BOOK.rule(
    "openai/tool-choice-unknown",
    why="`tool_choice` is an unknown word, such as another provider's `any`.",
    confidence="recorded",
    evidence=cite_probe("an unknown tool_choice"),
    breaking=_sample_with_choice("any"),
    accepted=_SAMPLE_WITH_TOOL,
)
def _choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, str) or choice in CHOICES:
        return None
    return wrong_value("tool_choice", choice, CHOICES)


@BOOK.rule(
    "openai/tool-choice-incomplete",
    why="`tool_choice` is an object that does not name a function.",
    confidence="recorded",
    evidence=cite_probe("a tool_choice object with no function"),
    breaking=_sample_with_choice({"type": "function", "name": "get_weather"}),
    accepted=_sample_with_choice({"type": "function", "name": "get_weather", "function": {"name": "get_weather"}}),
)
def _choice_incomplete(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in ("allowed_tools", "custom"):
        return None
    if not isinstance(choice.get("function"), dict):
        return missing("tool_choice.function")
    return None if choice["function"].get("name") else missing("tool_choice.function.name")


@BOOK.rule(
    "openai/tool-choice-without-tools",
    why="`tool_choice` is set and there are no tools.",
    confidence="verbatim",
    evidence=cite("quoted in three public threads", "'tool_choice' is only allowed when 'tools' are specified."),
    breaking=sample_request(tool_choice="auto"),
    accepted=_SAMPLE_WITH_TOOL,
)
def _choice_without_tools(context: RequestContext) -> Breach | None:
    return (
        None
        if context.body.get("tool_choice") is None or context.body.get("tools")
        else _only_with_tools("tool_choice")
    )


@BOOK.rule(
    "openai/tool-choice-undeclared",
    why="`tool_choice` names a function that is not in `tools`.",
    confidence="recorded",
    evidence=cite_probe("a tool_choice naming an undeclared function"),
    breaking=_sample_with_choice({"type": "function", "function": {"name": "get_time"}}),
    accepted=_sample_with_choice({"type": "function", "function": {"name": "get_weather"}}),
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


@BOOK.rule(
    "openai/parallel-tool-calls-without-tools",
    why="`parallel_tool_calls` is set and there are no tools.",
    models="gpt-3.5 and gpt-4*; gpt-5.6 was observed to accept it",
    confidence="verbatim",
    evidence=(*cite("openai/swarm#30", "'parallel_tool_calls' is only allowed"), *cite("Upsonic/Upsonic#323")),
    breaking=sample_request(parallel_tool_calls=False),
    accepted=sample_request(tools=[TOOL], parallel_tool_calls=False),
)
def _parallel_without_tools(context: RequestContext) -> Breach | None:
    if "parallel-needs-tools" not in context.traits or context.body.get("tools"):
        return None
    return None if context.body.get("parallel_tool_calls") is None else _only_with_tools("parallel_tool_calls")


def _only_with_tools(param: str) -> Breach:
    return breach(param, f"Invalid value for '{param}': '{param}' is only allowed when 'tools' are specified.")
