"""An agent that ends its process must not end the run, and least of all with the exit code 0. Knows no case.

`os._exit` is replaced while an agent is loaded or runs: what it would have ended is told of it instead. In a child that
the agent has forked, and for the program that runs the tests, it does what it always does. The same function of the C
library cannot be replaced, but that `ctypes` looks it up is noticed.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, NoReturn

from agent_conformance.machine.abilities import SYSTEM_MODULE

RUNNERS = ("pytest_timeout", "execnet", "xdist", "_pytest", "agent_conformance")
"""Packages whose own exits are meant."""

EXITS_IN_C = frozenset({"_exit", "_Exit", "exit", "quick_exit"})

really_exit = os._exit


NOTICING = ("agent_conformance.run.guard", "agent_conformance.run.process_exits")
"""What is called when a symbol is looked up."""


class ProcessEnded(BaseException):
    """The agent ended its process. Not an `Exception`: no code of the agent goes on after it."""


class _Guard:
    """The process that is guarded, who is told of an exit in it, and the exit code of a run that is over."""

    def __init__(self) -> None:
        self.process = 0
        self.ended: Callable[[ProcessEnded], Any] | None = None
        self.strays: list[str] = []
        self.final: int | None = None

    def exit(self, status: int) -> NoReturn:
        frame = sys._getframe(1)
        if os.getpid() != self.process or _is_runner(frame):
            really_exit(status)
        if self.final is not None:  # the run is over, and has its exit code
            really_exit(status or self.final)
        self.refuse(f"os._exit({status})", frame, status)

    def refuse(self, how: str, frame: FrameType, status: int) -> NoReturn:
        """Raises in place of the end. Between two cases the main thread is not the agent's."""
        error = ProcessEnded(f"the agent ended its process: {how}")
        error.__traceback__ = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
        if self.ended is not None:
            self.ended(error)
        elif threading.current_thread() is threading.main_thread():
            really_exit(status)
        else:
            self.strays.append(f"{error}, in the thread {threading.current_thread().name}, between two cases")
        raise error


_guard = _Guard()


def note_symbol(name: object) -> None:
    """Called where `ctypes` looks up a function of a C library. Raises `ProcessEnded` for one that ends the process."""
    if name not in EXITS_IN_C or os.getpid() != _guard.process or _guard.ended is None:
        return
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in ("ctypes", *NOTICING):
        frame = frame.f_back
    if frame is not None and not _is_runner(frame):
        _guard.refuse(f"{name} of the C library", frame, 1)


def guard_exits() -> None:
    """From now on, in this process."""
    _guard.process, _guard.final = os.getpid(), None
    os._exit = SYSTEM_MODULE._exit = _guard.exit


def leave_exits() -> list[str]:
    """From now on the process ends when it is ended. Returns exits that belonged to no case."""
    os._exit = SYSTEM_MODULE._exit = really_exit
    strays, _guard.strays = _guard.strays, []
    return strays


def keep_exit_code(status: int) -> None:
    """The run is over with this code: an exit with 0, in what an agent has registered for the end, ends with it."""
    _guard.final = status


@contextlib.contextmanager
def exits_reported(ended: Callable[[ProcessEnded], Any] | None) -> Iterator[None]:
    """Call this with each exit, on the thread that wants to end the process. None: it is only raised there."""
    before, _guard.ended = _guard.ended, ended or _nobody
    try:
        yield
    finally:
        _guard.ended = before


def _nobody(error: ProcessEnded) -> None: ...


def _is_runner(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in RUNNERS
