"""Expectations on turns in which the model writes protocol as text: advice where the wire serves no open model."""

from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, verdicts

HIDDEN = """
conversation:
  - user: Say hello.
    model:
      - text: "Hello. <|end|>"
        means: {handling: hide, show: Hello.}
    expect: {reply: Good morning.}
"""
SHOWN = HIDDEN.replace("{handling: hide, show: Hello.}", "{handling: show}")
CALLED = f"""
{WEATHER}
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: 'get_weather(city="Oslo")'
        means: {{handling: run, calls: [{{name: get_weather, arguments: {{city: Oslo}}}}]}}
      - {{text: Rain., spare: true}}
"""


class RunsText(PlainAgent):
    """Runs the one call that it knows as text, with these arguments."""

    arguments: Any = {"city": "Oslo"}  # noqa: RUF012

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        if text.startswith("get_weather("):
            self.messages += self.shape.user(self.run("get_weather", self.arguments))
            return self.ask()
        return text, calls


def found(agent: Any, text: str, wire: str) -> dict[str, str]:
    (verdict,) = verdicts(agent, text, wires=(wire,))
    return {finding.id: finding.level for finding in verdict.findings}


@pytest.mark.parametrize(
    ("wire", "level"), [("openai-chat", "must"), ("ollama-chat", "must"), ("anthropic-messages", "should")]
)
def test_expectation_that_depends_on_text_is_of_the_level_of_the_wire(wire: str, level: str) -> None:
    assert found(PlainAgent, HIDDEN, wire)["1.reply"] == level
    assert found(PlainAgent, SHOWN, wire)["1.reply"] == "must"


def test_call_in_a_text_that_does_not_run_is_advice() -> None:
    (verdict,) = verdicts(PlainAgent, CALLED, wires=("openai-chat",))
    (advice,) = [finding for finding in verdict.findings if finding.id == "1.should.means[0]"]
    facts = dict(facts_of(advice))

    assert (advice.level, facts["got"]) == ("should", "no tool ran")
    assert facts["expected"] == 'get_weather {"city": "Oslo"}, which the model wrote as text'


def test_call_in_a_text_that_runs_is_right() -> None:
    assert "1.should.means[0]" not in found(RunsText, CALLED, "openai-chat")


def test_call_in_a_text_that_may_be_hidden_need_not_run() -> None:
    assert "1.should.means[0]" not in found(
        PlainAgent, CALLED.replace("handling: run,", "handling: run_or_hide,"), "openai-chat"
    )


def test_call_in_a_text_that_was_not_sent_need_not_run() -> None:
    twice = CALLED.replace("      - {text: Rain., spare: true}", "        spare: true\n").replace(
        "    model:\n", "    model:\n      - text: Rain.\n"
    )

    assert found(PlainAgent, twice, "openai-chat") == {}
