"""What the suite adds to the agent that it drives: its CPU over that of the agent alone with canned answers.

    python benchmarks/over_the_loop.py [--rounds 3] [AGENT ...]

For each agent of `sdk_agents`, over the cases that it passes: a run of them all less a run of one, which is what it
takes to start, over the bare loop of the same calls. Per case, medians. Run from the root of the repository.
"""

import argparse
import asyncio
import contextlib
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
BYTE_CODE = tempfile.TemporaryDirectory()
os.environ |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTE_CODE.name}

from benchmarks.case_cost import alone, place_at, recorded
from conformance.agents import load_agent
from conformance.cases import Choice, cases_of
from conformance.corpus import bundled_scenarios
from conformance.run.session import Session
from conformance.scenario.loading import load_folder
from fakes.transport import InProcessHook, LoopbackServer, Mounts

BOUNDS = {"Httpx": 2.0, "OpenAI": 1.3, "Anthropic": 1.8}


def suite(agent: str, *ids: str) -> tuple[float, list[str]]:
    """CPU seconds of the suite in a process of its own, and the ids that passed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", f"--agent={agent}", "-q", "-rp", "-p", "no:cacheprovider", *ids]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    passed = re.findall(r"^PASSED (\S+)", run.stdout, re.MULTILINE)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, passed


def bare_loop(name: str, ids: set[str], rounds: int) -> list[float]:
    """CPU seconds of the agent alone over these cases, for each round."""
    agent = load_agent(name, cwd=ROOT)
    files, _ = load_folder(bundled_scenarios())
    cases = [case for file in files for case in cases_of(file, agent, Choice()) if case.id in ids]
    assert len(cases) == len(ids), (len(cases), len(ids))
    mounts, spent = Mounts(), []
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        server = stack.enter_context(LoopbackServer(mounts))
        stack.enter_context(Session(agent))
        stack.enter_context(InProcessHook(mounts, server.host, server.port))
        place = place_at(mounts, server, Path(folder))
        takes = [(case, responses) for case in cases for responses in recorded(case, agent, place)]
        for turn in range(rounds + 1):
            begun = time.process_time()
            for number, (case, responses) in enumerate(takes):
                fresh = Path(folder, f"{turn}-{number}")
                fresh.mkdir()
                asyncio.run(alone(case, agent, replace(place, state_dir=fresh), responses))
            spent.append(time.process_time() - begun)
    return spent[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=list(BOUNDS), metavar="AGENT")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"{'ms CPU a case':20}{'cases':>8}{'suite':>10}{'alone':>10}{'suite/alone':>13}{'bound':>14}", flush=True)
    for name in options.agents:
        agent = f"benchmarks.sdk_agents:{name}"
        _, ids = suite(agent)
        # Steps that are cancelled or restarted are driven otherwise than `alone` drives.
        ids = [id for id in ids if not re.search("cancel|restart", id)]
        spent = [suite(agent, *ids)[0] - suite(agent, ids[0])[0] for _ in range(options.rounds)]
        each = 1000 * statistics.median(spent) / (len(ids) - 1)
        bare = 1000 * statistics.median(bare_loop(agent, set(ids), options.rounds)) / len(ids)
        bound = f"at most {BOUNDS[name]}"
        print(f"{name:20}{len(ids):8}{each:10.2f}{bare:10.2f}{each / bare:13.2f}{bound:>14}", flush=True)


if __name__ == "__main__":
    main()
