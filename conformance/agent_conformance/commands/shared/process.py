"""The process of a long command: how Ctrl-C and SIGTERM, which containers and CI send, end it, and memory that it gives
back."""

import ctypes
import gc
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from queue import SimpleQueue
from types import FrameType
from typing import Any


@contextmanager
def stopped_by_signals() -> Iterator[Callable[[], None]]:
    """Yields what waits until one of the two signals has come, and ends the line. Only the main thread hears signals.

    The handlers raise nothing: an exception would be lost where it comes amid a weak reference's callback.
    A signal that whoever started the command has it ignore, as shells do with Ctrl-C in the background, stays so.
    """
    asked: SimpleQueue[int] = SimpleQueue()  # the one whose `put` may interrupt itself

    def ask(number: int, frame: FrameType | None) -> None:
        asked.put(number)

    def wait() -> None:
        asked.get()
        print()

    if threading.current_thread() is not threading.main_thread():
        yield wait
        return
    heard = [number for number in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def give_memory_back() -> None:
    """The C library keeps what was freed, in case it is needed again. Elsewhere than on Linux nothing happens."""
    gc.collect()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
