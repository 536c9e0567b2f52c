"""Turns of two sessions read the lines of one process: each gets its own, in order, and all learn of its end."""

import asyncio
import json
from collections.abc import Iterator
from typing import cast

import pytest

from agent_conformance.attach.command.adapter import Inboxes
from agent_conformance.attach.command.messages import CommandError, ProcessDied
from agent_conformance.attach.command.process import Line, Process
from tests.patience import PATIENCE


class Lines:
    """Stands for a process: what is put here is what it writes."""

    def __init__(self, *sessions: str) -> None:
        self._lines = [line(session, number) for number, session in enumerate(sessions)]
        self.more = asyncio.Event()

    async def receive(self) -> Line:
        while not self._lines:
            await self.more.wait()
            self.more.clear()
        return self._lines.pop(0)

    def receive_within(self, seconds: float) -> Line:
        if not self._lines:
            raise TimeoutError
        return self._lines.pop(0)

    def waiting(self) -> Iterator[Line]:
        while self._lines:
            yield self._lines.pop(0)

    def write(self, session: str, number: int) -> None:
        self._lines.append(line(session, number))
        self.more.set()


class Dead(Lines):
    async def receive(self) -> Line:
        await self.more.wait()
        raise ProcessDied("the agent's process exited with 3", "")


def line(session: str, number: int) -> Line:
    return Line(number, json.dumps({"type": "delta", "session": session}).encode())


def inboxes(process: Lines, *sessions: str) -> Inboxes:
    made = Inboxes(cast(Process, process))
    for session in sessions:
        made.open(session)
    return made


def test_each_session_receives_its_own_lines_in_their_order() -> None:
    async def both() -> tuple[list[int], list[int]]:
        shared = inboxes(Lines("a", "b", "b", "a"), "a", "b")

        async def two(session: str) -> list[int]:
            return [(await shared.receive(session)).number for _ in range(2)]

        return await asyncio.gather(two("a"), two("b"))

    assert asyncio.run(both()) == [[0, 3], [1, 2]]


def test_waiting_session_reads_when_the_one_that_read_is_cancelled() -> None:
    async def run() -> int:
        process = Lines()
        shared = inboxes(process, "a", "b")
        first = asyncio.ensure_future(shared.receive("a"))
        second = asyncio.ensure_future(shared.receive("b"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        process.write("b", 7)
        return (await asyncio.wait_for(second, PATIENCE)).number

    assert asyncio.run(run()) == 7


def test_every_session_learns_of_the_end_of_the_process() -> None:
    async def run() -> list[object]:
        process = Dead()
        shared = inboxes(process, "a", "b")
        both = asyncio.gather(shared.receive("a"), shared.receive("b"), return_exceptions=True)
        await asyncio.sleep(0)
        process.more.set()
        return list(await asyncio.wait_for(both, PATIENCE))

    assert [str(error) for error in asyncio.run(run())] == ["the agent's process exited with 3"] * 2


def test_answer_to_open_leaves_the_lines_of_a_turn_that_runs() -> None:
    shared = inboxes(Lines("a", "b"), "a", "b")

    assert shared.receive_within("b", 1).number == 1
    assert [one.number for one in shared.waiting("a")] == [0]
    with pytest.raises(TimeoutError):
        shared.receive_within("b", 0)


@pytest.mark.parametrize("text", [b"no JSON", b"[1]", b'{"session": 4}', b'{"session": "closed"}', b'{"type": "x"}'])
def test_line_without_an_open_session_goes_to_its_reader(text: bytes) -> None:
    process = Lines()
    shared = inboxes(process, "a", "b")
    process._lines.append(Line(1, text))

    assert [one.text for one in shared.waiting("b")] == [text]


def test_failure_is_raised_once_more_to_who_asks_later() -> None:
    async def run(session: str) -> None:
        await shared.receive(session)

    process = Dead()
    process.more.set()
    shared = inboxes(process, "a", "b")

    for session in ("a", "b"):
        with pytest.raises(CommandError, match="exited with 3"):
            asyncio.run(run(session))
