"""How a command that serves is ended: by Ctrl-C, and by SIGTERM, which containers and CI send."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """SIGTERM raises `KeyboardInterrupt` as Ctrl-C does. Signals are heard by the main thread alone."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
