"""Windows and macOS, simulated: what the system lacks is taken away from the project's packages.

Python's own library and other distributions keep what they have: on the real system they have ways of their own. The
packages lose modules, functions, signals, kinds of sockets and programs, and open text files in the encoding and with
the ends of lines of the system. Names of files are refused for all that would not be possible there.
"""

import asyncio
import builtins
import errno
import io
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

PACKAGES = (
    "agent_conformance",
    "fake_providers",
    "pytest_agent_conformance",
    "pytest_agent_conformance_options",
)
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
LONGEST_PATH = 259
CMD = re.compile(r'cmd\.exe /d /s /c "(.*)"', re.DOTALL)
"""What reads a command line on Windows; here `sh` does."""
WATCHING = {f"{what}_{kind}" for what in ("add", "remove") for kind in ("reader", "writer", "signal_handler")}
SHELLS = ("/bin/sh", "sh", "bash", "/bin/bash")


@dataclass(frozen=True)
class Platform:
    """What a platform lacks: whole modules, names of modules, and the beginnings of paths."""

    system: str
    modules: frozenset[str] = frozenset()
    names: Mapping[str, frozenset[str]] = field(default_factory=dict)
    paths: tuple[str, ...] = ("/proc/",)
    is_windows: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LINUX_ALONE = {
    "os": _words("""
        pidfd_open pipe2 memfd_create sched_getaffinity sched_setaffinity sched_setscheduler
        copy_file_range splice eventfd getresuid waitid posix_fadvise
    """),
    "socket": frozenset({"SOCK_SEQPACKET", "SOCK_CLOEXEC", "SOCK_NONBLOCK"}),
    "select": frozenset({"epoll"}),
    "signal": frozenset({"SIGRTMIN", "SIGRTMAX", "SIGPWR", "SIGPOLL", "SIGSTKFLT", "sigtimedwait", "sigwaitinfo"}),
}
POSIX_ALONE = {
    "os": _words("""
        fork forkpty killpg register_at_fork setsid getsid getpgid setpgid getpgrp setpgrp getuid
        geteuid getgid getegid getgroups setuid setgid wait wait3 wait4 waitid WNOHANG WIFEXITED
        WEXITSTATUS WIFSIGNALED WTERMSIG pread pwrite preadv pwritev mkfifo mknod chown lchown
        chroot nice uname openpty ttyname sysconf statvfs getloadavg sync set_blocking get_blocking
        O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW posix_spawn posix_spawnp confstr fchmod fchown
        environb getenvb lockf ctermid initgroups sendfile fdatasync
    """),
    "socket": frozenset({"AF_UNIX", "send_fds", "recv_fds", "CMSG_LEN", "SCM_RIGHTS"}),
    "select": frozenset({"poll", "kqueue"}),
    "signal": _words("""
        SIGKILL SIGHUP SIGQUIT SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGCHLD SIGCONT SIGSTOP SIGTSTP
        SIGTTIN SIGTTOU SIGBUS SIGWINCH setitimer getitimer alarm pause pthread_kill pthread_sigmask
        sigwait siginterrupt sigpending
    """),
}
PLATFORMS = {
    "macos": Platform("darwin", names=LINUX_ALONE),
    "windows": Platform(
        "win32",
        modules=_words("""
        resource fcntl pwd grp termios tty pty posix syslog readline spwd
    """),
        names={name: LINUX_ALONE[name] | POSIX_ALONE[name] for name in POSIX_ALONE},
        paths=("/proc/", "/dev/shm", "/bin/"),
        is_windows=True,
    ),
}


def take_away(name: str) -> None:
    """From now on, for this process. Call it before the packages are imported."""
    platform = PLATFORMS[name]
    _take_away_modules(platform)
    sys.addaudithook(lambda event, arguments: _refuse(platform, event, arguments))
    if platform.is_windows:
        _open_as_on_windows()
        _start_as_on_windows()
        asyncio.get_event_loop_policy()._loop_factory = LoopOfWindows  # type: ignore[attr-defined]


class LoopOfWindows(asyncio.SelectorEventLoop):
    """The default event loop of Windows watches no sockets and handles no signals for others."""

    def __getattribute__(self, name: str) -> Any:
        if name in WATCHING and not sys._getframe(1).f_globals.get("__name__", "").startswith("asyncio"):
            raise NotImplementedError
        return super().__getattribute__(name)


