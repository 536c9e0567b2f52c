"""What of a process an agent may change, as values to compare: a worker in which it changed is not used again."""

import asyncio
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from agent_conformance.machine.abilities import read_limits

FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "builtins": ("open", "print", "input", "isinstance", "len", "__import__", "repr", "str", "dict"),
    "json": ("loads", "dumps", "JSONEncoder.default", "JSONDecoder.decode"),
    "time": ("time", "sleep", "monotonic", "perf_counter"),
    "os": ("getenv", "system", "urandom", "_exit", "getcwd"),
    "random": ("random", "Random.random"),
    "threading": ("Thread", "Thread.start", "Thread.run", "Lock", "Event", "excepthook"),
    "socket": ("socket", "create_connection", "getaddrinfo", "socket.connect"),
    "ssl": ("create_default_context", "SSLContext"),
    "subprocess": ("Popen", "Popen.__init__", "run"),
    "asyncio": ("run", "sleep", "create_task", "new_event_loop", "get_running_loop", "BaseEventLoop.run_forever"),
    "logging": ("Logger.handle", "getLogger", "Logger.callHandlers"),
    "urllib.request": ("urlopen",),
    "datetime": ("datetime", "date"),
    "uuid": ("uuid4",),
    "sys": ("excepthook", "unraisablehook", "stdin", "stdout", "stderr", "setrecursionlimit", "exit"),
    **dict.fromkeys(
        ("httpx", "httpx2"),
        ("Client", "AsyncClient", "Client.send", "AsyncClient.send", "Client.request", "AsyncClient.request"),
    ),
    "requests": ("get", "post", "Session.request", "Session.send"),
    "aiohttp": ("ClientSession", "ClientSession._request"),
}
"""Functions that agents are known to patch; a module that was not imported before the case is not looked at."""

IDLE = {
    ("concurrent/futures/thread.py", "_worker"),
    ("anyio/_backends/_asyncio.py", "run"),
}
"""Where a thread of a pool waits for work: such a thread does nothing by itself."""

NOTHING = object()


def snapshot() -> dict[str, Any]:
    """The state by its parts. Nothing of it is copied deeply: it tells that something changed, and what."""
    return {
        "environment": dict(vars(os.environ)["_data"]),
        "working directory": _folder(),
        "umask": _umask(),
        "limits": read_limits(),
        "signal handlers": [signal.getsignal(number) for number in _SIGNALS],
        "warnings filters": list(warnings.filters),
        "recursion limit": sys.getrecursionlimit(),
        "socket timeout": socket.getdefaulttimeout(),
        "stack size": threading.stack_size(),
        "event loop policy": _policy(),
        "standard streams": [_is_open(number) for number in (0, 1, 2)],
        "trace": [sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()],
        "patches": dict(_functions()),
    }


def changes(before: Mapping[str, Any], threads: frozenset[threading.Thread]) -> list[str]:
    """The parts that differ now, and threads that still do something, apart from these `threads`."""
    now = snapshot()
    found = [name for name, value in before.items() if name != "patches" and not _same(value, now[name])]
    known, patched = before["patches"], now["patches"]
    found += [f"patch of {name}" for name, value in known.items() if patched.get(name) is not value]
    frames = sys._current_frames()
    left = set(threading.enumerate()) - threads
    found += [f"thread {thread.name}" for thread in left if not _is_idle(frames.get(thread.ident or 0))]
    return found


_SIGNALS = sorted(signal.valid_signals())


def _same(before: Any, now: Any) -> bool:
    """Compared by what only our own process made: lists of built-in values, and of objects by what they are."""
    if isinstance(before, list):
        return len(before) == len(now) and all(a is b or _plain_equal(a, b) for a, b in zip(before, now, strict=True))
    return bool(before == now)


def _plain_equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and type(one) in (int, str, bool, tuple) and bool(one == other)


def _functions() -> Iterator[tuple[str, Any]]:
    for name, places in FUNCTIONS.items():
        module = sys.modules.get(name)
        for place in places if module is not None else ():
            yield f"{name}.{place}", _found(module, place)


def _found(module: Any, place: str) -> Any:
    """What a module or a class of it has under a name. Asks no attribute that code computes."""
    found = module
    for part in place.split("."):
        found = getattr(found, "__dict__", {}).get(part, NOTHING)
    return found


def _is_idle(frame: FrameType | None) -> bool:
    """Whether the thread waits for work of a pool; one without a frame has just ended."""
    depth = 0
    while frame is not None and depth < 4:
        file = frame.f_code.co_filename.replace("\\", "/")
        if any(file.endswith(end) and frame.f_code.co_name == name for end, name in IDLE):
            return True
        frame, depth = frame.f_back, depth + 1
    return frame is None and depth == 0


def _policy() -> Any:
    """The event loop policy, if it is not Python's own, which is made on first use."""
    policy = getattr(asyncio.events, "_event_loop_policy", None)
    return None if type(policy).__module__ in ("builtins", "asyncio.unix_events") else id(policy)


def _folder() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
