"""An agent that gives up before its first request is judged; an adapter that never sends one is an error."""

import threading
from typing import Any, ClassVar

from agent_conformance import AgentError, Setup
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import ONE_CALL, only_findings, verdicts

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


class OpensItsCircuit(PlainAgent):
    """After a failure of the provider it asks no more, in any conversation of the process."""

    is_open: ClassVar[bool] = False

    def send(self, message: str) -> Any:
        if self.is_open:
            raise GaveUp("the circuit is open")
        try:
            return super().send(message)
        except GaveUp:
            type(self).is_open = True
            raise


class NeverReleases(PlainAgent):
    """Waits for a lock that an earlier turn has kept."""

    lock: ClassVar[Any] = None

    def send(self, message: str) -> Any:
        if not self.lock.acquire(timeout=20):
            return "Never."
        reply = super().send(message)
        if "Oslo" not in message:
            self.lock.release()
        return reply


FAULT = """
wires: [openai-chat]
conversation:
  - user: What is the weather in Oslo?
    model:
      - $reply
    expect: {outcome: either}
  - user: And in Rome?
    model: [{text: Sun.}]
examples:
  a: {reply: {fault: {status: 500}, forever: true}}
  b: {reply: {text: Rain.}}
  c: {reply: {text: Snow.}}
"""


def test_circuit_that_stays_open_for_other_cases_is_the_agents() -> None:
    OpensItsCircuit.is_open = False

    found = verdicts(OpensItsCircuit, FAULT)

    assert [verdict.outcome for verdict in found] == ["fail"] * 3
    assert all("2.outcome" in [one.id for one in verdict.findings] for verdict in found)


def test_lock_that_is_kept_for_other_cases_is_the_agents() -> None:
    NeverReleases.lock = threading.Lock()

    found = verdicts(NeverReleases, FAULT.replace("{fault: {status: 500}, forever: true}", "{text: Ice.}"), timeout=0.2)

    assert [verdict.outcome for verdict in found] == ["error", "fail", "fail"]
    assert [one.id for one in found[1].findings] == ["answers"]
