"""How a command that serves is ended: by Ctrl-C, and by SIGTERM, which containers and CI send."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType


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
