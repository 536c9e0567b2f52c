"""Putting the process back as it was after a case: working directory, environment, streams, folders."""

import asyncio.events
import contextlib
import logging
import os
import shutil
import socket
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, ClassVar

from agent_conformance.machine.platform_features import read_file_limit, set_file_limit
from agent_conformance.run.exceptions import described_error
from agent_conformance.run.process.descriptors import standard_streams_kept
from agent_conformance.run.process.shared_functions import NEEDED, SharedFunctions

NEEDED_FUNCTIONS = SharedFunctions(NEEDED.__contains__)
"""Those of this process, as they are before any agent is imported."""

replaced_by_import: list[str] = []
MOST_NAMED = 3
BROKEN = "the agent left the process broken"
ISOLATE = "Run it in a process of its own, with --agent-isolate"


@contextlib.contextmanager
def process_restored() -> Iterator[None]:
    """Undo, at the end, what an agent did to the process: directory, environment, streams, and its settings.

    A project that turns warnings into errors does so for its own code: an agent's warnings stay warnings.
    """
    NEEDED_FUNCTIONS.accept()
    folder = os.getcwd()
    environment = _environment()
    mask = os.umask(0o077)
    os.umask(mask)
    settings = read_settings()
    try:
        with standard_streams_kept(), streams_kept(), warnings.catch_warnings():
            no_warning_raises()
            try:
                yield
            finally:
                NEEDED_FUNCTIONS.restore()
    finally:
        os.umask(mask)
        restore_settings(settings)
        try:
            moved = os.getcwd() != folder
        except FileNotFoundError:  # the agent deleted the directory it stood in
            moved = True
        if moved:
            os.chdir(folder)
        _restore_environment(environment)


def how_it_was_broken(error: BaseException) -> str:
    """What is said where the suite's own code failed with this, in a process in which the agent has replaced what that
    needs; empty where it has replaced nothing.
    """
    if not (replaced := what_was_replaced()):
        return ""
    return f"{BROKEN}: it replaced {replaced}, and the suite failed with {described_error(error)}. {ISOLATE}"


@contextlib.contextmanager
def agent_imported() -> Iterator[None]:
    """What is replaced meanwhile stays so, and is the agent's."""
    NEEDED_FUNCTIONS.accept()
    yield
    replaced_by_import[:] = NEEDED_FUNCTIONS.replaced()


def what_was_replaced() -> str:
    """Functions that the suite needs, by the agent in the last case or as it was imported."""
    names = list(dict.fromkeys([*NEEDED_FUNCTIONS.put_back, *replaced_by_import]))
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def no_warning_raises() -> None:
    """Show each warning that was to be raised as an error, and leave every other filter as it is."""
    warnings.filters = [("default", *one[1:]) if one[0] == "error" else one for one in warnings.filters]


def _environment() -> dict[Any, Any]:
    """The undecoded environment of `os.environ`: decoding it twice would take a tenth of a case."""
    return dict(vars(os.environ)["_data"])


def _restore_environment(before: Mapping[Any, Any]) -> None:
    """Change only what differs: a thread that was left behind may read the rest meanwhile, also in C."""
    now = _environment()
    if now == before:
        return
    for name in now.keys() - before.keys():
        os.environ.pop(os.fsdecode(name), None)
    for name, value in before.items():
        if now.get(name) != value:
            os.environ[os.fsdecode(name)] = os.fsdecode(value)


@contextlib.contextmanager
def streams_kept() -> Iterator[None]:
    """Restore the standard streams, whether they were closed, wrapped or replaced meanwhile.

    A closed `sys.stdout` would end the whole session, because pytest's capture reads from its file.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = sys.stdin, *map(_unclosable, before[1:])
    threads = threading.active_count()
    try:
        yield
    finally:
        if threading.active_count() > threads and sys.version_info < PRINT_HOLDS_ITS_STREAM:
            sys.__class__ = _KeepingStreams
        sys.stdin, sys.stdout, sys.stderr = before


PRINT_HOLDS_ITS_STREAM = (3, 13)
"""Until then `print` has no reference of its own to `sys.stdout`: the process ends where a stream is freed in which a
thread is that an agent has left behind."""


class _KeepingStreams(types.ModuleType):
    """The module `sys` once a thread was left behind: no standard stream is freed when it is replaced."""

    kept: ClassVar[dict[int, Any]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("stdin", "stdout", "stderr"):
            replaced = getattr(self, name, None)
            self.kept[id(replaced)] = replaced
        super().__setattr__(name, value)


class _Unclosable:
    """A stream that cannot be closed, nor can its buffer.

    One for each stream, which stays for ever: a thread that an agent has left behind may be within it.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> "_Unclosable":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    @property
    def buffer(self) -> "_Unclosable":
        return _Unclosable(self._stream.buffer)

    def detach(self) -> "_Unclosable":
        return self.buffer

    def close(self) -> None:
        self._stream.flush()


