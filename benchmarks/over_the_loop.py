"""What the suite adds to the agent that it drives: its CPU over that of the agent alone with canned answers.

    python benchmarks/over_the_loop.py [--rounds 3] [--only ID] [AGENT ...]

For each agent of `sdk_agents`, over the cases that it passes: a run of them all less a run of one, which is what
starting takes, over the bare loop of the same calls. That, too, is a process of its own in which the first case does
not count: what an SDK does on first use is the agent's in both. Per case, medians. Run from the root of the repository.
"""

import argparse
import contextlib
import os
import pickle
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
BYTE_CODE = tempfile.TemporaryDirectory()
os.environ["PYTHONPATH"] = str(ROOT)
if sys.dont_write_bytecode:
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": BYTE_CODE.name}

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_run import CaseEnvironment
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from benchmarks.case_cost import Recording, recorded, spent_alone
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts

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


@contextlib.contextmanager
def environment_of(agent: DeclaredAgent) -> Iterator[CaseEnvironment]:
    mounts = Mounts()
    with (
        tempfile.TemporaryDirectory() as folder,
        LoopbackServer(mounts) as server,
        CaseSession(agent),
        InProcessHook(mounts, server.host, server.port),
    ):
        yield CaseEnvironment(mounts, server, Path(folder), 10.0)


def keep_recordings(name: str, ids: set[str], file: Path) -> None:
    """Write down what happens in these cases, for `bare_loop`."""
    agent = load_agent(name, cwd=ROOT)
    files, _ = load_folder(bundled_scenarios())
    cases = [case for file in files for case in cases_of(file, agent, RunOptions()) if case.id in ids]
    assert len(cases) == len(ids), (len(cases), len(ids))
    with environment_of(agent) as environment:
        file.write_bytes(
            pickle.dumps([recording for case in cases for recording in recorded(case, agent, environment)])
        )


def bare_loop(name: str, file: Path) -> float:
    """CPU seconds of the agent alone, in this process for the first time, over what was kept; without the first."""
    recordings: list[Recording] = pickle.loads(file.read_bytes())
    agent = load_agent(name, cwd=ROOT)
    with environment_of(agent) as environment:
        return sum(spent_alone(recordings, agent, environment)[1:])


def bare_loop_apart(name: str, file: Path) -> float:
    command = [sys.executable, __file__, "--alone", str(file), name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure(name: str, rounds: int, only: list[str]) -> None:
    agent = f"benchmarks.sdk_agents:{name}"
    _, ids = suite(agent, *only)
    # Turns that are cancelled or restarted are driven otherwise than `alone` drives.
    ids = [id for id in ids if not re.search("cancel|restart", id)]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "recordings")
        keep_recordings(agent, set(ids), kept)
        spent = [(suite(agent, *ids)[0] - suite(agent, ids[0])[0], bare_loop_apart(agent, kept)) for _ in range(rounds)]
    each, bare = (1000 * statistics.median(column) / (len(ids) - 1) for column in zip(*spent, strict=True))
    bound = f"at most {BOUNDS[name]}"
    print(f"{name:20}{len(ids):8}{each:10.2f}{bare:10.2f}{each / bare:13.2f}{bound:>14}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=list(BOUNDS), metavar="AGENT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], metavar="ID", help="these cases, and not the whole corpus")
    parser.add_argument("--alone", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(bare_loop(options.agents[0], options.alone))
        return
    print(f"{'ms CPU a case':20}{'cases':>8}{'suite':>10}{'alone':>10}{'suite/alone':>13}{'bound':>14}", flush=True)
    for name in options.agents:
        measure(name, options.rounds, options.only)


if __name__ == "__main__":
    main()
