"""What of a process an agent may change, as values to compare: a worker in which it changed is not used again."""

import asyncio
import decimal
import gc
import locale
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Mapping
from types import FrameType
from typing import Any

from agent_conformance.machine.platform_features import read_limits
from agent_conformance.run.process.descriptors import is_open
from agent_conformance.run.process.shared_functions import SharedFunctions

IDLE = {
    ("concurrent/futures/thread.py", "_worker"),
    ("anyio/_backends/_asyncio.py", "run"),
}
"""Where a thread of a pool waits for work: such a thread does nothing by itself."""

_audit_hooks: list[object] = []
_adding = sys.addaudithook


def note_audit_hooks() -> None:
    """From now on `snapshot` has the hooks that are added: Python shows them to nobody, and no one can remove them."""

    def addaudithook(hook: Any) -> None:
        _adding(hook)
        _audit_hooks.append(hook)

    sys.addaudithook = addaudithook


def snapshot() -> dict[str, Any]:
    """The state by its parts. Nothing of it is copied deeply: it tells that something changed, and what."""
    # The event loop policy, if it is not Python's own, which is made on first use.
    policy = getattr(asyncio.events, "_event_loop_policy", None)
    mask = os.umask(0o077)
    os.umask(mask)
    return {
        "environment": dict(vars(os.environ)["_data"]),
        "working directory": _folder(),
        "umask": mask,
        "limits": read_limits(),
        "signal handlers": [signal.getsignal(number) for number in _SIGNALS],
        "warnings filters": list(warnings.filters),
        "recursion limit": sys.getrecursionlimit(),
        "socket timeout": socket.getdefaulttimeout(),
        "stack size": threading.stack_size(),
        "event loop policy": None if type(policy).__module__ in ("builtins", "asyncio.unix_events") else id(policy),
        "standard streams": [is_open(number) for number in (0, 1, 2)],
        "trace": [sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()],
        "sys.stdin, sys.stdout or sys.stderr": [sys.stdin, sys.stdout, sys.stderr],
        "sys.path": list(sys.path),
        "import hooks": [*sys.meta_path, *sys.path_hooks],
        "audit hooks": len(_audit_hooks),
        "garbage collection": [*gc.callbacks, gc.get_threshold()],
        "switch interval": sys.getswitchinterval(),
        "logging": [logging.root.level, logging.root.disabled, logging.root.manager.disable, *logging.root.handlers],
        "decimal context": repr(decimal.DefaultContext),
        "locale": locale.setlocale(locale.LC_ALL),
    }


def changes(before: Mapping[str, Any], functions: SharedFunctions, threads: frozenset[threading.Thread]) -> list[str]:
    """The parts that differ now, and threads that still do something, apart from these `threads`."""
    now = snapshot()
    found = [name for name, value in before.items() if not _same(value, now[name])]
    found += [f"patch of {name}" for name in functions.replaced()]
    frames = sys._current_frames()
    left = set(threading.enumerate()) - threads
    found += [f"thread {thread.name}" for thread in left if not _is_idle(frames.get(thread.ident or 0))]
    return found


_SIGNALS = sorted(signal.valid_signals())


def _same(before: Any, now: Any) -> bool:
    """Compared by what only our own process made: lists of built-in values, and of objects by what they are."""
    if isinstance(before, list):
        return len(before) == len(now) and all(
            a is b or (type(a) is type(b) and type(a) in (int, str, bool, tuple) and bool(a == b))
            for a, b in zip(before, now, strict=True)
        )
    return bool(before == now)


def _is_idle(frame: FrameType | None) -> bool:
    """Whether the thread waits for work of a pool; one without a frame has just ended."""
    depth = 0
    while frame is not None and depth < 4:
        file = frame.f_code.co_filename.replace("\\", "/")
        if any(file.endswith(end) and frame.f_code.co_name == name for end, name in IDLE):
            return True
        frame, depth = frame.f_back, depth + 1
    return frame is None and depth == 0


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""
