"""Agents that do harm in one turn, and are right in all others."""

import ctypes
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_conformance import Setup
from agent_conformance.reference import Adapter as Right

COUNT = Path(os.environ.get("HOSTILE_COUNT", "turns.txt"))
AT = 3
"""The turn in which harm is done; every case has two."""


def is_the_turn() -> bool:
    """Counted in a file, since the process may be another one in each turn."""
    with COUNT.open("a+", encoding="utf-8") as turns:
        turns.write(".")
        turns.flush()
        turns.seek(0)
        return len(turns.read()) == AT


def segfault() -> None:
    ctypes.string_at(0)


def hold_the_lock_of_python() -> None:
    ctypes.PyDLL(None).sleep(600)


def fork_a_sleeper() -> None:
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)


def start_a_sleeper_and_exit() -> None:
    started = subprocess.Popen(["sleep", "600"], start_new_session=True)
    COUNT.with_name("sleeper.txt").write_text(str(started.pid))
    os._exit(3)


def change_the_environment() -> None:
    os.environ["HOSTILE"] = "yes"


def patch_json() -> None:
    json.loads = lambda *given, **more: None


def leave_a_thread() -> None:
    threading.Thread(target=time.sleep, args=(600,), name="left").start()


def hook_every_audit() -> None:
    def refuse(*event: Any) -> None:
        raise RuntimeError("no")

    sys.addaudithook(refuse)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Endless(Exception):
    def __str__(self) -> str:
        time.sleep(600)
        return "never"


class Hiding(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit(4)


class Nameless(Exception, metaclass=Hiding):
    pass


def raise_nameless() -> None:
    raise Nameless("it hides")


def raise_unprintable() -> None:
    raise Unprintable


def raise_endless() -> None:
    raise Endless


def interrupt() -> None:
    raise KeyboardInterrupt


HARM: Mapping[str, Callable[[], Any]] = {
    "exit": lambda: sys.exit(0),
    "os-exit": lambda: os._exit(0),
    "kill": lambda: os.kill(os.getpid(), 9),
    "segfault": segfault,
    "hang": lambda: time.sleep(600),
    "lock": hold_the_lock_of_python,
    "fork": fork_a_sleeper,
    "fork-and-go-on": os.fork,
    "sleeper": start_a_sleeper_and_exit,
    "environment": change_the_environment,
    "directory": lambda: os.chdir("/"),
    "umask": lambda: os.umask(0o777),
    "limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    "patch": patch_json,
    "thread": leave_a_thread,
    "audit": hook_every_audit,
    "closed-files": lambda: os.closerange(3, 4096),
    "closed-output": lambda: (os.close(1), os.close(2)),
    "unprintable": raise_unprintable,
    "nameless": raise_nameless,
    "socket-timeout": lambda: socket.setdefaulttimeout(0.000_1),
    "endless-text": raise_endless,
    "interrupt": interrupt,
}


class Agent(Right):
    """Right but for the harm that HOSTILE_HARM names."""

    modes = ("plain",)

    def send(self, message: Any, session: str | None = None) -> Any:
        if is_the_turn():
            HARM[os.environ["HOSTILE_HARM"]]()
        return super().send(message)


class SideRequestHangs(Right):
    modes = ("plain",)

    def side_request(self, body: dict[str, Any]) -> bool:
        if is_the_turn():
            time.sleep(600)
        return False


class SideRequestRaises(Right):
    modes = ("plain",)

    def side_request(self, body: dict[str, Any]) -> bool:
        if is_the_turn():
            raise ValueError("no idea")
        return False


class CloseHangs(Right):
    modes = ("plain",)

    def close(self) -> Any:
        if is_the_turn():
            time.sleep(600)
        return super().close()


class SendIsAProperty(Right):
    modes = ("plain",)

    @property
    def steer(self) -> Any:
        if is_the_turn():
            os._exit(0)
        return super().steer


class Floods(Right):
    modes = ("plain",)

    def send(self, message: Any, session: str | None = None) -> Any:
        return self.flood() if is_the_turn() else super().send(message)

    def flood(self) -> Iterator[str]:
        while True:
            yield "x" * 1000


class Finalises(Right):
    """What is collected runs code; it may be collected while anything else runs."""

    modes = ("plain",)

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.circle = self

    def __del__(self) -> None:
        time.sleep(600) if is_the_turn() else None
