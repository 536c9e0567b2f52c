"""A side request uses up no reply of the script, and gets the reply that its adapter declares."""

import time
from typing import Any, ClassVar

import pytest

from agent_conformance.run.provider.running_turn import RunningTurn
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import ONE_CALL, only_findings, verdicts


class AsksForATitle(PlainAgent):
    """Requests a title of the conversation first, and does not declare that request a side request."""

    titles: ClassVar[list[str]] = []

    def begin(self, message: str) -> None:
        super().begin(message)
        body = self.shape.body(self.shape.user(f"A title, please: {message}"), [])
        self.titles.append(self.shape.read(self.post(body))[1])


class SaysSo(AsksForATitle):
    titles: ClassVar[list[str]] = []

    def side_request(self, body: dict[str, Any]) -> bool:
        return "A title, please" in str(body)


class SaysHowToAnswer(AsksForATitle):
    titles: ClassVar[list[str]] = []

    def side_request(self, body: dict[str, Any]) -> str:
        return '{"title": "Weather"}' if "A title, please" in str(body) else ""


def test_side_request_that_is_declared_is_answered_ok() -> None:
    assert not any(only_findings(SaysSo, ONE_CALL).values())
    assert set(SaysSo.titles) == {"OK"}


def test_side_request_is_answered_with_the_text_that_the_adapter_gives() -> None:
    assert not any(only_findings(SaysHowToAnswer, ONE_CALL).values())
    assert set(SaysHowToAnswer.titles) == {'{"title": "Weather"}'}


def test_side_request_that_is_not_declared_takes_up_a_reply() -> None:
    assert any(only_findings(AsksForATitle, ONE_CALL).values())
    assert "OK" not in AsksForATitle.titles


class LooksAtTheClock(SaysSo):
    """Is asked both of what an adapter may be asked of a request."""

    titles: ClassVar[list[str]] = []
    turns: ClassVar[list[RunningTurn]] = []
    silent_until: ClassVar[list[float]] = []

    def side_request(self, body: dict[str, Any]) -> bool:
        self.silent_until.append(self.turns[-1].last_activity - time.monotonic())
        return super().side_request(body)

    def tool_names(self, tool: str) -> str:
        self.silent_until.append(self.turns[-1].last_activity - time.monotonic())
        return tool


def test_an_adapter_that_is_asked_has_its_own_limit_before_that_of_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would depend on the machine which of the two ends first, and so whose fault a hang is."""
    note = RunningTurn.note_activity

    def noting(self: RunningTurn, ahead: float = 0.0) -> None:
        LooksAtTheClock.turns.append(self)
        note(self, ahead)

    monkeypatch.setattr(RunningTurn, "note_activity", noting)

    assert not any(only_findings(LooksAtTheClock, ONE_CALL).values())
    assert len(LooksAtTheClock.silent_until) > len(LooksAtTheClock.titles)
    assert min(LooksAtTheClock.silent_until) > 0
    assert LooksAtTheClock.turns[-1].last_activity <= time.monotonic()


class AsksForATitleOfAll(SaysSo):
    """Sends far too much for a title, and goes on without one."""

    titles: ClassVar[list[str]] = []

    def begin(self, message: str) -> None:
        PlainAgent.begin(self, message)
        try:
            self.post(self.shape.body(self.shape.user("A title, please: " + "x" * 8000), []))
        except GaveUp as error:
            self.titles.append(str(error))


def test_side_request_that_is_longer_than_the_window_is_refused() -> None:
    AsksForATitleOfAll.titles.clear()

    found = verdicts(AsksForATitleOfAll, "window: {tokens: 1000}\n" + ONE_CALL)

    assert not any(verdict.findings for verdict in found)
    assert all(verdict.narrative.count(" (side): ") == 2 for verdict in found)
    assert len(AsksForATitleOfAll.titles) == 2 * len(found), "one in the turn, and one after it"


def test_side_request_that_is_too_long_is_refused_in_the_words_of_the_scenario() -> None:
    words = "window: {tokens: 1000, words: {status: 413, body: Payload too large}}\n"
    AsksForATitleOfAll.titles.clear()

    assert not any(only_findings(AsksForATitleOfAll, words + ONE_CALL).values())
    assert {title[:21] for title in AsksForATitleOfAll.titles} == {"413 Payload too large"}
