"""What a case costs: the suite over the reference agent, against the same agent alone with canned answers.

    python benchmarks/case_cost.py [--all | --only ID]    # CPU per case, what a further one adds, memory, growth

By default of two areas on three wires, within two minutes; `--all` takes ten. Prints figures and asserts nothing:
clocks differ. The bound of each is printed beside it.
"""

import argparse
import asyncio
import gc
import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Self

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.adapter.types import Setup
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.agent.agent_setup import Approver, message_of, setup_of
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.run.case_run import CaseEnvironment, CaseRun
from agent_conformance.run.case_session import CaseSession, splits_of
from agent_conformance.run.process import collections_held
from agent_conformance.run.provider.case_provider import CaseProvider
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from agent_conformance.scenario.model import Turn
from fake_providers import Request, Response
from fake_providers.transport.answerer import Mounts
from fake_providers.transport.hook import InProcessHook
from fake_providers.transport.server import LoopbackServer

AGENT = "agent_conformance.reference:Adapter"
AREAS = ("round-trip/", "tool-names/")
HALF = "openai-chat"
"""The wire of the smaller run: what starts the suite and reads the scenarios costs both the same."""
WIRES = (HALF, "anthropic-messages", "gemini-generate")


def suite(*options: str) -> tuple[float, int, int]:
    """CPU seconds, cases and peak memory (MB) of one `pytest --agent=...` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", f"--agent={AGENT}", "-q", "-p", "no:cacheprovider", *options]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = next((line for line in run.stdout.splitlines() if " cases: " in line or " case: " in line), None)
    if line is None:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}:\n{run.stdout[-5000:]}{run.stderr[-5000:]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(line.split()[0]), after.ru_maxrss // 1024


def environment_at(mounts: Mounts, server: LoopbackServer, folder: Path) -> CaseEnvironment:
    """Cases run on this server, with their files in this folder."""
    return CaseEnvironment(mounts, server, folder, 10.0)


class Canned:
    """Answers with what the fake answered before, in order."""

    def __init__(self, responses: list[Response]) -> None:
        self._responses: Iterator[Response] = iter(responses)

    def handle(self, request: Request) -> Response:
        return next(self._responses)


@dataclass(frozen=True, slots=True)
class Recording:
    """One case run: its turns, the follow-up message included, and what the fake answered."""

    case: Case
    turns: list[Turn]
    responses: list[Response]


def recorded(case: Case, agent: DeclaredAgent, environment: CaseEnvironment) -> list[Recording]:
    """Each run of a case."""
    recordings = []
    handle = CaseProvider.handle
    for index, split in enumerate(splits_of(case)):
        responses: list[Response] = []

        def keeping(self: CaseProvider, request: Request, kept: list[Response] = responses) -> Response:
            response = handle(self, request)
            kept.append(Response(response.status, response.headers, response.chunks, response.cut))
            return response

        CaseProvider.handle = keeping  # type: ignore[method-assign]
        try:
            transcript = CaseRun(case, agent, environment, split=split).run(follow_up=index == 0)
        finally:
            CaseProvider.handle = handle  # type: ignore[method-assign]
        recordings.append(Recording(case, [record.turn for record in transcript.turns], responses))
    return recordings


def spent_alone(recordings: list[Recording], agent: DeclaredAgent, environment: CaseEnvironment) -> list[float]:
    """CPU seconds of the agent alone in each recording. What the suite hands to the agent is made before."""
    prepared = []
    for recording in recordings:
        toolbox = Toolbox(recording.case.scenario.tools)
        fresh = Path(tempfile.mkdtemp(dir=environment.state_dir))
        url = environment.base_url(environment.mount(Canned(recording.responses)), recording.case)  # type: ignore[arg-type]
        setup = setup_of(
            recording.case,
            base_url=url,
            tools=toolbox.tools,
            state_dir=fresh,
            restarted=False,
            observe=lambda event: None,
            approver=Approver(recording.case.scenario.tools, toolbox.turn, Life()),
        )
        prepared.append((recording, toolbox, setup))
    spent = []
    for recording, toolbox, setup in prepared:
        begun = time.process_time()
        asyncio.run(alone(recording, agent, toolbox, setup))
        spent.append(time.process_time() - begun)
    return spent


async def alone(recording: Recording, agent: DeclaredAgent, toolbox: Toolbox, setup: Setup) -> None:
    """The agent, driven through the turns with canned answers: no laws, no transcript, no pytest."""
    adapter = agent.adapter(setup)
    for number, turn in enumerate(recording.turns, 1):
        if turn.tools is not None:
            toolbox.turn.enabled = set(turn.tools)
        try:
            async for _ in adapter.send(message_of(turn, number)):
                pass
        except (*agent.errors, RuntimeError):
            continue
    await adapter.close()


class Alone:
    """The agent alone over cases of the corpus, again and again: `spent` is CPU seconds a case, of one round.

    Cases in which the agent is cancelled or started anew are left out, as that is the suite's doing, and so are those
    of the wire `HALF`: what is compared is a further case. Without `wires` those of all others are taken.
    """

    def __init__(self, limit: int, only: Sequence[str], wires: Sequence[str]) -> None:
        self._agent = load_agent(AGENT, cwd=Path.cwd())
        files, _ = load_folder(bundled_scenarios())
        options = RunOptions(wires=tuple(wires))
        all_cases = [case for file in files for case in cases_of(file, self._agent, options)]
        cases = [
            case
            for case in all_cases
            if not any(turn.cancel or turn.restart for turn in case.scenario.conversation)
            and (not only or case.id.startswith(tuple(only)))
            and case.wire != HALF
        ]
        self._cases = cases[:: max(1, len(cases) // limit)]

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        mounts = Mounts()
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        server = self._stack.enter_context(LoopbackServer(mounts))
        self._stack.enter_context(CaseSession(self._agent))
        hook = InProcessHook(mounts, server.host, server.port)
        hook.install()
        self._stack.callback(hook.restore)
        self._environment = environment_at(mounts, server, Path(folder))
        with collections_held():
            self._recordings = [
                recording for case in self._cases for recording in recorded(case, self._agent, self._environment)
            ]
        gc.collect()
        gc.freeze()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def spent(self) -> float:
        return sum(spent_alone(self._recordings, self._agent, self._environment)) / len(self._cases)


@dataclass(slots=True)
class Round:
    """CPU seconds that were measured one after the other, so that a faster or slower machine changes all of them."""

    whole: float
    half: float
    alone: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=AREAS, metavar="ID", help="these cases, not two areas")
    parser.add_argument("--all", action="store_true", help="the whole corpus")
    parser.add_argument("--rounds", type=int, default=2, help="of which the sums count (default: 2)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as byte_code:
        if sys.dont_write_bytecode:  # an installed package has its byte code
            os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": byte_code}
        _measure(given)


def _measure(given: argparse.Namespace) -> None:
    only, wires = ((), ()) if given.all else (tuple(given.only), WIRES)
    chosen = [*only, *([f"--agent-wire={','.join(wires)}"] if wires else [])]
    suite(*chosen)  # writes the byte code
    empty = _empty_run()
    socket, cases, _ = suite("--agent-transport=socket", *chosen)
    snapshots = None
    if importlib.util.find_spec("syrupy") is not None:
        snapshots, _, _ = suite("--snapshot-update", *chosen)
    rounds, half_cases, memory = [], 0, 0
    with Alone(200, only, wires) as agent:
        for _ in range(given.rounds):
            whole, _, memory = suite(*chosen)
            half, half_cases, _ = suite(f"--agent-wire={HALF}", *only)
            rounds.append(Round(whole - empty, half - empty, agent.spent()))
    whole, half, alone = (sum(column) / len(rounds) for column in zip(*map(astuple, rounds), strict=True))
    each = 1000 * (whole + empty) / cases
    further = 1000 * (whole - half) / (cases - half_cases) if cases > half_cases else each
    print(f"cases                         {cases}")
    print(f"in process                    {each:6.2f} ms CPU a case, in all   (bound 8)")
    print(f"over the socket               {1000 * socket / cases:6.2f} ms CPU a case, in all   (bound 12)")
    if snapshots is None:
        print("writing snapshots as well     not measured: needs pip install syrupy")
    else:
        print(f"writing snapshots as well     {1000 * snapshots / cases:6.2f} ms CPU a case")
    print(f"the agent alone               {1000 * alone:6.2f} ms CPU a case")
    print(f"suite over the agent alone    {whole / cases / alone:6.2f}")
    print(f"a further case, over it       {further / 1000 / alone:6.2f}                          (bound 2.0)")
    print(f"an empty pytest run           {empty:6.2f} s CPU")
    few, many = 1000 * half / half_cases, 1000 * whole / cases
    print(f"growth                        {few:6.2f} ms a case of {half_cases}, {many:.2f} ms a case of {cases}")
    print(f"memory                        {memory:6} MB at most                (bound 300)")


def _empty_run() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_nothing.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
        subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=folder, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
