"""An agent that refuses a set-up by an error that it declares is judged; one whose requests all go astray is not."""

from typing import Any

import pytest

from tests.agents.plain import CLIENT, GaveUp, PlainAgent
from tests.trying import ONE_CALL, WEATHER, verdicts

ODD_NAME = (
    WEATHER.replace("get_weather", "get weather!")
    + """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - text: Hello.
    expect: {outcome: %s}
"""
)
ON_CHAT = "wires: [openai-chat]\n" + ONE_CALL


class RefusesOddNames(PlainAgent):
    """It takes no tool whose name has a blank, and says so where it is made."""

    error: type[Exception] = GaveUp

    def __init__(self, setup: Any) -> None:
        if any(" " in tool.name for tool in setup.tools):
            raise self.error("a name of a tool has no blanks")
        super().__init__(setup)


class CrashesOnOddNames(RefusesOddNames):
    error = RuntimeError


def outcomes(agent: Any, text: str) -> list[tuple[str, list[str], str]]:
    return [(v.outcome, [finding.id for finding in v.findings], v.reason) for v in verdicts(agent, text)]


def test_refusal_that_the_adapter_declares_is_a_verdict_on_its_first_turn() -> None:
    assert outcomes(RefusesOddNames, ODD_NAME % "reply") == [("fail", ["1.outcome"], "")]
    assert outcomes(RefusesOddNames, ODD_NAME % "either") == [("pass", [], "")]


def test_other_exception_there_is_an_error() -> None:
    [(outcome, _, reason)] = outcomes(CrashesOnOddNames, ODD_NAME % "either")

    assert outcome == "error"
    assert "the adapter's __init__ raised RuntimeError: a name of a tool has no blanks" in reason


class AsksElsewhere(PlainAgent):
    """Posts to an endpoint of the provider that this wire does not have."""

    def post(self, body: Any) -> Any:
        response = CLIENT.post(f"{self.setup.base_url}/answers", json=body)
        if response.status_code != 200:
            raise GaveUp("it did not work")
        return response.json()


class AsksElsewhereAndSaysNothing(AsksElsewhere):
    def send(self, message: str) -> str:
        try:
            return super().send(message)
        except GaveUp:
            return ""


@pytest.mark.parametrize("agent", [AsksElsewhere, AsksElsewhereAndSaysNothing])
def test_requests_that_all_go_elsewhere_are_no_finding(agent: Any) -> None:
    [(outcome, findings, reason)] = outcomes(agent, ON_CHAT)

    assert (outcome, findings) == ("error", [])
    assert reason == "in turn 1 it sends POST /v1/answers, which is no request of openai-chat"


class LooksForModelsFirst(PlainAgent):
    """Right: another request beside those of the conversation."""

    def send(self, message: str) -> str:
        CLIENT.get(f"{self.setup.base_url}/unheard-of")
        return super().send(message)


def test_stray_request_beside_others_is_right() -> None:
    assert outcomes(LooksForModelsFirst, ON_CHAT) == [("pass", [], "")]


FAULT_FIRST = """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - fault: {status: 500}
      - text: Hello.
    expect: {outcome: either}
"""


class FallsBackToPlain(PlainAgent):
    """Streams, and asks once more for a plain response where that fails."""

    modes = ("stream",)

    def send(self, message: str) -> str:
        self.begin(message)
        streamed = CLIENT.post(self.setup.base_url + self.shape.path, json=self.body() | {"stream": True})
        if streamed.status_code == 200:
            return "It streamed."
        text, _ = self.ask()
        return text


class NeverStreams(PlainAgent):
    modes = ("stream",)


def test_mode_is_that_of_the_first_request_whatever_came_of_it() -> None:
    assert [reason for _, _, reason in outcomes(FallsBackToPlain, FAULT_FIRST)] == [""]
    assert [reason for _, _, reason in outcomes(NeverStreams, FAULT_FIRST)] == [
        "the adapter declares the mode stream, but its requests ask for a plain response"
    ]
