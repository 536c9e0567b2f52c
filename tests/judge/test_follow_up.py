"""The follow-up message that a rule refuses is a failure where the provider is known to refuse it, else advice."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, verdicts

ODD_NAME = (
    WEATHER
    + """
wires: [openai-responses]
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get weather, arguments: {city: Oslo}}]
"""
)


class Stops(PlainAgent):
    """Ends the turn after a call of a tool that is unknown, with the call and its result in its history."""

    def send(self, message: str) -> Any:
        self.begin(message)
        text, calls = self.ask()
        self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
        return text or "I have no such tool."


class LeavesTheCall(Stops):
    """Wrong: the call stays without its result."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        return


def levels(agent: Any) -> list[tuple[str, str]]:
    [verdict] = verdicts(agent, ODD_NAME)
    return [(finding.id, finding.level) for finding in verdict.findings]


def test_refusal_by_an_inferred_rule_is_advice() -> None:
    assert levels(Stops) == [("survives", "should")]


def test_other_refusal_is_a_failure() -> None:
    assert levels(LeavesTheCall) == [("survives", "must")]
