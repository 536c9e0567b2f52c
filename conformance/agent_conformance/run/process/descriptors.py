"""File descriptors of this process, against agents that close or write to those that are not their own.

`os.close` and `os.closerange` are replaced for as long as a session runs; programs that become daemons call them. In a
child that the agent has forked they do what they always do. What C closes cannot be kept, but the standard streams are
opened again after the case. While an agent must not print, they lead nowhere.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from agent_conformance.machine.platform_features import SYSTEM_MODULE, open_descriptors

_really = {name: getattr(os, name) for name in ("close", "closerange")}
_kept: set[int] = set()
"""The descriptors that stay open."""
_processes: set[int] = set()
"""The ids of the processes in which they do: this one alone."""


def _close(fd: int) -> None:
    if fd not in _kept or os.getpid() not in _processes:
        _really["close"](fd)


def _closerange(low: int, high: int) -> None:
    """An empty range that begins at 0 would be all of them: `close_range` of Linux reads -1 as the highest."""
    stay = [fd for fd in sorted(_kept) if low <= fd < high] if os.getpid() in _processes else []
    for start, stop in zip([low, *(fd + 1 for fd in stay)], [*stay, high], strict=True):
        if start < stop:
            _really["closerange"](start, stop)


@contextlib.contextmanager
def descriptors_kept() -> Iterator[None]:
    """Keep the descriptors that are open now from being closed by Python code of this process."""
    _kept.update(open_descriptors())
    _processes.add(os.getpid())
    _install({"close": _close, "closerange": _closerange})
    try:
        yield
    finally:
        _install(_really)
        _kept.clear()
        _processes.clear()


def _install(functions: dict[str, Any]) -> None:
    for name, function in functions.items():
        setattr(os, name, function)
        setattr(SYSTEM_MODULE, name, function)


@contextlib.contextmanager
def standard_streams_kept() -> Iterator[None]:
    """At the end 0, 1 and 2 are what they were, also if they were closed or lead elsewhere."""
    copies = {}
    for number in (0, 1, 2):
        with contextlib.suppress(OSError):  # it was closed before
            copies[number] = os.dup(number)
    _kept.update(copies.values())
    try:
        yield
    finally:
        for number, copy in copies.items():
            with contextlib.suppress(OSError):  # C has closed the copy
                if not _leads_to(number, os.fstat(copy)):
                    os.dup2(copy, number)
                _really["close"](copy)
        _kept.difference_update(copies.values())


def _leads_to(number: int, file: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.fstat(number), file)
    except OSError:
        return False


@contextmanager
def no_output() -> Iterator[None]:
    """Python's streams and the descriptors below them: a handler of `logging` keeps the stream it was made with."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2) if is_open(number)]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for number, _ in kept:
            os.dup2(nowhere.fileno(), number)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
