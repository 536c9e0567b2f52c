"""Runs one kind in a process of its own over three scenarios, the second of which makes it hostile."""

import atexit
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.right_agent import HERE, TIMEOUT

ROOT = HERE.parents[1]
LIMIT = 150.0
"""Seconds that no run takes, also on a machine that does much else: a hang of one case ends after a few timeouts."""
OUTLIVES = 30.0
"""Seconds for the process that names the case in which pytest ended without a word."""

SCENARIO = """\
description: a question is answered with a tool
profile: core
tools:
  - name: {tool}
    description: Current weather for a city.
    parameters: {{city: string}}
    returns: {{degrees: 7}}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{{name: {tool}, arguments: {{city: Oslo}}}}]
      - text: {reply}
    expect:
      executed: [{{{tool}: {{city: Oslo}}}}]
"""
PLUGINS = ("-p", "pytest_agent_conformance", "-p", "xdist", "-p", "no:cacheprovider")
"""Of other people's only what some kinds need: the others take longer to start than the run."""
NAMES = ("first", "boom", "last")
Signals = Sequence[tuple[int, str]]
"""Signals that a run gets, each after a text in its output."""
OURS = ("the suite itself failed", "own fake failed", "please report it", "INTERNALERROR", "process_exits.py")


@dataclass(frozen=True)
class Run:
    """What came of a run; `code` is None where it had to be ended."""

    code: int | None
    output: str

    def count(self, outcome: str) -> int:
        """Of cases, as the suite's own summary says it."""
        line = re.search(r"^(?:\d+ of )?\d+ cases?: .*$", self.output, re.MULTILINE)
        found = re.search(rf"(\d+) {outcome}", line[0]) if line else None
        return int(found[1]) if found else 0


QUIET = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
"""The server from which the runs are forked has imported the plugin before pytest looks for it."""


def write_scenarios(folder: Path) -> None:
    area = folder / "scenarios" / "area"
    area.mkdir(parents=True)
    for name in NAMES:
        tool = "boom" if name == "boom" else "get_weather"
        reply = f"{'a' * 40} it rains." if name == "boom" else "It is 7 degrees."
        area.joinpath(f"{name}.yaml").write_text(SCENARIO.format(tool=tool, reply=reply), encoding="utf-8")


def run(folder: Path, agent: str, *options: str, limit: float = LIMIT, signals: Signals = ()) -> Run:
    """pytest over the three cases, in the order of `NAMES`. May be called by several threads at once."""
    ids = [f"area/{name}@openai-chat+plain" for name in NAMES]
    arguments = [f"--agent={agent}", f"--agent-timeout={TIMEOUT}", "-rA", *PLUGINS, *options, *QUIET, *ids]
    output = folder / "output.txt"
    output.touch()
    order = {"cwd": str(folder), "arguments": arguments, "output": str(output), "limit": limit, "signals": signals}
    with _STARTING:
        server = _server()
    code = server.run(order)
    return Run(code, _all_of(output, code))


def _all_of(output: Path, code: int | None) -> str:
    """What a run has written. Where it ended without its summary, a process that outlives it says so a moment later."""
    until = time.monotonic() + OUTLIVES
    text = output.read_text(encoding="utf-8", errors="replace")
    if code == pytest.ExitCode.USAGE_ERROR and re.search(r"^ERROR: ", text, re.MULTILINE):
        return text
    while not re.search(r"^\d+ cases?: |ended in the middle of ", text, re.MULTILINE) and time.monotonic() < until:
        time.sleep(0.05)
        text = output.read_text(encoding="utf-8", errors="replace")
    return text


class _ForkServer:
    def __init__(self) -> None:
        command = [sys.executable, str(HERE / "fork_server.py")]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        atexit.register(self._process.terminate)
        self._lock = threading.Lock()
        self._ids = count()
        self._codes: dict[int, Future[int | None]] = {}
        threading.Thread(target=self._read, name="fork-server", daemon=True).start()

    def run(self, order: dict[str, Any]) -> int | None:
        with self._lock:
            id, code = next(self._ids), Future[int | None]()
            self._codes[id] = code
            assert self._process.stdin is not None
            print(json.dumps({**order, "id": id}), file=self._process.stdin, flush=True)
        return code.result(order["limit"] + LIMIT)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            self._codes.pop(answer["id"]).set_result(answer["code"])


_STARTING = threading.Lock()
"""Of threads that all want the server first, each would start one."""


@cache
def _server() -> _ForkServer:
    return _ForkServer()
