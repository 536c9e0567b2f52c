"""An agent that gives up before its first request is judged; an adapter that never sends one is an error."""

from typing import Any

from agent_conformance import AgentError, Setup
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, only_findings

CASE = "openai-chat+plain"
TEXT = "wires: [openai-chat]\n" + ONE_CALL
EITHER_WILL_DO = TEXT + "    expect: {outcome: either}\n"
REASON = "error: the fake received no request in turn 1: AgentError: "


class RefusesTools(PlainAgent):
    """Finds a tool that it cannot declare, and says so; without tools it works."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.refuses = bool(setup.tools)

    def send(self, message: str) -> Any:
        if self.refuses:
            raise AgentError("enum.0: a string is wanted")
        return super().send(message)


class AlwaysGivesUp(PlainAgent):
    def send(self, message: str) -> Any:
        raise AgentError("no configuration")


class InventsWithTools(RefusesTools):
    def send(self, message: str) -> Any:
        return "I know it all." if self.refuses else super().send(message)


class NoStartWithoutTools(RefusesTools):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        if not setup.tools:
            raise FileNotFoundError("tools.json")


def test_agent_that_gives_up_before_a_request_is_judged_if_it_sends_one_for_hello() -> None:
    assert only_findings(RefusesTools, TEXT) == {CASE: ["1.outcome"]}
    assert only_findings(RefusesTools, EITHER_WILL_DO) == {CASE: []}


def test_adapter_that_always_gives_up_is_an_error() -> None:
    assert only_findings(AlwaysGivesUp, EITHER_WILL_DO) == {CASE: [REASON + "no configuration"]}


def test_adapter_that_cannot_start_without_tools_is_an_error() -> None:
    assert only_findings(NoStartWithoutTools, EITHER_WILL_DO) == {CASE: [REASON + "enum.0: a string is wanted"]}


def test_reply_without_a_request_is_an_error() -> None:
    (reason,) = only_findings(InventsWithTools, EITHER_WILL_DO)[CASE]

    assert reason == "error: the fake received no request in turn 1"
