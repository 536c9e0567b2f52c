"""Calling an adapter on a thread of its own: sync methods there, async ones on that thread's one event loop.

Knows adapters and threads; neither scenarios nor providers.
"""

import asyncio
import inspect
import os
import queue
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from conformance.adapter.contract import AdapterMistake
from conformance.adapter.types import Part, Reply, Withdrawn

MOST_DELTAS = 200_000
MOST_CHARACTERS = 5_000_000
DELTA_TIMEOUTS = 5
"""For so many timeouts deltas alone keep a turn alive; after that the agent is taken to yield forever."""
GRACE = 1.0
"""Seconds for a cancelled task to end, and for an event loop to show that it still runs."""


Send = tuple[Callable[[Any], Any], str | list[Part], Callable[[str | Withdrawn], None]]
"""An adapter's `send`, the message, and what takes each thing that it yields."""


class Flooded(BaseException):
    """The agent yields more than any reply has. Not an `Exception`, so that the agent cannot catch it by accident."""


class Job:
    """One piece of work on the driver's thread."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._done = threading.Event()
        self.value: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.value = self._work()
        except BaseException as error:  # whatever an agent raises is a verdict, SystemExit included
            self.error = error
        finally:
            self._done.set()

    def wait(self, timeout: float) -> bool:
        return self._done.wait(timeout)

    def leave(self, error: BaseException) -> None:
        """Take it as ended in this error, although it still runs."""
        self.error = error
        self._done.set()


class Driver:
    """The thread on which the adapter of one case run lives; `has_stuck_thread` says that it did not end."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._turn: Job | None = None
        self.has_stuck_thread = False
        self.last_activity = time.monotonic()
        threading.Thread(target=self._work, name="agent", daemon=True).start()

    def start(self, work: Callable[[], Any]) -> Job:
        """Run `work` on the thread; what it returns is awaited where it is awaitable."""
        job = Job(lambda: self._result_of(work()))
        self._jobs.put(job)
        return job

    def start_send(
        self,
        send: Callable[[Any], Any],
        message: str | list[Part],
        emit: Callable[[str | Withdrawn], None],
        *,
        before: Callable[[], Any] | None = None,
    ) -> Job:
        """Run one turn; the job's value is the agent's own reply, or None where it yielded only deltas.

        `before` is called first, and what it returns is awaited where it is awaitable.
        """
        self.last_activity = time.monotonic()

        def turn() -> str | None:
            if before is not None:
                self._result_of(before())
            return self._reply_of(send(message), _Emitter(self, emit))

        job = Job(turn)
        self._turn = job
        self._jobs.put(job)
        return job

    def start_together(self, sends: Sequence[Send]) -> Job:
        """Run turns at the same time, on one event loop; the job's value has the reply or the error of each."""
        self.last_activity = time.monotonic()
        job = Job(lambda: self._await(self._all_of(sends)))
        self._turn = job
        self._jobs.put(job)
        return job

    async def _all_of(self, sends: Sequence[Send]) -> list[str | BaseException | None]:
        turns = [_turn_of(send(message), _Emitter(self, emit)) for send, message, emit in sends]
        return await asyncio.gather(*turns, return_exceptions=True)

    def wait(
        self, job: Job, timeout: float, activity: Callable[[], float], extra: Callable[[], float] = lambda: 0.0
    ) -> bool:
        """Whether the job ended before `timeout` seconds of silence, or several times as many of deltas alone.

        `extra` says how many seconds of silence are allowed in addition, as things stand.
        """
        started = time.monotonic()
        while True:
            active_at = max(started, activity())
            deltas_until = min(self.last_activity, active_at + DELTA_TIMEOUTS * timeout)
            rest = max(active_at, deltas_until) + timeout + extra() - time.monotonic()
            if rest <= 0:
                return False
            if job.wait(min(rest, timeout)):  # `extra` may end sooner
                return True

    def cancel_task(self) -> bool:
        """Cancel the coroutine that runs now. False where there is none: the adapter is sync."""
        loop, task = self._loop, self._task
        if loop is None or task is None:
            return False
        loop.call_soon_threadsafe(task.cancel)
        return True

    def run_coroutine(self, work: Callable[[], Coroutine[Any, Any, Any]], done: Future[None]) -> None:
        """Run a coroutine function on the loop while a turn runs there, from any thread; `done` is set at its end."""
        if self._loop is None:
            done.set_result(None)
        else:
            running = asyncio.run_coroutine_threadsafe(work(), self._loop)
            running.add_done_callback(lambda _: done.set_result(None))

    def leave_turn(self, error: BaseException) -> None:
        """The turn that runs is over, and its thread stays where it is until its code goes on."""
        if self._turn is not None:
            self._turn.leave(error)

    def stop_waiting(self) -> None:
        """Cancel what can be cancelled, and do not wait for the thread at the end."""
        self.cancel_task()
        self.has_stuck_thread = True

    def abandon(self, job: Job) -> str:
        """Give up on a job that hangs. Returns how it hangs, in words."""
        if not self.cancel_task():
            self.has_stuck_thread = True
            return "its thread still runs"
        if job.wait(GRACE):
            return str(getattr(job.error, "how_it_was_left", "it was cancelled"))
        self.has_stuck_thread = True
        loop = self._loop
        alive = threading.Event()
        if loop is not None:
            loop.call_soon_threadsafe(alive.set)
        return "it ignores cancellation" if alive.wait(GRACE) else "it blocks its event loop, and its thread still runs"

    def close(self) -> None:
        """End the thread and its loop; tasks that the agent left on the loop are cancelled."""
        if self.has_stuck_thread:
            return
        job = Job(self._close_loop)
        self._jobs.put(job)
        self._jobs.put(None)
        if not job.wait(2 * GRACE):
            self.has_stuck_thread = True

    def _work(self) -> None:
        own_process = os.getpid()
        while (job := self._jobs.get()) is not None:
            job.run()
            self._turn = None  # what it holds is not kept until the next turn
            if os.getpid() != own_process:
                os._exit(0)  # the agent forked, and this is the child: it must not go on as a second suite

    def _result_of(self, value: Any) -> Any:
        return self._await(value) if inspect.isawaitable(value) else value

    def _await(self, awaitable: Awaitable[Any]) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        task = self._loop.create_task(_awaited(awaitable))
        self._task = task
        try:
            return self._loop.run_until_complete(task)
        finally:
            self._task = None

    def _reply_of(self, value: Any, emit: "_Emitter") -> str | None:
        if hasattr(value, "__aiter__"):
            return self._await(_consume(value.__aiter__(), emit))  # type: ignore[no-any-return]
        if inspect.isawaitable(value):
            return self._reply_of(self._await(value), emit)
        if value is None or isinstance(value, str):
            return None if value is None else _bounded(str(value))
        if isinstance(value, Iterator):
            return _drain(value, emit)
        raise AdapterMistake(f"send returned {type(value).__name__}; return text, or yield text")

    def _close_loop(self) -> None:
        loop = self._loop
        if loop is None:
            return
        for task in (tasks := asyncio.all_tasks(loop)):
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=GRACE))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


