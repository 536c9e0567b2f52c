"""What a case costs: the whole suite over the reference agent, against the same agent alone with canned answers.

    python benchmarks/case_cost.py            # CPU per case, the ratio, memory, growth with cases

Prints figures and asserts nothing: clocks differ. The bounds to read them against stand beside them.
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conformance.agents import Agent, load_agent
from conformance.cases import Case, Choice, cases_of
from conformance.corpus import bundled_scenarios
from conformance.run.bench import Bench
from conformance.run.performance import Performance, Place
from conformance.run.play import Play
from conformance.run.session import Session, splits_of
from conformance.run.setting import setup_of
from conformance.scenario.loading import load_folder
from fakes import Request, Response
from fakes.registry import wire_for
from fakes.transport.hook import InProcessHook
from fakes.transport.mounts import Mounts
from fakes.transport.server import LoopbackServer

AGENT = "conformance.reference:Adapter"


def suite(*options: str) -> tuple[float, int, int]:
    """CPU seconds, cases and peak memory (MB) of one `pytest --agent=...` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", f"--agent={AGENT}", "-q", "-p", "no:cacheprovider", *options]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = next(line for line in run.stdout.splitlines() if " cases: " in line or " case: " in line)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(line.split()[0]), after.ru_maxrss // 1024


def place_at(mounts: Mounts, server: LoopbackServer, folder: Path) -> Place:
    """Where cases are performed: on this server, with their files in this folder."""
    return Place(
        mounts.mount,
        mounts.unmount,
        lambda token, case: f"{server.url}/{token}{wire_for(case.provider, case.wire).base_path}",
        folder,
        10.0,
    )


class Canned:
    """Answers with what the fake answered before, in order."""

    def __init__(self, responses: list[Response]) -> None:
        self._responses: Iterator[Response] = iter(responses)

    def handle(self, request: Request) -> Response:
        return next(self._responses)


def recorded(case: Case, agent: Agent, session_place: Place) -> list[list[Response]]:
    """The responses of each performance of a case."""
    takes: list[list[Response]] = []
    handle = Play.handle
    for index, split in enumerate(splits_of(case)):
        responses: list[Response] = []

        def keeping(self: Play, request: Request, kept: list[Response] = responses) -> Response:
            response = handle(self, request)
            kept.append(Response(response.status, response.headers, response.chunks, response.cut))
            return response

        Play.handle = keeping  # type: ignore[method-assign]
        try:
            Performance(case, agent, session_place, split=split).run(survive=index == 0)
        finally:
            Play.handle = handle  # type: ignore[method-assign]
        takes.append(responses)
    return takes


async def alone(case: Case, agent: Agent, place: Place, responses: list[Response]) -> None:
    """The agent, driven through the steps with canned answers: no laws, no transcript, no pytest."""
    token = place.mount(Canned(responses))  # type: ignore[arg-type]
    adapter = agent.adapter(
        setup_of(
            case,
            base_url=place.base_url(token, case),
            tools=Bench(case.scenario.tools).tools,
            state_dir=place.state_dir,
            restarted=False,
        )
    )
    messages = [step.user for step in case.scenario.conversation] + ["Reply with the word x."]
    for message in messages:
        try:
            async for _ in adapter.send(message):
                pass
        except (*agent.errors, RuntimeError):
            break
    await adapter.close()
    place.unmount(token)


def bare_loop(limit: int) -> tuple[float, int]:
    """CPU seconds of the agent alone over the same calls, and how many cases those were."""
    agent = load_agent(AGENT, cwd=Path.cwd())
    files, _ = load_folder(bundled_scenarios())
    cases = [
        case
        for file in files
        for case in cases_of(file, agent, Choice())
        if not any(step.cancel or step.restart for step in case.scenario.conversation)
    ]
    cases = cases[:: max(1, len(cases) // limit)]
    mounts = Mounts()
    with tempfile.TemporaryDirectory() as folder, LoopbackServer(mounts) as server, Session(agent):
        hook = InProcessHook(mounts, server.host, server.port)
        hook.install()
        place = place_at(mounts, server, Path(folder))
        takes = [(case, responses) for case in cases for responses in recorded(case, agent, place)]
        begun = time.process_time()
        for number, (case, responses) in enumerate(takes):
            fresh = Path(folder, str(number))
            fresh.mkdir()
            asyncio.run(alone(case, agent, replace(place, state_dir=fresh), responses))
        spent = time.process_time() - begun
        hook.restore()
    return spent, len(cases)


def main() -> None:
    empty, _, _ = (*_empty_run(), 0)
    process, cases, memory = suite()
    socket, _, _ = suite("--agent-transport=socket")
    half, half_cases, _ = suite("--agent-wire=openai-chat")
    snapshots, _, _ = suite("--snapshot-update")
    bare, bare_cases = bare_loop(400)
    each = 1000 * process / cases
    print(f"cases                         {cases}")
    print(f"in process                    {each:6.2f} ms CPU a case, all told   (bound 8)")
    print(f"over the socket               {1000 * socket / cases:6.2f} ms CPU a case, all told   (bound 12)")
    print(f"writing snapshots as well     {1000 * snapshots / cases:6.2f} ms CPU a case")
    print(f"the agent alone               {1000 * bare / bare_cases:6.2f} ms CPU a case")
    ratio = (process - empty) / cases / (bare / bare_cases)
    print(f"suite over the agent alone    {ratio:6.2f}                          (bound 2.5)")
    print(f"an empty pytest run           {empty:6.2f} s CPU")
    few, many = 1000 * (half - empty) / half_cases, 1000 * (process - empty) / cases
    print(f"growth                        {few:6.2f} ms a case of {half_cases}, {many:.2f} ms a case of {cases}")
    print(f"memory                        {memory:6} MB at most                (bound 300)")


def _empty_run() -> tuple[float, int]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_nothing.py").write_text("def test_nothing(): pass\n")
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q"], cwd=folder, capture_output=True, check=False, env=os.environ
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 0


if __name__ == "__main__":
    main()
