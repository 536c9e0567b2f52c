"""`failed-result`, on agents that flag what failed and one that does not; and a turn cancelled at a question."""

import asyncio
from typing import Any

import pytest

from agent_conformance import Cancelled, Setup, Tool, ToolCall
from tests.agents.plain import PlainAgent
from tests.trying import only_findings, verdicts

FAILS = """
wires: [anthropic-messages]
tools:
  - name: book_table
    description: Books a table.
    parameters: {day: string}
    results: [{result: It is closed then., error: true}, booked]
conversation:
  - user: A table for Monday, or for Tuesday.
    model:
      - calls: [{name: book_table, arguments: {day: Monday}}]
      - calls: [{name: book_table, arguments: {day: Tuesday}}]
      - text: It is Tuesday.
    expect: {reply: It is Tuesday.}
"""
SAME_AGAIN = FAILS.replace("day: Tuesday", "day: Monday")
RESTORED = """
wires: [anthropic-messages]
tools:
  - name: book_table
    description: Books a table.
    parameters: {day: string}
    returns: booked
history:
  - user: A table for Monday.
  - assistant: {calls: [{id: call000001, name: book_table, arguments: {day: Monday}}]}
  - tool: {id: call000001, result: It is closed then., error: true}
  - assistant: It is closed on Monday.
conversation:
  - user: Thank you.
    model:
      - text: You are welcome.
"""


class FlagsFailures(PlainAgent):
    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        for block in self.messages[-1]["content"]:
            block["is_error"] = "failed: " in block["content"]


class FlagsEverything(PlainAgent):
    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        for block in self.messages[-1]["content"]:
            block["is_error"] = True


class FlagsWhatItRefuses(FlagsEverything):
    """Right: refuses the first call in words of its own, and makes the second."""

    def run(self, name: str, arguments: Any) -> str:
        return "Not on Mondays."


class FlagsRestoredFailures(PlainAgent):
    def restore(self, role: str, run: list[Any]) -> None:
        super().restore(role, run)
        if role == "tool":
            for block, message in zip(self.messages[-1]["content"], run, strict=True):
                block["is_error"] = message.is_error


def advised(agent: Any, text: str) -> list[tuple[str, str]]:
    return [(finding.id, finding.level) for verdict in verdicts(agent, text) for finding in verdict.findings]


def test_failure_that_keeps_its_flag_is_right() -> None:
    assert advised(FlagsFailures, FAILS) == []
    assert advised(FlagsRestoredFailures, RESTORED) == []


@pytest.mark.parametrize("text", [FAILS, RESTORED], ids=["of-a-tool", "of-a-history"])
def test_failure_without_its_flag_is_advice(text: str) -> None:
    assert advised(PlainAgent, text) == [("failed-result", "should")]


def test_success_with_the_flag_of_failures_is_advice() -> None:
    assert advised(FlagsEverything, FAILS) == [("failed-result", "should")]
    assert advised(FlagsEverything, FAILS.replace("error: true", "error: false")) == [("failed-result", "should")]


def test_flag_on_a_call_that_failed_once_or_that_the_agent_refused_is_right() -> None:
    assert advised(FlagsFailures, SAME_AGAIN) == []
    assert advised(FlagsWhatItRefuses, FAILS.replace("expect: {reply: It is Tuesday.}", "")) == []


def test_wire_without_a_flag_and_calls_that_end_in_two_ways_are_not_looked_at() -> None:
    assert advised(PlainAgent, FAILS.replace("anthropic-messages", "openai-chat")) == []
    assert advised(PlainAgent, SAME_AGAIN) == []


ASKED = """
wires: [openai-chat]
tools:
  - name: delete_file
    description: Deletes a file.
    parameters: {path: string}
    returns: deleted
    approval: ask
conversation:
  - user: Delete b.txt.
    cancel: {at: approval}
    approve: {delete_file: true}
    model:
      - calls: [{name: delete_file, arguments: {path: b.txt}}]
      - {text: It is gone., spare: true}
    expect: {outcome: cancelled, executed: []}
"""


class Asks(PlainAgent):
    features = PlainAgent.features | {"approval", "cancel"}

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.stopped = False

    def cancel(self) -> None:
        self.stopped = True

    def run(self, name: str, arguments: Any) -> str:
        allowed = self.setup.approve(ToolCall(None, name, arguments))
        return super().run(name, arguments) if allowed and not self.is_late() else "The user has stopped this call."

    def is_late(self) -> bool:
        return self.stopped

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        if self.stopped:
            raise Cancelled("the user has stopped the turn")


class AsksOnALoop(Asks):
    """Waits for the answer in a task, as asynchronous agents do."""

    async def send(self, message: str) -> Any:
        return await asyncio.to_thread(super().send, message)

    def run(self, name: str, arguments: Any) -> str:
        allowed = asyncio.run(self.setup.aapprove(ToolCall(None, name, arguments)))
        return Tool.text("stopped") if self.is_late() or not allowed else super().run(name, arguments)


class RunsAllTheSame(Asks):
    def is_late(self) -> bool:
        return False


def test_call_runs_only_if_the_turn_is_not_cancelled_at_the_question() -> None:
    assert set(map(tuple, only_findings(Asks, ASKED).values())) == {()}
    assert set(map(tuple, only_findings(AsksOnALoop, ASKED).values())) == {()}
    assert set(map(tuple, only_findings(RunsAllTheSame, ASKED).values())) == {("1.executed",)}
