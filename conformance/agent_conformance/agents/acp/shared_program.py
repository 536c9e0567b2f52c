"""A program that serves the sessions of many cases, one after the other, in one process.

Starting one takes seconds, and the protocol has sessions for this. The process has a thread and an event loop of its
own, since every case has its own. Knows processes and connections; no case.
"""

import asyncio
import atexit
import contextlib
import shutil
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agent_conformance.agents.acp.connection import Connection
from agent_conformance.agents.programs import Run, environment, started

MOST_SESSIONS = 25
"""After so many a new process is started: some programs keep all that they ever opened in memory."""
ENDING = 2.0
"""Seconds for pieces that are not wanted any more to end."""

Result = TypeVar("Result")


@dataclass(slots=True)
class Live:
    """A process with its connection, and how many sessions it has had."""

    run: Run
    connection: Connection
    sessions: int = 0


class SharedProgram:
    """Starts the program, keeps a process for the next case, and ends all at exit. All cases share one home."""

    def __init__(self, words: list[str], variables: Mapping[str, str], authentication: str) -> None:
        self._words = words
        self._variables = variables
        self._authentication = authentication
        self._idle: Live | None = None
        self._live: list[Live] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._home = Path()

    async def take(self, settings: Mapping[str, str], *, fresh: bool) -> Live:
        """A process that has answered `initialize`, and finds these files in its home when it begins a session.

        A `fresh` one has not served any session: after a restart.
        """
        self._begin()
        write_files(self._home, settings)
        live, self._idle = self._idle, None
        if live is not None and (fresh or live.run.code is not None or live.sessions >= MOST_SESSIONS):
            await self.end(live)
            live = None
        if live is None:
            live = await self.result(self._start())
            self._live.append(live)
        live.sessions += 1
        return live

    def give_back(self, live: Live) -> None:
        """Keep the process for the next case."""
        self._idle = live

    async def end(self, live: Live) -> None:
        if live in self._live:
            self._live.remove(live)
            await self.result(self._end(live))

    async def result(self, work: Coroutine[Any, Any, Result]) -> Result:
        """What comes of this coroutine on the process's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running_loop()))

    async def pieces(self, given: Callable[[], AsyncGenerator[str, None]]) -> AsyncGenerator[str, None]:
        """The pieces of a generator on the process's loop. It is closed there where they are not wanted any more."""
        here, queue = asyncio.get_running_loop(), asyncio.Queue[str | None]()

        async def drain() -> None:
            try:
                async with aclosing(given()) as pieces:
                    async for piece in pieces:
                        here.call_soon_threadsafe(queue.put_nowait, piece)
            finally:
                with contextlib.suppress(RuntimeError):  # the case has not waited for it
                    here.call_soon_threadsafe(queue.put_nowait, None)

        running = asyncio.run_coroutine_threadsafe(drain(), self._running_loop())
        ended = False
        try:
            while (piece := await queue.get()) is not None:
                yield piece
            ended = True
        finally:
            if not ended:
                running.cancel()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(_end_of(queue), ENDING)
        await asyncio.wrap_future(running)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop

    def _begin(self) -> None:
        """The thread and the home, for the first process."""
        if self._loop is not None:
            return
        self._loop = asyncio.SelectorEventLoop()
        threading.Thread(target=self._loop.run_forever, name="program", daemon=True).start()
        self._home = Path(tempfile.mkdtemp(prefix="agent-conformance-home-"))
        (self._home / "tmp").mkdir()
        atexit.register(self._end_all)

    async def _start(self) -> Live:
        run = await started(self._words, environment=environment(self._home, **self._variables), folder=self._home)
        connection = Connection(run)
        try:
            await connection.begin()
            if self._authentication:
                await connection.authenticate(self._authentication)
        except BaseException:
            await run.end()
            raise
        return Live(run, connection)

    async def _end(self, live: Live) -> None:
        await live.connection.close()
        await live.run.end()

    def _end_all(self) -> None:
        for live in self._live:
            with contextlib.suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._end(live), self._running_loop()).result(ENDING)
        shutil.rmtree(self._home, ignore_errors=True)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def _end_of(queue: "asyncio.Queue[str | None]") -> None:
    while await queue.get() is not None:
        pass
