"""The law `tool-choice`: what the setup forces is forced until its result, and no longer."""

from typing import Any

import pytest

from agent_conformance import NamedTool, Tool
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import ONE_CALL, only_findings, verdicts

NAMED = "tool_choice: {tool: get_weather}\n" + ONE_CALL
NAMED_OF_TWO = NAMED.replace(
    "\nconversation:",
    "  - name: get_time\n    description: The time in a city.\n    parameters: {city: string}\n\nconversation:",
)
REQUIRED = "tool_choice: required\n" + ONE_CALL
AUTO = "tool_choice: auto\n" + ONE_CALL
NONE = "tool_choice: none\n" + ONE_CALL.replace("      - calls: [{name: get_weather, arguments: {city: Oslo}}]\n", "")
FORCING = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate")


def field(wire: str, choice: Any) -> dict[str, Any]:
    """A `tool_choice` in the wire's own form."""
    if wire == "gemini-generate":
        mode = {"required": "ANY", "none": "NONE", "auto": "AUTO"}.get(choice, "ANY")
        named = {"allowedFunctionNames": [choice.tool]} if isinstance(choice, NamedTool) else {}
        return {"toolConfig": {"functionCallingConfig": {"mode": mode, **named}}}
    if isinstance(choice, NamedTool):
        named = {"name": choice.tool}
        return {
            "tool_choice": {
                "openai-chat": {"type": "function", "function": named},
                "openai-responses": {"type": "function", **named},
                "anthropic-messages": {"type": "tool", **named},
            }[wire]
        }
    if wire == "anthropic-messages":
        return {"tool_choice": {"type": {"required": "any"}.get(choice, choice)}}
    return {"tool_choice": choice}


class ForcedOnce(PlainAgent):
    """Right: it forces the first request of each turn, and leaves the others to the model."""

    wires = FORCING
    features = PlainAgent.features | {"tool-choice"}

    def begin(self, message: str) -> None:
        super().begin(message)
        self.first = True

    def choice(self) -> Any:
        return self.setup.tool_choice if self.first or self.setup.tool_choice == "none" else "auto"

    def body(self) -> dict[str, Any]:
        body, choice = super().body(), self.choice()
        self.first = False
        return body | field(self.setup.wire, choice) if choice is not None else body


class Insists(ForcedOnce):
    """Right: a forced request without a call in its answer is a fault of the provider, which it reports."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        was_forced, self.was_forced = self.was_forced, False
        text, calls = super().take(response)
        if was_forced and not calls:
            raise GaveUp("the response has no call of the tool that was required")
        return text, calls

    def begin(self, message: str) -> None:
        super().begin(message)
        self.was_forced = True


class ForcesOneOfOne(ForcedOnce):
    """Right: where a tool is named, it offers that one alone in a list of those that are allowed."""

    wires = ("openai-chat",)

    def choice(self) -> Any:
        chosen = super().choice()
        if not isinstance(chosen, NamedTool):
            return chosen
        one = {"type": "function", "function": {"name": chosen.tool}}
        return {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [one]}}


class OffersTheNamedTool(ForcedOnce):
    """Right: a provider that takes no name in `tool_choice` is offered the named tool alone, and `required`."""

    wires = ("openai-chat",)

    def tools(self) -> list[Tool]:
        chosen = super().choice()
        return [tool for tool in super().tools() if not isinstance(chosen, NamedTool) or tool.name == chosen.tool]

    def choice(self) -> Any:
        chosen = super().choice()
        return "required" if isinstance(chosen, NamedTool) else chosen


class OffersNothing(PlainAgent):
    """Right under `none`: without tools there are no calls."""

    features = PlainAgent.features | {"tool-choice"}

    def tools(self) -> list[Tool]:
        return [] if self.setup.tool_choice == "none" else super().tools()


class AnswersByATool(ForcedOnce):
    """Right: every request forces a call, and one of the tools is the agent's own for the answer."""

    wires = ("openai-chat",)
    reply_tool: Any = ("final_answer", "answer")

    def tools(self) -> list[Tool]:
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        return [*super().tools(), Tool("final_answer", "The answer.", schema, run=str, arun=_never)]

    def choice(self) -> Any:
        return self.setup.tool_choice if self.first else "required"

    def send(self, message: str) -> Any:
        self.begin(message)
        while True:
            text, calls = self.ask()
            if not calls:
                return text
            self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
            if calls[0][1] == "final_answer":
                return calls[0][2]["answer"]


