"""Calling an adapter on a thread of its own: sync methods there, async ones on that thread's one event loop."""

import asyncio
import contextlib
import inspect
import math
import os
import queue
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.adapter.types import Part, Reply, Withdrawn
from agent_conformance.run.process import collect_garbage, old_collections
from agent_conformance.run.process.process_exits import ProcessEnded

MOST_DELTAS = 200_000
MOST_CHARACTERS = 5_000_000
"""More than the longest text that a scenario can have, of 2,000,000 characters: only an agent that yields without end
gets there."""
DELTA_TIMEOUTS = 5
"""For so many timeouts deltas alone keep a turn alive; after that the agent is taken to yield forever."""
GRACE = 1.0
"""Seconds for a cancelled task to end."""
SIGN_OF_LIFE = 1.0
"""Seconds for an event loop to show that it still runs."""


Emit = Callable[[str | Withdrawn], None]
Send = tuple[Callable[[Any], Any], str | list[Part], Emit]
"""An adapter's `send`, the message, and what takes each thing that it yields."""


def takes_session(member: Callable[..., Any]) -> bool:
    parameters = inspect.signature(member).parameters
    return "session" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


ReadError = Callable[[BaseException], Any]


def _as_it_is(error: BaseException) -> Any:
    return error


def _nothing() -> None: ...


def _nobody(item: str | Withdrawn) -> None: ...


class Flooded(BaseException):
    """The agent yields more than any reply has. Not an `Exception`, so that the agent cannot catch it by accident."""


