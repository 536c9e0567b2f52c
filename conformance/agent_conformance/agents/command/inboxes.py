"""The lines of one process, each for the session that it names: turns of several sessions may run at once.

Knows that a line is JSON with a `session`; nothing of what else a message says.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Iterator

from agent_conformance.agents.command.errors import CommandError
from agent_conformance.agents.command.process import Line, Process
from fake_providers.json_texts import read_json


class Inboxes:
    """One for each process that serves a case. Whoever waits reads for all, one at a time.

    A line that names no session, or none that is open here, goes to whoever reads it.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lines: dict[str, deque[Line]] = {}
        self._is_reading = False
        self._waiting: set[asyncio.Event] = set()
        self._failure: CommandError | None = None

    def open(self, session: str) -> None:
        self._lines[session] = deque()

    def close(self, session: str) -> None:
        self._lines.pop(session, None)

    async def receive(self, session: str) -> Line:
        """The next line for this session; waits without a limit. Raises `CommandError`, to all that wait."""
        while (line := self._next(session)) is None:
            if self._is_reading:
                await self._change()
            else:
                await self._read_for_all(session)
        return line

    def receive_within(self, session: str, seconds: float) -> Line:
        """The next line for this session. Raises `CommandError`; `TimeoutError` after `seconds`."""
        until = time.monotonic() + seconds
        while (line := self._next(session)) is None:
            with self._failure_for_all():
                self._put(self._process.receive_within(max(0.0, until - time.monotonic())), session)
        return line

    def waiting(self, session: str) -> Iterator[Line]:
        """The lines for this session that have arrived and were not received yet. Raises `CommandError` after them."""
        with self._failure_for_all():
            for line in self._process.waiting():
                self._put(line, session)
        while (own := self._next(session)) is not None:
            yield own

    def _next(self, session: str) -> Line | None:
        """The line that has arrived; the end of the process comes after all of them."""
        own = self._lines[session]
        if not own and self._failure is not None:
            raise self._failure
        return own.popleft() if own else None

    async def _read_for_all(self, session: str) -> None:
        self._is_reading = True
        try:
            with self._failure_for_all():
                self._put(await self._process.receive(), session)
        finally:
            self._is_reading = False
            self._wake()

    def _put(self, line: Line, reader: str) -> None:
        named = _session_of(line) if len(self._lines) > 1 else reader
        self._lines.get(named, self._lines[reader]).append(line)
        if named != reader:
            self._wake()

    @contextlib.contextmanager
    def _failure_for_all(self) -> Iterator[None]:
        try:
            yield
        except CommandError as failure:
            self._failure = failure
            self._wake()

    async def _change(self) -> None:
        """Wait until a line has arrived for somebody, or nobody reads."""
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            await changed.wait()
        finally:
            self._waiting.discard(changed)

    def _wake(self) -> None:
        for changed in self._waiting:
            changed.set()


def _session_of(line: Line) -> str:
    """Empty where the line is no message of a session; its reader says what is wrong with it."""
    try:
        fields = read_json(line.text)
    except ValueError:
        return ""
    session = fields.get("session") if isinstance(fields, dict) else None
    return session if isinstance(session, str) else ""