class _Emitter:
    """Takes what `send` yields: deltas and withdrawals are passed on, a `Reply` is kept, all else is a mistake."""

    def __init__(self, driver: Driver, emit: Callable[[str | Withdrawn], None]) -> None:
        self._driver = driver
        self._emit = emit
        self._deltas = 0
        self._characters = 0
        self.reply: str | None = None

    def take(self, item: Any) -> None:
        if isinstance(item, Reply):
            self.reply = _bounded(str(item))
        elif isinstance(item, str):
            self._deltas += 1
            self._characters += len(item)
            if self._deltas > MOST_DELTAS or self._characters > MOST_CHARACTERS:
                raise Flooded(f"{self._deltas} deltas of {self._characters} characters in one turn")
            self._driver.last_activity = time.monotonic()
            self._emit(str(item))
        elif isinstance(item, Withdrawn):
            self._driver.last_activity = time.monotonic()
            self._emit(item)
        elif item is not None:
            raise AdapterMistake(f"send yielded a {type(item).__name__}; yield text, or conformance.Reply(text) last")


def _drain(deltas: Iterator[Any], emit: _Emitter) -> str | None:
    while True:
        try:
            item = next(deltas)
        except StopIteration as stop:
            if stop.value is None:
                return emit.reply
            if not isinstance(stop.value, str):
                raise AdapterMistake(f"send ended with a {type(stop.value).__name__}; return text") from None
            return _bounded(str(stop.value))
        emit.take(item)


def _bounded(reply: str) -> str:
    if len(reply) > MOST_CHARACTERS:
        raise Flooded(f"a reply of {len(reply)} characters")
    return reply


async def _consume(deltas: AsyncIterator[Any], emit: _Emitter) -> str | None:
    async for item in deltas:
        emit.take(item)
    return emit.reply


async def _turn_of(value: Any, emit: _Emitter) -> str | None:
    """One of several turns that run together: a coroutine, or an async iterator."""
    if inspect.isawaitable(value):
        value = await value
    if hasattr(value, "__aiter__"):
        return await _consume(value.__aiter__(), emit)
    if value is None or isinstance(value, str):
        return None if value is None else _bounded(str(value))
    raise AdapterMistake(f"send returned {type(value).__name__}; return text, or yield text")


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
