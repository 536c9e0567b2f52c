"""Runs pytest in forks of a process that has imported everything: a tenth of what a process of its own costs.

Reads a JSON object on each line of standard input: `cwd`, `arguments`, `output` (a file) and `limit`. Answers each with
the exit code, negative for a signal, or null where the run did not end in time and was killed.
"""

import importlib
import json
import os
import signal
import sys
import time
from typing import Any

import _pytest.config
import pytest

PRELOADED = (
    "httpx2",
    "conformance.agents.loading",
    "conformance.pytest.plugin",
    "conformance.run.session",
    "conformance.scenario.model",
)
"""Not the plugin itself, whose assertions pytest wants to rewrite."""


def serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        if (child := os.fork()) == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
            become(order)
            return
        print(json.dumps(code_of(child, order["limit"])), flush=True)


def become(order: dict[str, Any]) -> None:
    """This process is the run now: it returns to the end of the program, as `pytest` does."""
    os.setsid()
    os.chdir(order["cwd"])
    out = os.open(order["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (out, 2)):
        os.dup2(source, target)
    sys.argv = ["pytest", *order["arguments"]]
    sys.exit(getattr(_pytest.config, "_console_main", pytest.console_main)())


def code_of(child: int, limit: float) -> int | None:
    until = time.monotonic() + limit
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def preload() -> None:
    """What a run imports, but for the agent."""
    for name in PRELOADED:
        importlib.import_module(name)
    wire_for = importlib.import_module("fakes.registry").wire_for
    wire_for("openai", "openai-chat")


if __name__ == "__main__":
    preload()
    serve()
