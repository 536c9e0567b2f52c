"""What this system can do: forking, limits, signals, kinds of sockets, shells. All others ask here before they use it.

It imports each module that some system lacks, and nothing else of the suite does. `docs/limitations.md` says what is
missing where.
"""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

try:
    import resource as _resource
except ImportError:  # Windows
    _limits: dict[str, int] = {}
else:
    _limits = {name: value for name, value in vars(_resource).items() if name.startswith("RLIMIT_")}

FORKS = hasattr(os, "fork") and sys.platform == "linux"
"""Whether a process that has imported an agent may fork itself. Not on macOS: its libraries start threads."""

IS_POSIX = hasattr(os, "setsid")
"""Whether there are sessions, process groups, and a shell by the name of `/bin/sh`."""

SYSTEM_MODULE: Any = sys.modules[os.name]
"""`posix` or `nt`, which `os` has its functions from."""

_DEATH_SIGNAL, _SUBREAPER = 1, 36
"""Options of Linux's `prctl`."""


def after_fork_in_child(function: Callable[[], Any]) -> None:
    """Call this in each process that is forked off this one, where any can be."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


def read_limits() -> dict[int, tuple[int, int]]:
    """The limits of this process, soft and hard, by their numbers; none on Windows."""
    return {number: _resource.getrlimit(number) for number in sorted(set(_limits.values()))}


def read_file_limit() -> tuple[int, int] | None:
    """The limit of open files; None where there is none."""
    number = _limits.get("RLIMIT_NOFILE")
    return None if number is None else _resource.getrlimit(number)


def set_file_limit(limits: tuple[int, int] | None) -> None:
    """Raises `ValueError` and `OSError` for a limit that has been lowered for good."""
    if limits is not None:
        _resource.setrlimit(_limits["RLIMIT_NOFILE"], limits)


def shell_command(command: str) -> list[str] | str:
    """What `Popen` starts for a command line that a shell must read: `sh`, or `cmd` on Windows, which finds scripts of
    npm as well.
    """
    if IS_POSIX:
        return ["/bin/sh", "-c", command]
    return f'{os.environ.get("COMSPEC", "cmd.exe")} /d /s /c "{command}"'


def apart() -> dict[str, Any]:
    """What `Popen` is told so that Ctrl-C reaches this process alone, and the other can be ended whole."""
    if IS_POSIX:
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def ask_to_end(leader: int, number: signal.Signals) -> None:
    """Send this signal to the process group of this process, or what Windows has in its place."""
    with contextlib.suppress(OSError):
        if IS_POSIX:
            os.killpg(leader, number)
        else:
            os.kill(leader, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))


def kill_group(leader: int) -> None:
    """Kill the process group of this process at once, where there are groups."""
    if IS_POSIX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def session_of(pid: int) -> int | None:
    """The session of a process; None where it is unknown."""
    if IS_POSIX:
        with contextlib.suppress(OSError):
            return os.getsid(pid)
    return None


def death_handle(pid: int) -> int | None:
    """A handle that can be read once this process has ended; None where there is none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def open_descriptors() -> set[int]:
    """The open descriptors of this process; none where the system does not list them."""
    found = set()
    with contextlib.suppress(OSError):
        for number in map(int, os.listdir("/dev/fd")):
            with contextlib.suppress(OSError):  # that of the folder itself is closed by now
                os.fstat(number)
                found.add(number)
    return found


def threads_of_this_process() -> int:
    """How many threads run in this process, those of C libraries as well."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import psutil

        return psutil.Process().num_threads()


def children_of_this_process() -> set[int]:
    """The ids of all child processes; after `adopt_orphans`, also of those whose parent has ended."""
    try:
        return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()}
    except OSError:
        import psutil

        return {child.pid for child in psutil.Process().children()}


def kill_with_parent(yes: bool) -> None:
    """Whether this process is killed at the death of its parent; elsewhere than on Linux this does nothing."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL if yes and IS_POSIX else 0)


def adopt_orphans() -> None:
    """Be the parent of those that this process's children leave; elsewhere than on Linux this does nothing."""
    _prctl(_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


POLLS_PIPES = hasattr(select, "poll")
"""Whether a pipe tells if it can be read; on Windows only reading it does, and waits."""


def is_pipe_ready(pipe: IO[bytes], seconds: float) -> bool:
    """Whether it can be read within so many seconds, its end included; always where only reading it tells."""
    return not POLLS_PIPES or is_ready(pipe, to_read=True, seconds=seconds)


def is_ready(end: socket.socket | IO[bytes], *, to_read: bool, seconds: float | None) -> bool:
    """Whether a socket can be read, or written, within so many seconds; also if it is closed meanwhile.

    `poll` takes any number of open files. Windows has none, nor has a process whose agent imports eventlet.
    """
    try:
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(end, select.POLLIN if to_read else select.POLLOUT)
            return bool(poll.poll(None if seconds is None else max(0.0, seconds) * 1000))
        watched = [end]
        ready = select.select(watched if to_read else [], [] if to_read else watched, [], seconds and max(0.0, seconds))
        return any(ready)
    except (OSError, ValueError):
        return True
