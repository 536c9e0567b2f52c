"""What the machine can do that the suite runs on, what it does with agents' processes, and how the suite came to it.

Here are SIGTERM, and SIGHUP of a terminal that is closed: both end a run or a command as Ctrl-C does.
"""

import signal
import threading
from collections.abc import Callable
from types import FrameType

NUMBERS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Terminated(KeyboardInterrupt):
    """One of them. Its `code` is what a shell says of a program that it ended."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.code = 128 + number


def raise_at_terminations() -> Callable[[], None]:
    """Raise `Terminated` at the first of them, in the main thread. Returns what lets them end the process again.

    A signal that somebody handles or ignores, as `nohup` does, stays as it is.
    """
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    free = [number for number in NUMBERS if signal.getsignal(number) == signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for one in free:
            signal.signal(one, signal.SIG_IGN)  # the second one comes before the summary is printed
        raise Terminated(number)

    def restore() -> None:
        for number in free:
            signal.signal(number, signal.SIG_DFL)

    for number in free:
        signal.signal(number, end)
    return restore
