"""Settings of the interpreter and of the process that an agent may change for all who come after it. Knows no agent."""

import asyncio.events
import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from agent_conformance.machine.abilities import read_file_limit, set_file_limit

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
)


def read_settings() -> list[Any]:
    return [read() for read, _ in SETTINGS]


def restore_settings(before: list[Any]) -> None:
    for (read, write), value in zip(SETTINGS, before, strict=True):
        now = read()
        if now is not value and (type(now) not in PLAIN or now != value):
            with contextlib.suppress(ValueError, OSError):  # a limit that an agent has lowered for good
                write(value)
