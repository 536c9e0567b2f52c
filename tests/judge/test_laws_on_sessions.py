"""`apart`, on right agents of three styles and on wrong ones."""

import asyncio
import shlex
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, ClassVar

import pytest

from agent_conformance import Cancelled, Setup
from agent_conformance.attach.command import command_adapter
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import BRIDGE, assert_breaks_only, assert_right
from tests.trying import only_findings

TWO = """
wires: [openai-chat]
system: Be brief.
tools:
  - name: look_up
    description: Looks up a balance.
    parameters: {}
    results: [the balance is 340 euros, the balance is 12 euros]
conversation:
  - user: I am Ann. What is my balance?
    model:
      - calls: [{name: look_up}]
      - text: You have 340 euros.
  - user: I am Ben. What is mine?
    session: b
    model:
      - calls: [{name: look_up}]
      - text: You have 12 euros.
    expect: {reply: You have 12 euros.}
  - user: Say it again.
    model:
      - text: You have 340 euros.
    expect: {requests: [{at: each, contains: [I am Ann.], extends: previous}]}
  - user: Once more.
    session: b
    model:
      - text: You have 12 euros.
    expect: {requests: [{at: each, contains: [I am Ben.], extends: previous}]}
"""


class OneAgentEach:
    """Starts an agent for each session."""

    wires = PlainAgent.wires
    features = PlainAgent.features | {"sessions"}
    errors = PlainAgent.errors
    agent: Any = PlainAgent

    def __init__(self, setup: Setup) -> None:
        self.agents: dict[str | None, Any] = defaultdict(lambda: self.agent(setup))

    def send(self, message: str, session: str | None = None) -> Any:
        return self.agents[session].send(message)


class OneStore(PlainAgent):
    """Keeps the messages of all sessions, by session."""

    features = OneAgentEach.features

    def send(self, message: str, session: str | None = None) -> Any:
        stored: dict[Any, list[Any]] = self.__dict__.setdefault("stored", {})
        self.messages = stored.setdefault(session, [])
        return super().send(message)


class OnALoop(OneStore):
    async def send(self, message: str, session: str | None = None) -> str:
        return str(await asyncio.to_thread(super().send, message, session))


class ForgetsWhoSpeaks(PlainAgent):
    features = OneAgentEach.features

    def send(self, message: str, session: str | None = None) -> Any:
        return super().send(message)


class RemembersUsers(OneAgentEach):
    """Tells each session what the users said."""

    class agent(PlainAgent):  # noqa: N801 - in place of the attribute
        said: ClassVar[list[str]] = []

        def begin(self, message: str) -> None:
            super().begin(f"{message}\n(Known facts: {' '.join(self.said)})" if self.said else message)
            self.said[:] = [message]


@pytest.mark.parametrize("agent", [OneAgentEach, OneStore, OnALoop])
def test_agent_that_keeps_sessions_apart_is_right(agent: Any) -> None:
    assert_right(agent, TWO)


@pytest.mark.parametrize("agent", [ForgetsWhoSpeaks, RemembersUsers])
def test_words_of_another_session_are_found(agent: Any) -> None:
    found = only_findings(agent, TWO)

    assert found["openai-chat+plain"][0] == "apart"


def test_agent_that_mixes_two_sessions_has_one_finding() -> None:
    without_more = TWO.partition("  - user: Say it again.")[0]

    assert_breaks_only("apart", ForgetsWhoSpeaks, without_more)


class CachesById(OneAgentEach):
    """Runs no call whose id it has seen in any conversation."""

    class agent(PlainAgent):  # noqa: N801 - in place of the attribute
        seen: ClassVar[dict[str, str]] = {}

        def answer(self, results: list[Any]) -> None:
            super().answer([(id, name, self.seen.setdefault(name, text)) for id, name, text in results])

        def run(self, name: str, arguments: Any) -> str:
            return self.seen[name] if name in self.seen else super().run(name, arguments)


@pytest.mark.parametrize(
    ("second", "finding"), [("[a rainy day, a rainy day]", "own-result"), ("[rain, sun]", "2.executed")]
)
def test_result_that_was_returned_in_another_session_is_found(second: str, finding: str) -> None:
    CachesById.agent.seen.clear()
    text = TWO.partition("  - user: Say it again.")[0].replace(
        "[the balance is 340 euros, the balance is 12 euros]", second
    )
    text = text.replace("    expect: {reply: You have 12 euros.}", "    expect: {executed: [{look_up: {}}]}")

    assert finding in only_findings(CachesById, text)["openai-chat+plain"]


@pytest.mark.parametrize(("word", "findings"), [("orange", ["apart"]), ("lemon", [])])
def test_words_of_fewer_than_six_characters_may_stand_in_any_session(word: str, findings: list[str]) -> None:
    short = f"""
wires: [openai-chat]
conversation:
  - {{user: {word}, model: [{{text: Yes.}}]}}
  - {{user: Hello., session: b, model: [{{text: Yes.}}]}}
"""

    assert only_findings(ForgetsWhoSpeaks, short) == {"openai-chat+plain": findings}


def test_agent_that_takes_no_session_is_not_verified() -> None:
    assert only_findings(PlainAgent, TWO)["openai-chat+plain"] == ["not-verified: needs sessions"]


@pytest.mark.parametrize("agent", ["agent_conformance.reference:Adapter"])
def test_sessions_of_one_process_are_open_at_once(agent: str, tmp_path: Path) -> None:
    adapter = command_adapter(f"{shlex.quote(sys.executable)} {BRIDGE} {agent}", cwd=Path.cwd())

    assert_right(adapter, TWO)


CANCELLED = TWO.replace(
    "conversation:", "conversation:\n  - {user: Good morning., session: b, model: [{text: Hello Ben.}]}"
)
CANCELLED = CANCELLED.replace(
    "      - text: You have 340 euros.\n  - user: I am Ben.",
    "      - {text: You have 340 euros., spare: true}\n    cancel: {at: tool}\n    expect: {outcome: cancelled}\n"
    "  - user: I am Ben.",
)


class Cancels(OneAgentEach):
    """A cancelled turn stays, with words in the place of its result."""

    features = OneAgentEach.features | {"cancel"}

    class agent(PlainAgent):  # noqa: N801 - in place of the attribute
        is_cancelled = False

        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            note = "Cancelled. It may have run." if self.is_cancelled else ""
            super().answer([(*named, note or text) for *named, text in results])
            if self.is_cancelled:
                self.is_cancelled = False
                raise Cancelled

    def cancel(self) -> None:
        self.running.is_cancelled = True

    def send(self, message: str, session: str | None = None) -> Any:
        self.running = self.agents[session]
        return super().send(message, session)


class CancelsForAll(Cancels):
    """And takes the last answer out of the other sessions."""

    def cancel(self) -> None:
        super().cancel()
        for other in self.agents.values():
            if other is not self.running:
                del other.messages[-1:]


def test_cancelled_turn_leaves_other_sessions_as_they_are() -> None:
    assert_right(Cancels, CANCELLED)
    assert "restored" in only_findings(CancelsForAll, CANCELLED)["openai-chat+plain"]