_wrappers: dict[int, _Unclosable] = {}
"""By the id of the stream, which the wrapper holds."""


def _unclosable(stream: Any) -> Any:
    if stream is None or type(stream) is _Unclosable:
        return stream
    return _wrappers.setdefault(id(stream), _Unclosable(stream))


@contextlib.contextmanager
def loopback_unproxied() -> Iterator[None]:
    """Have clients reach loopback without the machine's proxy, for as long as a session runs."""
    listed = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    hosts = ",".join(dict.fromkeys([*(host for host in listed.split(",") if host), "127.0.0.1", "localhost"]))
    with environment_with({"NO_PROXY": hosts, "no_proxy": hosts}):
        yield


@contextlib.contextmanager
def environment_with(variables: Mapping[str, str]) -> Iterator[None]:
    """Set these variables of the process, and restore them at the end."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


PLAIN = (int, float, tuple)
"""What is compared by value: a hook may be the agent's own class."""

Setting = tuple[Callable[[], Any], Callable[[Any], Any]]


def _of(module: Any, name: str) -> Setting:
    return lambda: getattr(module, name, None), lambda value: setattr(module, name, value)


SETTINGS: tuple[Setting, ...] = (
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (socket.getdefaulttimeout, socket.setdefaulttimeout),
    (threading.stack_size, threading.stack_size),
    (threading.gettrace, threading.settrace),
    (threading.getprofile, threading.setprofile),
    (read_file_limit, set_file_limit),
    _of(sys, "excepthook"),
    _of(sys, "unraisablehook"),
    _of(threading, "excepthook"),
    _of(asyncio.events, "_event_loop_policy"),  # its function would make one, and is deprecated
    _of(os, "environ"),
)


def read_settings() -> list[Any]:
    return [read() for read, _ in SETTINGS]


def restore_settings(before: list[Any]) -> None:
    for (read, write), value in zip(SETTINGS, before, strict=True):
        now = read()
        if now is not value and (type(now) not in PLAIN or now != value):
            with contextlib.suppress(ValueError, OSError):  # a limit that an agent has lowered for good
                write(value)


# The locks of log handlers, one of which a hanging agent may hold for ever.


PATIENCE = 0.1
"""Seconds: whoever writes a line holds the lock for less."""


def free_log_locks() -> None:
    """Gives each handler whose lock somebody holds a new one.

    A record whose text hangs keeps the locks of pytest's own handlers: the next case that logs, and the end of the
    process, would wait for them.
    """
    for reference in list(getattr(logging, "_handlerList", ())):
        handler: Any = reference()
        lock = getattr(handler, "lock", None)
        if lock is None:
            continue
        if lock.acquire(timeout=PATIENCE):
            lock.release()
        else:
            handler.createLock()


def remove_folder(folder: Path) -> None:
    """Removes what can be removed, and raises nothing. Most are empty, or have a file or two: by hand that is cheap."""
    try:
        with os.scandir(folder) as entries:
            for path in [entry.path for entry in entries]:
                os.unlink(path)
        os.rmdir(folder)
    except OSError:
        _remove_all(folder)


def _remove_all(folder: Path) -> None:
    """Where folders are deeper than Python calls itself, or than it may open files, they are first brought up."""
    for _ in range(2):
        with contextlib.suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        with contextlib.suppress(OSError):
            _empty_nested(folder)


def _empty_nested(folder: Path) -> None:
    """Move each folder that lies in one within this one up to it, and remove whatever else is in there.

    Each entry is seen once, and no path becomes long. What cannot be moved or removed stays.
    """
    numbers = count()
    nested = [entry.path for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    while nested:
        inner = nested.pop()
        with contextlib.suppress(OSError):
            with os.scandir(inner) as entries:
                found = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
            for path, is_folder in found:
                if is_folder:
                    up = os.path.join(folder, f"moved-{next(numbers)}")
                    os.rename(path, up)
                    nested.append(up)
                else:
                    os.unlink(path)
            os.rmdir(inner)
