"""The time by which replies are sent: the machine's, or one that a test sets."""

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """May be read by several threads."""

    def now(self) -> float:
        """Seconds since some moment."""

    def until(self, moment: float) -> threading.Event | float:
        """What to wait for until `now` is `moment`: an event, or so many seconds."""


class SystemClock:
    """The time of this machine."""

    def now(self) -> float:
        return time.monotonic()

    def until(self, moment: float) -> threading.Event | float:
        return max(0.0, moment - self.now())


class ManualClock:
    """Stands still until a test calls `advance`. Thread-safe."""

    def __init__(self) -> None:
        self._now = 0.0
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, threading.Event]] = []

    def now(self) -> float:
        with self._lock:
            return self._now

    def until(self, moment: float) -> threading.Event | float:
        reached = threading.Event()
        with self._lock:
            self._waiting.append((moment, reached))
            self._wake()
        return reached

    def advance(self, seconds: float) -> None:
        """Let so much time pass; whatever was to happen meanwhile happens now."""
        with self._lock:
            # Rounded, as ten times 0.1 seconds are to be a second.
            self._now = round(self._now + seconds, 9)
            self._wake()

    def _wake(self) -> None:
        for moment, reached in self._waiting:
            if moment <= self._now:
                reached.set()
        self._waiting = [waiting for waiting in self._waiting if not waiting[1].is_set()]


SYSTEM_CLOCK = SystemClock()