class _Done:
    """A lock that is released when the job is done. An `Event` costs more: each case waits for seven jobs."""

    __slots__ = ("_lock", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._lock = threading.Lock()
        self._lock.acquire()

    def set(self) -> None:
        """Call it any number of times."""
        self.is_set = True
        self._release()

    def wait(self, timeout: float) -> bool:
        """Whether it is set, at once or within so many seconds."""
        if not self.is_set and self._lock.acquire(timeout=max(0.0, timeout)):
            self._release()
        return self.is_set

    def _release(self) -> None:
        with contextlib.suppress(RuntimeError):  # another thread has released it
            self._lock.release()


class Job:
    """One piece of work on the driver's thread. `error` is what `read` makes of the exception it ended in.

    Reading one runs the agent's code, so it belongs to the work. Objects of the agent are let go on the driver's
    thread, where their finalisers may hang: a job keeps neither its work nor an exception, and `take` empties it.
    """

    def __init__(self, work: Callable[[], Any], read: ReadError = _as_it_is) -> None:
        self._work: Callable[[], Any] | None = work
        self._read = read
        self._done = _Done()
        self.value: Any = None
        self.error: Any = None

    def run(self) -> None:
        assert self._work is not None
        try:
            self.value = self._work()
        except BaseException as error:  # whatever an agent raises is a verdict, SystemExit included
            self._take(error)
        finally:
            self._work = None
            self._done.set()

    def wait(self, timeout: float) -> bool:
        return self._done.wait(timeout)

    def take(self) -> Any:
        """The value, which the job does not keep."""
        value, self.value = self.value, None
        return value

    def leave(self, error: BaseException) -> None:
        """Take it as ended in this error, although it still runs."""
        self._take(error)
        self._done.set()

    def _take(self, error: BaseException) -> None:
        if not self._done.is_set:
            self.error = self._read(error)


class Driver:
    """The thread on which the adapter of one case run lives; `has_stuck_thread` says that it did not end."""

    def __init__(self, read: ReadError = _as_it_is) -> None:
        self._read = read
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._now: Job | None = None
        self._emitters: list[_Emitter] = []
        """Of the turns that run now."""
        self.has_stuck_thread = False
        self.last_activity = time.monotonic()
        self._old_collections = old_collections()
        threading.Thread(target=self._work, name="agent", daemon=True).start()

    def start(self, work: Callable[[], Any], read: ReadError | None = None) -> Job:
        """Run `work` on the thread; what it returns is awaited where it is awaitable."""
        return self._put(Job(lambda: self._result_of(work()), read or self._read))

    def start_send(
        self,
        send: Callable[[Any], Any],
        message: str | list[Part],
        emit: Emit,
        *,
        before: Callable[[], Any] | None = None,
    ) -> Job:
        """Run one turn; the job's value is the agent's own reply, or None where it yielded only deltas.

        `before` is called first, and what it returns is awaited where it is awaitable.
        """
        emitter = self._new_emitters([emit])[0]

        def turn() -> str | None:
            if before is not None:
                self._result_of(before())
            return self._reply_of(send(message), emitter)

        return self._put(Job(turn, self._read))

    def _new_emitters(self, emits: "Sequence[Emit]") -> "list[_Emitter]":
        """The emitters of turns that begin now."""
        self.last_activity = time.monotonic()
        self._emitters = [_Emitter(self, emit) for emit in emits]
        return self._emitters

    def _put(self, job: Job) -> Job:
        self._now = job
        self._jobs.put(job)
        return job

    def start_together(self, sends: Sequence[Send]) -> Job:
        """Run turns at the same time, on one event loop; the job's value has the reply or the error of each."""
        emitters = self._new_emitters([emit for _, _, emit in sends])
        turns = [(send, message, emitter) for (send, message, _), emitter in zip(sends, emitters, strict=True)]
        return self._put(Job(lambda: self._await(self._all_of(turns)), self._read))

    async def _all_of(self, sends: "Sequence[tuple[Callable[[Any], Any], str | list[Part], _Emitter]]") -> list[Any]:
        turns = [_turn_of(send(message), emitter) for send, message, emitter in sends]
        ended = await asyncio.gather(*turns, return_exceptions=True)
        return [self._read(one) if isinstance(one, BaseException) else one for one in ended]

    def wait(
        self,
        job: Job,
        timeout: float,
        activity: Callable[[], float],
        extra: Callable[[], float] = lambda: 0.0,
        *,
        limit: float = math.inf,
    ) -> bool:
        """Whether the job ended before `timeout` seconds of silence, several times as many of deltas alone, and
        `limit` seconds whatever it did.

        `extra` says how many seconds are allowed in addition, as things stand.
        """
        started = time.monotonic()
        while True:
            active_at = max(started, activity())
            deltas_until = min(self.last_activity, active_at + DELTA_TIMEOUTS * timeout)
            until = min(max(active_at, deltas_until) + timeout, started + limit)
            rest = until + extra() - time.monotonic()
            if rest <= 0:
                return False
            try:
                is_over = job.wait(min(rest, timeout))  # `extra` may end sooner
            except ProcessEnded:  # of a handler of a signal: another thread leaves the job
                is_over = job.wait(GRACE)
            if is_over:
                return True

    def cancel_task(self) -> bool:
        """Cancel the coroutine that runs now. False where there is none: the adapter is sync."""
        loop, task = self._loop, self._task
        if loop is None or task is None:
            return False
        with contextlib.suppress(RuntimeError):  # it is closed by now
            loop.call_soon_threadsafe(task.cancel)
        return True

    def run_coroutine(self, work: Callable[[], Coroutine[Any, Any, Any]], done: Future[None]) -> None:
        """Run a coroutine function on the loop while a turn runs there, from any thread; `done` is set at its end."""
        if self._loop is None:
            done.set_result(None)
        else:
            running = asyncio.run_coroutine_threadsafe(work(), self._loop)
            running.add_done_callback(lambda _: done.set_result(None))

    def leave(self, error: BaseException) -> None:
        """The job that runs is over, and its thread stays where it is until its code goes on."""
        job = self._now
        if job is not None:
            job.leave(error)

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
            return str(getattr(job.error, "how_it_was_left", "") or "it was cancelled")
        self.has_stuck_thread = True
        loop = self._loop
        alive = threading.Event()
        if loop is not None:
            loop.call_soon_threadsafe(alive.set)
        if alive.wait(SIGN_OF_LIFE):
            return "it ignores cancellation"
        return "it blocks its event loop, and its thread still runs"

    def close(self, forget: Callable[[], None] = _nothing) -> None:
        """End the thread and its loop; tasks that the agent left on the loop are cancelled. `forget` is called there,
        to let go of the agent. A thread that hangs does all this when its code goes on, and nobody waits for it.
        """
        emitters, self._emitters = self._emitters, []
        for emitter in emitters:
            emitter.close()
        job = Job(partial(self._end, forget))
        self._jobs.put(job)
        self._jobs.put(None)
        if not self.has_stuck_thread and not job.wait(2 * GRACE):
            self.has_stuck_thread = True

    def _end(self, forget: Callable[[], None]) -> None:
        forget()
        self._close_loop()
        collect_garbage(old_before=self._old_collections)

    def _work(self) -> None:
        own_process = os.getpid()
        while (job := self._jobs.get()) is not None:
            job.run()
            if self._now is job:  # else the next one was put meanwhile
                self._now = None  # what it holds is not kept until the next turn
            del job
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
            return None if value is None else _bounded(_plain(value))
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

    def __init__(self, driver: Driver, emit: Emit) -> None:
        self._driver = driver
        self._emit = emit
        self._deltas = 0
        self._characters = 0
        self.reply: str | None = None

    def close(self) -> None:
        """The case is over. A thread that hangs keeps this for ever, and with `emit` all that was recorded."""
        self._emit = _nobody

    def take(self, item: Any) -> None:
        if isinstance(item, Reply):
            self.reply = _bounded(_plain(item))
        elif isinstance(item, str):
            text = _plain(item)
            self._deltas += 1
            self._characters += len(text)
            if self._deltas > MOST_DELTAS or self._characters > MOST_CHARACTERS:
                raise Flooded(f"{self._deltas} deltas of {self._characters} characters in one turn")
            self._driver.last_activity = time.monotonic()
            self._emit(text)
        elif isinstance(item, Withdrawn):
            if type(item.characters) not in (int, type(None)):
                raise AdapterMistake(f"send yielded Withdrawn of a {type(item.characters).__name__}; write a number")
            self._driver.last_activity = time.monotonic()
            self._emit(item)
        elif item is not None:
            raise AdapterMistake(
                f"send yielded a {type(item).__name__}; yield text, or agent_conformance.Reply(text) last"
            )


def _drain(deltas: Iterator[Any], emit: _Emitter) -> str | None:
    while True:
        try:
            item = next(deltas)
        except StopIteration as stop:
            if stop.value is None:
                return emit.reply
            if not isinstance(stop.value, str):
                raise AdapterMistake(f"send ended with a {type(stop.value).__name__}; return text") from None
            return _bounded(_plain(stop.value))
        emit.take(item)


def _plain(text: str) -> str:
    """The same characters without a class of the agent's own, whose methods would run where it is judged."""
    return "".join((text,))


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
        return None if value is None else _bounded(_plain(value))
    raise AdapterMistake(f"send returned {type(value).__name__}; return text, or yield text")


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
