"""Settings of the interpreter and of the process that an agent may change for all who come after it. Knows no agent."""

import asyncio.events
import builtins
import contextlib
import json
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_conformance.machine.abilities import read_file_limit, set_file_limit

PLAIN = (int, float, tuple)
"""What is compared by value: a hook may be the agent's own class."""

Setting = tuple[Callable[[], Any], Callable[[Any], Any]]


def _of(module: Any, name: str) -> Setting:
    return lambda: getattr(module, name, None), lambda value: setattr(module, name, value)


FUNCTIONS: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (builtins, ("open", "print", "__import__")),
    (json, ("dump", "dumps", "load", "loads")),
    (os, ("close", "fsync", "listdir", "mkdir", "open", "read", "replace", "scandir", "stat", "unlink", "write")),
    (re, ("compile", "findall", "finditer", "fullmatch", "match", "search", "split", "sub")),
    (shutil, ("rmtree",)),
    (tempfile, ("mkdtemp",)),
    (Path, ("exists", "is_file", "mkdir", "open", "read_bytes", "read_text", "write_bytes", "write_text")),
)
"""What the suite and pytest call between two cases: without them there is no summary."""


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
    *(_of(owner, name) for owner, names in FUNCTIONS for name in names),
)


def read_settings() -> list[Any]:
    return [read() for read, _ in SETTINGS]


def restore_settings(before: list[Any]) -> None:
    for (read, write), value in zip(SETTINGS, before, strict=True):
        now = read()
        if now is not value and (type(now) not in PLAIN or now != value):
            with contextlib.suppress(ValueError, OSError):  # a limit that an agent has lowered for good
                write(value)
