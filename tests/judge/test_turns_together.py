"""Turns of two sessions that run at the same time: right agents of three styles, and wrong ones."""

import asyncio
import threading
from typing import Any, ClassVar

import pytest

from agent_conformance.baseline.case_report import facts_of
from tests.agents.plain import PlainAgent
from tests.judge.test_laws_on_sessions import OneAgentEach, OneStore
from tests.judge.trying_laws import assert_right
from tests.patience import PATIENCE
from tests.trying import only_findings, verdicts

TOGETHER = """
wires: [openai-chat]
tools:
  - name: look_up
    description: Looks up a balance.
    parameters: {name: string}
    results: [the balance is 340 euros, the balance is 12 euros]
conversation:
  - user: I am Ann. What is my balance?
    model:
      - calls: [{name: look_up, arguments: {name: Ann}}]
      - text: That is yours, Ann.
    expect: {reply: "That is yours, Ann.", executed: [{look_up: {name: Ann}}], request_count: 2}
  - user: I am Ben. What is mine?
    session: b
    together: true
    model:
      - calls: [{name: look_up, arguments: {name: Ben}}]
      - text: That is what Ben has.
    expect: {reply: That is what Ben has., executed: [{look_up: {name: Ben}}], request_count: 2}
  - user: Once more.
    session: b
    model:
      - text: As before.
    expect: {requests: [{at: 1, contains: [I am Ben.], lacks: [I am Ann.]}]}
"""


class Threads(OneAgentEach):
    """Runs each turn on a thread of its own."""

    running: ClassVar[set[object]] = set()
    most = 0

    async def send(self, message: str, session: str | None = None) -> str:
        self.running.add(session)
        Threads.most = max(Threads.most, len(self.running))
        try:
            return str(await asyncio.to_thread(super().send, message, session))
        finally:
            self.running.discard(session)


class InTurn(Threads):
    """Lets one turn wait for the other."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.lock = asyncio.Lock()

    async def send(self, message: str, session: str | None = None) -> str:
        async with self.lock:
            return await super().send(message, session)


class Yields(Threads):
    async def send(self, message: str, session: str | None = None) -> Any:  # type: ignore[override]
        yield await super().send(message, session)


class OneListForAll(OneStore):
    """Wrong: the messages of the session that spoke last are those of the agent. Two turns at once run in step."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.both = threading.Barrier(2)

    def begin(self, message: str) -> None:
        if message.startswith("I am "):  # the suite asks once more afterwards, alone
            self.both.wait(PATIENCE)
        super().begin(message)

    async def send(self, message: str, session: str | None = None) -> str:
        return str(await asyncio.to_thread(super().send, message, session))


class FailsForBen(Threads):
    async def send(self, message: str, session: str | None = None) -> str:
        if session == "b":
            raise ValueError("no Ben")
        return await super().send(message, session)


@pytest.mark.parametrize("agent", [Threads, InTurn, Yields])
def test_agent_that_keeps_turns_apart_is_right(agent: Any) -> None:
    assert_right(agent, TOGETHER)


def test_two_turns_run_at_the_same_time() -> None:
    Threads.most = 0

    assert_right(Threads, TOGETHER)
    assert Threads.most == 2


def test_agent_with_one_list_for_all_is_found() -> None:
    assert "apart" in only_findings(OneListForAll, TOGETHER)["openai-chat+plain"]


def test_crash_of_one_turn_is_not_that_of_the_other() -> None:
    [verdict] = verdicts(FailsForBen, TOGETHER)

    assert [(finding.id, facts_of(finding)[0]) for finding in verdict.findings] == [("answers", ("at", "turn 2"))]


@pytest.mark.parametrize("agent", [OneAgentEach, PlainAgent])
def test_agent_that_blocks_is_not_verified(agent: Any) -> None:
    [found] = only_findings(agent, TOGETHER).values()

    assert len(found) == 1
    assert found[0].startswith("not-verified: needs")
    assert "two turns at the same time" in found[0]
