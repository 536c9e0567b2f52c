"""Runs pytest in forks of a process that has imported everything: a tenth of what a process of its own costs.

Reads a JSON object on each line of standard input: `id`, `cwd`, `arguments`, `output` (a file), `limit`, and `signals`,
a list of a signal's number and the text in the output after which the run gets it. Runs them at the same time. Answers
each with its `id` and `code`: the exit code, negative for a signal, or null where the run did not end in time and was
killed.
"""

import importlib
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

import _pytest.config
import pytest

PRELOADED = (
    "httpx2",
    "agent_conformance.attach.loading",
    "agent_conformance.pytest.plugin",
    "agent_conformance.run.case_session",
    "agent_conformance.scenario.model",
)
"""Not the plugin itself, whose assertions pytest wants to rewrite."""
POLL = 0.01


class Child:
    """One run; `order` as it was read."""

    def __init__(self, order: dict[str, Any], pid: int) -> None:
        self._order = order
        self._pid = pid
        self._until = time.monotonic() + order["limit"]
        self._signals = list(order["signals"])

    def has_ended(self) -> bool:
        """Looked at again and again; prints the answer once."""
        output = Path(self._order["output"])
        if self._signals and self._signals[0][1] in output.read_text(encoding="utf-8", errors="replace"):
            os.kill(self._pid, self._signals.pop(0)[0])
        ended, status = os.waitpid(self._pid, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if ended else None
        if not ended:
            if time.monotonic() < self._until:
                return False
            os.killpg(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        print(json.dumps({"id": self._order["id"], "code": code}), flush=True)
        return True


def serve() -> None:
    children: list[Child] = []
    unread = b""
    while True:
        if select.select([0], [], [], POLL if children else None)[0]:
            read = os.read(0, 1 << 20)
            if not read:
                return
            *lines, unread = (unread + read).split(b"\n")
            for order in map(json.loads, lines):
                if (pid := os.fork()) == 0:
                    become(order)
                children.append(Child(order, pid))
        children = [child for child in children if not child.has_ended()]


def become(order: dict[str, Any]) -> None:
    """This process is the run now, and ends as `pytest` does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    os.setsid()
    os.chdir(order["cwd"])
    out = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (out, 2)):
        os.dup2(source, target)
    sys.argv = ["pytest", *order["arguments"]]
    sys.exit(getattr(_pytest.config, "_console_main", pytest.console_main)())


def preload() -> None:
    """What a run imports, but for the agent."""
    for name in PRELOADED:
        importlib.import_module(name)
    wire_for = importlib.import_module("fake_providers.registry").wire_for
    wire_for("openai", "openai-chat")


if __name__ == "__main__":
    preload()
    serve()
