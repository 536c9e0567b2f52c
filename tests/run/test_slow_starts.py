"""An agent that is slow to start, or silent in a turn, is not accused; one that hangs after a request is."""

import time
from typing import Any

import pytest

from agent_conformance import Setup
from tests.agents.plain import GaveUp, PlainAgent
from tests.run.end_of_test import OVER
from tests.trying import ONE_CALL, only_findings, verdicts

CASE = "openai-chat+plain"
HELLO = "wires: [openai-chat]\nconversation:\n  - user: Say hello.\n    model:\n      - text: Hello.\n"
TWO_TURNS = HELLO + "  - user: Say hello again.\n    model:\n      - text: Hello again.\n"
SILENCE, PAUSE = 1.0, 1.5
"""Seconds: more than what an agent that is right takes on a busy machine, and what is too long in a turn."""
SLOW = "If it is slow to start, give it more seconds of silence: --agent-timeout=60"


class ImportsAtFirst(PlainAgent):
    """Its first request of all takes long: an SDK is imported then."""

    imported = False

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        if not ImportsAtFirst.imported:
            ImportsAtFirst.imported = True
            time.sleep(PAUSE)
        return super().post(body)


class StartsSlowly(PlainAgent):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        time.sleep(PAUSE)


class CrashesOnce(PlainAgent):
    """It crashes in its first case, and takes long to start in the next, as a process does, and in the fourth."""

    started = 0

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.number = CrashesOnce.started = CrashesOnce.started + 1
        if self.number in (2, 4):
            time.sleep(PAUSE)

    def reply(self, text: str) -> str:
        if self.number == 1:
            raise RuntimeError("a bug")
        return text


class WaitsForEver(PlainAgent):
    def send(self, message: str) -> Any:
        OVER.wait(30)


class WaitsInTheSecondTurn(PlainAgent):
    turns = 0

    def begin(self, message: str) -> None:
        self.turns += 1
        if self.turns == 2:
            OVER.wait(30)
        super().begin(message)


class ShowsNothing(WaitsInTheSecondTurn):
    def reply(self, text: str) -> str:
        return ""


class WaitsAfterAResponse(PlainAgent):
    def reply(self, text: str) -> str:
        OVER.wait(30)
        return text


def test_first_request_of_all_may_take_long() -> None:
    assert only_findings(ImportsAtFirst, HELLO, timeout=SILENCE) == {CASE: []}


def test_first_construction_may_take_long() -> None:
    assert only_findings(StartsSlowly, HELLO, timeout=SILENCE) == {CASE: []}


def test_construction_after_a_crash_may_take_long() -> None:
    examples = "examples:\n  a: {}\n  b: {}\n  c: {}\n  d: {}\n"
    found = verdicts(CrashesOnce, HELLO + examples, timeout=SILENCE)

    assert [verdict.outcome for verdict in found] == ["fail", "pass", "pass", "error"]


def test_construction_that_is_always_slow_is_an_error_that_says_what_to_do() -> None:
    found = only_findings(StartsSlowly, HELLO + "examples:\n  a: {}\n  b: {}\n", timeout=0.3)

    assert list(found.values()) == [
        [f"error: the adapter's __init__ did not return within 0.3 s; its thread still runs. {SLOW}"]
    ]


def test_turn_without_a_request_is_an_error_that_says_what_to_do() -> None:
    silence = "send did not return within 1.2 s of silence; its thread still runs"

    assert only_findings(WaitsForEver, HELLO, timeout=0.2) == {
        CASE: [f"error: the fake received no request in turn 1: {silence}. {SLOW}"]
    }


class WaitsForEverInAProcess(WaitsForEver):
    def kill(self) -> None: ...


@pytest.mark.parametrize(
    ("agent", "then"),
    [
        pytest.param(WaitsForEver, "0.05", id="a thread, which stays"),
        pytest.param(WaitsForEverInAProcess, "0.3", id="a process, which is started anew"),
    ],
)
def test_more_time_is_given_after_a_hang_to_what_starts_anew(agent: type[PlainAgent], then: str) -> None:
    found = verdicts(agent, HELLO + "examples:\n  a: {}\n  b: {}\n", timeout=0.05)

    assert [verdict.reason.partition(" within ")[2].partition(" s ")[0] for verdict in found] == ["0.3", then]


@pytest.mark.parametrize("text", [HELLO, TWO_TURNS])
def test_later_turn_without_a_request_is_an_error_too(text: str) -> None:
    (reason,) = only_findings(WaitsInTheSecondTurn, text, timeout=0.2)[CASE]

    assert reason.startswith("error: the fake received no request in turn 2: send did not return within 0.2 s")


def test_finding_of_an_earlier_turn_stays() -> None:
    assert only_findings(ShowsNothing, TWO_TURNS, timeout=0.2) == {CASE: ["answers"]}


def test_hang_after_a_request_is_a_finding() -> None:
    [verdict] = verdicts(WaitsAfterAResponse, "wires: [openai-chat]\n" + ONE_CALL, timeout=0.2)

    assert [finding.id for finding in verdict.findings] == ["answers"]
    assert "send did not return within 0.2 s of silence" in verdict.findings[0].got


BUSY = HELLO.replace("model:\n", "model:\n      - fault: {status: 429}\n")


class WaitsAfterRefusals(PlainAgent):
    """Its pause before the next attempt is longer than a silence may be elsewhere."""

    pause = PAUSE

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            OVER.wait(self.pause)
            return super().post(body)


class WaitsForEverAfterRefusals(WaitsAfterRefusals):
    pause = 30


CUT = HELLO.replace("model:\n", "model:\n      - {text: It is, finish: length}\n")


class WaitsAfterCuts(PlainAgent):
    """It throws a cut-off answer away, and pauses as after a failure of the provider."""

    pause = PAUSE

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = super().post(body)
        if answer["choices"][0]["finish_reason"] != "length":
            return answer
        OVER.wait(self.pause)
        return super().post(body)


class WaitsForEverAfterCuts(WaitsAfterCuts):
    pause = 30


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        (WaitsAfterRefusals, BUSY),
        (WaitsAfterRefusals, BUSY.replace("429", "500")),
        (WaitsAfterCuts, CUT),
    ],
)
def test_pause_after_what_may_be_thrown_away_is_no_hang(agent: type[PlainAgent], text: str) -> None:
    assert only_findings(agent, text, timeout=SILENCE) == {CASE: []}


@pytest.mark.parametrize(("agent", "text"), [(WaitsForEverAfterRefusals, BUSY), (WaitsForEverAfterCuts, CUT)])
def test_pause_without_end_is_one(agent: type[PlainAgent], text: str) -> None:
    [verdict] = verdicts(agent, text, timeout=0.2)

    assert [finding.id for finding in verdict.findings] == ["answers"]
    assert "send did not return within 1.2 s of silence" in verdict.findings[0].got