async def _never(_: Any) -> Any:
    raise NotImplementedError


class AlwaysForced(ForcedOnce):
    """Wrong: the model can never answer."""

    def choice(self) -> Any:
        return self.setup.tool_choice


class NeverForced(ForcedOnce):
    """Wrong: it declares the feature and does nothing about it."""

    def choice(self) -> Any:
        return None


class NeverForcedAndKeeps(NeverForced):
    """Right with a model that reasons: it sends the reasoning back, and forces nothing."""

    wires = ("openai-chat",)

    def take(self, response: dict[str, Any]) -> Any:
        taken = super().take(response)
        self.messages[-1]["reasoning_content"] = response["choices"][0]["message"].get("reasoning_content", "")
        return taken


class AlwaysRequired(ForcedOnce):
    """Wrong under `auto`: it forces a call though nobody says so."""

    def choice(self) -> Any:
        return "required"


RIGHT = [
    (ForcedOnce, NAMED),
    (ForcedOnce, REQUIRED),
    (ForcedOnce, AUTO),
    (ForcedOnce, NONE),
    (ForcesOneOfOne, NAMED),
    (OffersTheNamedTool, NAMED_OF_TWO),
    (OffersNothing, NONE),
    (AnswersByATool, NAMED),
    (AnswersByATool, REQUIRED),
    (NeverForced, AUTO),
]


@pytest.mark.parametrize(("agent", "scenario"), RIGHT)
def test_right_agent_has_no_finding(agent: type[PlainAgent], scenario: str) -> None:
    assert only_findings(agent, scenario) == {f"{wire}+plain": [] for wire in agent.wires}


WRONG = [
    (AlwaysForced, NAMED, "must"),
    (AlwaysForced, REQUIRED, "should"),
    (NeverForced, NAMED, "must"),
    (NeverForced, REQUIRED, "must"),
    (NeverForced, NONE, "must"),
    (AlwaysRequired, AUTO, "should"),
]


def test_other_tools_are_missed_where_no_call_is_forced() -> None:
    class Forgets(OffersTheNamedTool):
        def choice(self) -> Any:
            return "auto"

    found = only_findings(Forgets, NAMED_OF_TWO)

    assert found == {"openai-chat+plain": ["offered", "tool-choice"]}


@pytest.mark.parametrize(("agent", "scenario", "level"), WRONG)
def test_wrong_agent_has_one_finding(agent: type[PlainAgent], scenario: str, level: str) -> None:
    found = [[(one.id, one.level) for one in verdict.findings] for verdict in verdicts(agent, scenario)]

    assert found == [[("tool-choice", level)]] * len(agent.wires)


def test_case_that_forces_a_call_needs_a_wire_that_can() -> None:
    assert only_findings(OffersNothing, NAMED, wires=("ollama-chat",)) == {}


def test_reasoning_models_need_not_be_forced() -> None:
    scenario = NAMED + "wires: [openai-chat]\nproviders: [deepseek]\n"

    assert only_findings(NeverForcedAndKeeps, scenario) == {"openai-chat:deepseek+plain": []}
    assert only_findings(ForcedOnce, scenario) == {
        "openai-chat:deepseek+plain": ["accepted:deepseek/tool-choice-while-thinking"]
    }


@pytest.mark.parametrize(("scenario", "more"), [(AUTO, ""), (REQUIRED, ", after the result of get_weather")])
def test_finding_says_when_the_model_is_to_be_free(scenario: str, more: str) -> None:
    (verdict,) = verdicts(AlwaysRequired if scenario is AUTO else AlwaysForced, scenario, wires=("openai-chat",))
    (finding,) = verdict.findings

    assert finding.expected == f"a request that lets the model answer{more}"


@pytest.mark.parametrize("scenario", [NAMED, REQUIRED])
def test_no_message_without_a_call_follows_where_one_is_forced(scenario: str) -> None:
    assert only_findings(Insists, scenario) == {f"{wire}+plain": [] for wire in FORCING}
