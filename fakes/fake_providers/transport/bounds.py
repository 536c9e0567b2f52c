"""What one server takes on at most: connections, slow clients, large bodies.

Servers of cases have no such bounds: their clients are agents, which may wait for as long as a case lasts.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Iterable
from operator import itemgetter
from typing import Protocol, TypeVar

from msgspec import Struct

LARGE = 256 * 1024
"""Bytes of a body that is judged beside the event loop: a smaller one takes a few milliseconds."""
SWEEP_SECONDS = 1.0
STALLED_SECONDS = 5.0
"""A request that is incomplete for longer may make room for another connection."""

_T = TypeVar("_T")


class Bounds(Struct, frozen=True):
    """`request_seconds`: for a request from its first byte to its last. `unread_seconds`: for a client that does not
    read its response. `threads` judge large bodies, for which as many more may wait as `waiting` says. `body_bytes`:
    of all bodies that are not complete yet.
    """

    connections: int = 400
    request_seconds: float = 60.0
    unread_seconds: float = 60.0
    threads: int = 2
    waiting: int = 6
    body_bytes: int = 256 * 1024 * 1024


class Bounded(Protocol):
    """A connection, as the bounds see it."""

    @property
    def is_idle(self) -> bool:
        """Between two requests."""

    @property
    def incomplete_bytes(self) -> int:
        """How many bytes there are of a body that is being read."""

    @property
    def begun(self) -> float | None:
        """When the request began that is being read."""

    def unread_since(self, now: float) -> float | None:
        """Since when the client has read nothing of what was written, as far as it was asked before; None where it has
        read all."""

    @property
    def used(self) -> float:
        """When it was read last."""

    def abort(self) -> None: ...


class Busy(Exception):
    """Too many large bodies wait already."""


class Beside:
    """Runs work in a few threads of its own, for a loop that goes on meanwhile. Used in one loop."""

    def __init__(self, bounds: Bounds) -> None:
        self._most = bounds.threads + bounds.waiting
        self._free = asyncio.Semaphore(bounds.threads)
        self._taken = 0

    async def run(self, work: Callable[[], _T]) -> _T:
        """What `work` returns. A thread that nobody waits for any more ends by itself. Raises `Busy`."""
        if self._taken >= self._most:
            raise Busy
        self._taken += 1
        try:
            async with self._free:
                return await _in_thread(work)
        finally:
            self._taken -= 1


async def _in_thread(work: Callable[[], _T]) -> _T:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()

    def finish(result: _T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(finish, result, error)
        except RuntimeError:  # the server has stopped
            return

    threading.Thread(target=run, name="fakes-judging", daemon=True).start()
    return await done


def make_room(connections: Collection[Bounded], bounds: Bounds) -> bool:
    """Whether one more connection can stay beside these. The one that is idle for longest makes room for it, or else
    the one whose request is incomplete for longest, if for `STALLED_SECONDS`.
    """
    if len(connections) < bounds.connections:
        return True
    idle = [connection for connection in connections if connection.is_idle]
    if idle:
        min(idle, key=lambda connection: connection.used).abort()
        return True
    begun = [(connection.begun, connection) for connection in connections if connection.begun is not None]
    since, slowest = min(begun, key=itemgetter(0), default=(None, None))
    if since is None or slowest is None or not _is_over(since, time.monotonic(), STALLED_SECONDS):
        return False
    slowest.abort()
    return True


def takes_too_much(connections: Iterable[Bounded], bounds: Bounds) -> bool:
    return sum(connection.incomplete_bytes for connection in connections) > bounds.body_bytes


async def sweep(connections: Collection[Bounded], bounds: Bounds) -> None:
    """End what is too slow, for as long as the server runs."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        now = time.monotonic()
        for connection in list(connections):
            if _is_over(connection.begun, now, bounds.request_seconds) or _is_over(
                connection.unread_since(now), now, bounds.unread_seconds
            ):
                connection.abort()


def _is_over(since: float | None, now: float, seconds: float) -> bool:
    return since is not None and now - since > seconds
