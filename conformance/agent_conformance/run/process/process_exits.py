"""An agent that ends its process must not end the run, and least of all with the exit code 0.

`os._exit` and `os.exec*` are replaced while an agent is loaded or runs: what they would have ended is told of it
instead. In a child that the agent has forked, and for the program that runs the tests, they do what they always do. The
same functions of the C library cannot be replaced, but that `ctypes` looks them up is noticed.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, NoReturn

from agent_conformance.machine.platform_features import SYSTEM_MODULE
from agent_conformance.transcripts.redaction import redacted

RUNNERS = ("pytest_timeout", "execnet", "xdist", "_pytest", "agent_conformance")
"""Packages whose own exits are meant."""

EXITS_IN_C = frozenset(
    {"_exit", "_Exit", "exit", "quick_exit", "execl", "execlp", "execv", "execve", "execvp", "execvpe"}
)

UNJUDGED = 3
"""The exit code where the process was ended before the result of its run was known, in place of 0."""

really_exit = os._exit
_really = {name: getattr(os, name) for name in ("_exit", "execv", "execve")}
"""What is replaced. The others of `os.exec*` call these."""

PASSED_OVER = ("os", "ctypes", "agent_conformance.run.process.process_exits")
"""Modules between the code that wants to end the process and what is called then."""


class ProcessEnded(BaseException):
    """The agent ended its process. Not an `Exception`: no code of the agent goes on after it."""


class _Guard:
    """The process that is guarded, who is told of an exit in it, and the exit code of a run whose result is known."""

    def __init__(self) -> None:
        self.process = 0
        self.ended: Callable[[ProcessEnded], Any] | None = None
        self.strays: list[str] = []
        self.final: int | None = None
        self.is_audited = False

    def exit(self, status: int) -> NoReturn:
        frame = _caller()
        if os.getpid() != self.process or _is_runner(frame):
            really_exit(status)
        self.refuse(f"os._exit({status})", frame, status)

    def execv(self, path: Any, argv: Any) -> NoReturn:
        self._exec("execv", path, argv)

    def execve(self, path: Any, argv: Any, env: Any) -> NoReturn:
        self._exec("execve", path, argv, env)

    def _exec(self, name: str, path: Any, *arguments: Any) -> NoReturn:
        frame = _caller()
        is_there = isinstance(path, int) or (os.path.isfile(path) and os.access(path, os.X_OK))
        if os.getpid() != self.process or _is_runner(frame) or not is_there:
            _really[name](path, *arguments)
        self.refuse(f"os.{name}({path!r}, ...)", frame, 0)

    def refuse(self, how: str, frame: FrameType | None, status: int) -> NoReturn:
        """Raises in place of the end, unless the run is over.

        The main thread is no agent's once its module is imported, but runs handlers of signals and finalisers: in a
        case the driver goes on waiting, and between two the process ends there, but never with 0.
        """
        if self.final is not None:
            really_exit(self.final)
        error = ProcessEnded(f"the agent ended its process: {how}")
        if frame is not None:  # called by C, as by `atexit`, there is none
            error.__traceback__ = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and self.ended is None:
            text = f"agent-conformance: {redacted(str(error))}, between two cases\n"
            os.write(2, text.encode())
            really_exit(status or UNJUDGED)
        if is_main and self.ended is not _nobody:
            threading.Thread(target=self.ended, args=(error,), daemon=True).start()
        elif self.ended is None:
            self.strays.append(f"{error}, in the thread {threading.current_thread().name}, between two cases")
        else:
            self.ended(error)
        raise error


_guard = _Guard()


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    """Raises `ProcessEnded` where `ctypes` looks up a function of a C library that ends the process.

    Between two cases the main thread is the run's: it may look up what it likes.
    """
    # Called for every event of the interpreter: nothing may come before this line.
    if event != "ctypes.dlsym" or arguments[-1] not in EXITS_IN_C or os.getpid() != _guard.process:
        return
    frame = _caller()
    if frame is None or _is_runner(frame):
        return
    is_of_run = _guard.ended is None and threading.current_thread() is threading.main_thread()
    if _guard.final is not None or not is_of_run:
        _guard.refuse(f"{arguments[-1]} of the C library", frame, 0)


def guard_exits() -> None:
    """From now on, in this process. Python cannot remove an audit hook, so it is installed once."""
    if not _guard.is_audited:
        sys.addaudithook(_audit)
        _guard.is_audited = True
    _guard.process, _guard.final = os.getpid(), None
    for name, replacement in (("_exit", _guard.exit), ("execv", _guard.execv), ("execve", _guard.execve)):
        setattr(os, name, replacement)
        setattr(SYSTEM_MODULE, name, replacement)


def leave_exits() -> list[str]:
    """From now on the process ends when it is ended. Returns exits that belonged to no case."""
    for name, function in _really.items():
        setattr(os, name, function)
        setattr(SYSTEM_MODULE, name, function)
    strays, _guard.strays = _guard.strays, []
    return strays


def settle_exit_code(status: int) -> None:
    """The result of the run is known: from now on the process ends with this code, whoever ends it."""
    guard_exits()
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


def _caller() -> FrameType | None:
    """The frame of the code that wants to end the process; none where C calls."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in PASSED_OVER:
        frame = frame.f_back
    return frame


def _is_runner(frame: FrameType | None) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in RUNNERS
