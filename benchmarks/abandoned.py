"""Memory of a run whose every agent hangs and is left behind: what an hour of them costs, in a minute or two.

    python benchmarks/abandoned.py [--cases 360] [--kind Hangs ...] [--isolate] [--timeout 0.2]

An agent that hangs takes `--agent-timeout`, 10 seconds by default, so a run leaves at most 360 of them behind in an
hour. Here the timeout is short, and the case the same again and again. Printed are the resident memory and the threads
of the process that judges, at ten points, and the kilobytes for each agent from the second point to the last.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import httpx2

from agent_conformance import Setup

ROOT = Path(__file__).parent.parent
CASE = "loops/several-rounds"
SECONDS = 10.0
"""For which a turn may be silent by default."""
POINTS = 10
BALLAST = 16
"""Kilobytes of text in each request of an agent that sends for ever."""


class Hangs:
    """Sends one right request, and then never returns."""

    wires = ("openai-chat",)
    modes = ("plain",)
    features: ClassVar = frozenset({"conversation", "native-tools"})

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.client = httpx2.Client(timeout=60)

    def send(self, message: str) -> Any:
        self.request([{"role": "user", "content": message}])
        time.sleep(1e6)

    def request(self, messages: list[dict[str, Any]]) -> None:
        tools = [{"type": "function", "function": self.declared(tool)} for tool in self.setup.tools]
        body = {"model": self.setup.model, "messages": messages, "tools": tools}
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        self.client.post(f"{self.setup.base_url}/chat/completions", json=body, headers=headers)

    def declared(self, tool: Any) -> dict[str, Any]:
        return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


class IgnoresCancellation(Hangs):
    """The same on an event loop, on which it goes on."""

    async def send(self, message: str) -> Any:  # type: ignore[override]
        self.request([{"role": "user", "content": message}])
        while True:
            try:
                await asyncio.sleep(1e6)
            except asyncio.CancelledError:
                continue


class ReturnsLater(Hangs):
    """When its case is long over: nothing of it may stay."""

    def send(self, message: str) -> Any:
        self.request([{"role": "user", "content": message}])
        time.sleep(2.0)
        return "It is over."


class SendsForEver(Hangs):
    """Answers each refusal with a request, after its case too."""

    def send(self, message: str) -> Any:
        messages = [{"role": "user", "content": message + "x" * 1000 * BALLAST}]
        while True:
            self.request(messages)


KINDS = (Hangs, IgnoresCancellation, ReturnsLater, SendsForEver)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=360)
    parser.add_argument("--kind", action="append", choices=[kind.__name__ for kind in KINDS])
    parser.add_argument("--isolate", action="store_true", help="each agent in a process of its own")
    parser.add_argument("--timeout", type=float, default=0.2)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    kinds = options.kind or [kind.__name__ for kind in KINDS]
    if options.alone:
        leave_behind(kinds[0], options.cases, options.timeout, isolate=options.isolate)
        return
    print(f"{'kind':22}{'agents':>7}{'of hours':>10}{'MB':>8}{'threads':>9}{'CPU s':>8}", flush=True)
    given = [f"--cases={options.cases}", f"--timeout={options.timeout}", *["--isolate"] * options.isolate]
    for kind in kinds:  # each in a process of its own, which ends with all that it has left behind
        command = [sys.executable, __file__, "--alone", "--kind", kind, *given]
        subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


def leave_behind(kind: str, cases: int, timeout: float, *, isolate: bool) -> None:
    """Runs the case so many times, and prints what the process has grown to."""
    from agent_conformance.attach.isolated.eligible import load_isolated_agent
    from agent_conformance.attach.loading import load_agent
    from agent_conformance.run.case_session import CaseSession
    from agent_conformance.scenario.cases import RunOptions, cases_of
    from agent_conformance.scenario.files import bundled_scenarios
    from agent_conformance.scenario.loading import load_folder

    load = load_isolated_agent if isolate else load_agent
    agent = load(f"{__file__}:{kind}", cwd=ROOT)
    file = next(file for file in load_folder(bundled_scenarios())[0] if file.id == CASE)
    case = next(iter(cases_of(file, agent, RunOptions())))
    every = max(1, cases // POINTS)
    sizes = []
    with CaseSession(agent, timeout=timeout) as runner:
        for number in range(1, cases + 1):
            runner.run(case)
            if number % every == 0:
                sizes.append((number, resident()))
                print(f"{kind:22}{point(number)}", flush=True)
    if len(sizes) > 2:
        (first, few), (last, many) = sizes[1], sizes[-1]
        print(f"{kind:22}{1024 * (many - few) / (last - first):.1f} KB for each agent", flush=True)
    sys.stdout.flush()
    if isolate:
        agent.adapter.processes.close()  # type: ignore[attr-defined]
    os._exit(0)  # its threads never end


def point(number: int) -> str:
    hours = number * SECONDS / 3600
    return f"{number:>7}{hours:>10.2f}{resident():>8.1f}{threads():>9}{time.process_time():>8.1f}"


def resident() -> float:
    """Megabytes of this process."""
    return _status("VmRSS") / 1024


def threads() -> int:
    return _status("Threads")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    main()
