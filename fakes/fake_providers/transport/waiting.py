"""Waiting for a `threading.Event` and for time, under asyncio or trio, without blocking their loop."""

import asyncio
import sys
import threading
from collections.abc import Callable

POLL_SECONDS = 0.1
"""After so long a waiting thread checks whether it is still needed."""


def _in_trio() -> bool:
    """In a way that works with every trio: `in_trio_task` exists since 0.29."""
    if "trio" not in sys.modules:
        return False
    try:
        sys.modules["trio"].lowlevel.current_task()
    except RuntimeError:
        return False
    return True


async def checkpoint() -> None:
    """Lets other tasks run, and cancellation take effect."""
    if _in_trio():
        await sys.modules["trio"].lowlevel.checkpoint()
    else:
        await asyncio.sleep(0)


async def sleep(seconds: float) -> None:
    await (sys.modules["trio"].sleep(seconds) if _in_trio() else asyncio.sleep(seconds))


async def _forever() -> None:
    await (sys.modules["trio"].sleep_forever() if _in_trio() else asyncio.get_running_loop().create_future())


async def wait_for(event: threading.Event | None, timeout: float | None) -> bool:
    """Whether the event was set within `timeout` seconds, None meaning as long as it takes.

    No event is one that is never set: it needs no thread.
    """
    if event is None:
        await (_forever() if timeout is None else sleep(timeout))
        return False
    if event.is_set():
        await checkpoint()
        return True
    return await (_wait_in_trio(event, timeout) if _in_trio() else _wait_in_asyncio(event, timeout))


async def _wait_in_asyncio(event: threading.Event, timeout: float | None) -> bool:
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()
    abandon = _watch(event, lambda: loop.call_soon_threadsafe(woken.set))
    try:
        async with asyncio.timeout(timeout):
            await woken.wait()
    except TimeoutError:
        return False
    finally:
        abandon()
    return True


async def _wait_in_trio(event: threading.Event, timeout: float | None) -> bool:
    trio = sys.modules["trio"]
    token = trio.lowlevel.current_trio_token()
    woken = trio.Event()
    abandon = _watch(event, lambda: token.run_sync_soon(woken.set))
    try:
        with trio.move_on_after(float("inf") if timeout is None else timeout):
            await woken.wait()
            return True
    finally:
        abandon()
    return False


def _watch(event: threading.Event, wake: Callable[[], object]) -> Callable[[], None]:
    """Calls `wake` from a thread of its own once the event is set; call the returned function to stop waiting.

    A thread and not polling: the case that waits continues at once, and holding is rare.
    """
    abandoned = threading.Event()

    def wait() -> None:
        while not event.wait(POLL_SECONDS):
            if abandoned.is_set():
                return
        if not abandoned.is_set():
            # The loop may have ended meanwhile; both libraries then raise a RuntimeError.
            try:
                wake()
            except RuntimeError:
                return

    threading.Thread(target=wait, name="fakes-hold", daemon=True).start()
    return abandoned.set