class Lacking(ModuleType):
    """A module without some of its names. What is set is set in the module itself."""

    def __init__(self, real: ModuleType, missing: frozenset[str], other: Mapping[str, Any]) -> None:
        super().__init__(real.__name__)
        vars(self)["_real"], vars(self)["_missing"], vars(self)["_other"] = real, missing, other

    def __getattr__(self, name: str) -> Any:
        if name in vars(self)["_missing"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on this platform")
        return vars(self)["_other"].get(name) or getattr(vars(self)["_real"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)["_real"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(vars(self)["_real"], name)


def _take_away_modules(platform: Platform) -> None:
    other: dict[str, dict[str, Any]] = {"sys": {"platform": platform.system}}
    if platform.is_windows:
        other["socket"] = {"socketpair": _socketpair}
    given = {
        name: Lacking(__import__(name), platform.names.get(name, frozenset()), other.get(name, {}))
        for name in {*platform.names, *other}
    }
    import_it = builtins.__import__

    def import_what_there_is(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if not _is_ours(str((globals or {}).get("__name__", ""))):
            return import_it(name, globals, locals, fromlist, level)
        if name.partition(".")[0] in platform.modules:
            raise ModuleNotFoundError(f"No module named {name!r} on this platform", name=name)
        found = import_it(name, globals, locals, fromlist, level)
        return given.get(found.__name__, found)

    builtins.__import__ = import_what_there_is


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _is_asked_by_ours() -> bool:
    """Whether the code that calls Python's own library is of the packages."""
    return next((_is_ours(name) for name in _callers()), False)


def _callers() -> Iterator[str]:
    frame = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name != __name__ and name.partition(".")[0] not in sys.stdlib_module_names:
            yield name
        frame = frame.f_back  # type: ignore[assignment]


def _refuse(platform: Platform, event: str, arguments: tuple[Any, ...]) -> None:
    """Raises what the platform would raise."""
    if event in ("open", "os.listdir", "os.scandir"):
        path = arguments[0]
        is_text = isinstance(path, str | os.PathLike)
        if is_text and os.fspath(path).startswith(platform.paths) and _is_asked_by_ours():
            raise FileNotFoundError(errno.ENOENT, "there is no such file on this platform", path)
        if is_text and event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT:
            _refuse_name(platform, os.fspath(path))
    elif event == "os.mkdir" or (event == "os.rename" and isinstance(arguments[1], str | os.PathLike)):
        _refuse_name(platform, os.fspath(arguments[1 if event == "os.rename" else 0]))
    elif event == "subprocess.Popen" and platform.is_windows and arguments[0] in SHELLS and _is_asked_by_ours():
        raise FileNotFoundError(errno.ENOENT, "there is no such program on this platform", arguments[0])


def _refuse_name(platform: Platform, path: Any) -> None:
    """A name that cannot be, or that differs by its case alone from one that is there already."""
    if not isinstance(path, str) or path.startswith(("/proc/", "/dev/", "/sys/")):
        return
    full = os.path.abspath(path)
    folder, name = os.path.split(full)
    if platform.is_windows:
        stem = name.partition(".")[0].casefold()
        if set(name) & set('<>:"|?*\\') or min(name, default=" ") < " " or name.endswith((" ", ".")):
            raise OSError(errno.EINVAL, "the name has characters that Windows does not take", path)
        if stem in RESERVED:
            raise OSError(errno.EINVAL, "the name is reserved on Windows", path)
        if len(full) > LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, f"the path has {len(full)} characters", path)
    if not os.path.lexists(full) and os.path.isdir(folder):
        same = [other for other in os.listdir(folder) if other.casefold() == name.casefold()]
        if same:
            raise FileExistsError(errno.EEXIST, f"{same[0]} differs by its case alone", path)


def _open_as_on_windows() -> None:
    """Without an encoding a text is in cp1252, and the ends of lines are two characters."""
    real = io.open

    def open_text(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        if "b" not in mode and _is_asked_by_ours():
            encoding = "cp1252" if encoding in (None, "locale") else encoding
            newline = "\r\n" if newline is None and not mode.startswith("r") else newline
        return real(file, mode, buffering, encoding, errors, newline, closefd, opener)

    builtins.open = io.open = open_text  # type: ignore[assignment]


def _start_as_on_windows() -> None:
    start = subprocess.Popen.__init__

    def start_as_on_windows(self: Any, arguments: Any, *rest: Any, **named: Any) -> None:
        if _is_asked_by_ours():
            if named.get("pass_fds") or named.get("preexec_fn"):
                raise ValueError("pass_fds and preexec_fn are not supported on Windows")
            if isinstance(arguments, str) and (read := CMD.fullmatch(arguments)):
                arguments = ["/usr/bin/env", "sh", "-c", read[1]]
            if (named.get("text") or named.get("universal_newlines")) and not named.get("encoding"):
                named["encoding"] = "cp1252"
        start(self, arguments, *rest, **named)

    subprocess.Popen.__init__ = start_as_on_windows  # type: ignore[method-assign]


def _socketpair(*_: Any) -> tuple[socket.socket, socket.socket]:
    """Two ends of a connection over loopback, which is what Windows gives."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        one = socket.create_connection(server.getsockname())
        other, _address = server.accept()
    return one, other
