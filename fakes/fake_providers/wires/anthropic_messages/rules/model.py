"""Rules on `model` and `tool_choice`, which the provider checks first. Does not look at the tools."""

from typing import Any

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages.errors import envelope
from fake_providers.wires.anthropic_messages.rules import values
from fake_providers.wires.anthropic_messages.rules.samples import TOOL, TOOL_PROBES, measured, sample_request

BOOK = Rulebook(envelope)
CHOICES = ("auto", "any", "tool", "none")


def choose(choice: Any) -> dict[str, Any]:
    return sample_request(tools=[TOOL], tool_choice=choice)


@BOOK.rule(
    "anthropic/model-missing",
    why="The request has no `model`.",
    confidence="recorded",
    evidence=measured("model: Field required"),
    breaking=sample_request(model=...),
    accepted=sample_request(),
)
def model_missing(context: RequestContext) -> Breach | None:
    return None if "model" in context.body else Breach("model", "model: Field required")


@BOOK.rule(
    "anthropic/model-type",
    why="The model's name is not a string, or it is empty.",
    confidence="recorded",
    evidence=measured("model: String should have at least 1 character"),
    breaking=sample_request(model=""),
    accepted=sample_request(),
)
def model_type(context: RequestContext) -> Breach | None:
    model = context.body.get("model")
    if not isinstance(model, str):
        return Breach("model", "model: Input should be a valid string")
    return None if model else Breach("model", "model: String should have at least 1 character")


@BOOK.rule(
    "anthropic/tool-choice-type",
    why="`tool_choice` is not an object; other wires accept a string or null.",
    confidence="recorded",
    evidence=measured("tool_choice: Input should be an object"),
    breaking=choose("auto"),
    accepted=choose({"type": "auto"}),
)
def tool_choice_type(context: RequestContext) -> Breach | None:
    if "tool_choice" not in context.body or isinstance(context.body["tool_choice"], dict):
        return None
    return Breach("tool_choice", "tool_choice: Input should be an object")


@BOOK.rule(
    "anthropic/tool-choice-unknown",
    why="The type of `tool_choice` is not auto, any, tool or none; `required` and `function` are OpenAI's.",
    confidence="recorded",
    evidence=(Citation(TOOL_PROBES, "tool_choice: Input tag 'required' found using 'type' does not match any"),),
    breaking=choose({"type": "required"}),
    accepted=choose({"type": "any"}),
)
def tool_choice_unknown(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") in CHOICES:
        return None
    if "type" not in choice:
        return Breach("tool_choice", "tool_choice.type: Field required")
    return Breach("tool_choice", f"tool_choice: {values.unknown_tag(choice['type'], CHOICES)}")


@BOOK.rule(
    "anthropic/tool-choice-name",
    why="A `tool_choice` of type `tool` has no name.",
    confidence="inferred",
    evidence=measured("messages.0.content.0.type: Field required"),
    breaking=choose({"type": "tool"}),
    accepted=choose({"type": "tool", "name": "f"}),
)
def tool_choice_name(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not isinstance(choice, dict) or choice.get("type") != "tool" or isinstance(choice.get("name"), str):
        return None
    sentence = "Input should be a valid string" if "name" in choice else values.REQUIRED
    return Breach("tool_choice.name", f"tool_choice.tool.name: {sentence}")
