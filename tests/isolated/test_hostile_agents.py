"""What an agent does to its process ends with it: the run ends in time, and every other case is as it is alone."""

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = "arguments/exact-values"
ROWS = 13
"""The cases of that scenario on one wire in one mode."""
ALL_PASSED, ONE_FAILED, ONE_ERROR = f"{ROWS} passed", f"{ROWS - 1} passed, 1 failed", f"{ROWS - 1} passed, 1 error"
IN_TIME = 120.0
"""Seconds for a run that takes some, on a machine that does much else."""


@dataclass(frozen=True, slots=True)
class Run:
    code: int
    output: str
    seconds: float
    folder: Path

    @property
    def counts(self) -> str:
        """The line of the summary that counts."""
        found = re.search(r"^\d+ cases: (.*)$", self.output, re.MULTILINE)
        return found[1] if found else self.output


def run_hostile(folder: Path, agent: str, harm: str = "", *more: str) -> Run:
    environment = {
        **os.environ,
        "HOSTILE_COUNT": str(folder / "turns.txt"),
        "HOSTILE_HARM": harm,
        "PYTHONPATH": str(ROOT),
    }
    spec = f"--agent={Path(__file__).with_name('hostile_agents.py')}:{agent}"
    chosen = (CASES, "--agent-wire=openai-chat", "--agent-timeout=3")
    plain = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(folder))
    command = [sys.executable, "-m", "pytest", spec, "--agent-isolate", *chosen, *plain, *more]
    begun = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=IN_TIME, check=False
    )
    return Run(done.returncode, done.stdout + done.stderr, time.monotonic() - begun, folder)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# What the turn does, the exit code, the counts, and what the finding or the error says.
QUICK = {
    "os-exit": (1, ONE_FAILED, "ProcessDied: the agent's process exited with 0"),
    "environment": (0, ALL_PASSED, ""),
    "unprintable": (1, ONE_FAILED, r"Unprintable: \(it has no text: its __str__ fails\)"),
}
SLOW = {
    "exit": (1, ONE_FAILED, r"SystemExit: 0 at .*hostile_agents\.py"),
    "kill": (1, ONE_FAILED, "ProcessDied: the agent's process was ended by signal 9"),
    "segfault": (1, ONE_FAILED, "ProcessDied: the agent's process was ended by signal 11"),
    "hang": (3, ONE_ERROR, "send did not return within 3 s of silence; its process was killed"),
    "lock": (3, ONE_ERROR, "send did not return within 3 s of silence; its process was killed"),
    "fork": (0, ALL_PASSED, ""),
    "fork-and-go-on": (0, ALL_PASSED, ""),
    "directory": (0, ALL_PASSED, ""),
    "umask": (0, ALL_PASSED, ""),
    "limits": (0, ALL_PASSED, ""),
    "socket-timeout": (0, ALL_PASSED, ""),
    "nameless": (1, ONE_FAILED, "Nameless: it hides"),
    "thread": (0, ALL_PASSED, ""),
    "closed-files": (1, ONE_FAILED, "ProcessDied: the agent's process"),
    "closed-output": (0, ALL_PASSED, ""),
    "endless-text": (3, ONE_ERROR, "send did not return within 3 s of silence; its process was killed"),
    "interrupt": (1, ONE_FAILED, r"KeyboardInterrupt at .*hostile_agents\.py"),
}


@pytest.mark.parametrize("harm", [*QUICK, *(pytest.param(harm, marks=pytest.mark.weekly) for harm in SLOW)])
def test_turn_that_does_harm(tmp_path: Path, harm: str) -> None:
    code, counts, what = (QUICK | SLOW)[harm]

    run = run_hostile(tmp_path, "Agent", harm)

    assert run.counts == counts, run.output
    assert run.code == code
    assert re.search(what, run.output)
    assert "isolated" in run.output
    assert "please report it" not in run.output


@pytest.mark.weekly
def test_what_a_process_has_started_ends_with_it_even_outside_its_group(tmp_path: Path) -> None:
    run = run_hostile(tmp_path, "Agent", "sleeper")

    assert (run.code, run.counts) == (1, ONE_FAILED), run.output
    assert "exited with 3" in run.output
    assert not alive(int((tmp_path / "sleeper.txt").read_text()))
    assert "programs that the agent left running, ended by the suite:\n  sleep 600 · 1 case\n" in run.output


@pytest.mark.weekly
@pytest.mark.parametrize("harm", ["patch", "audit"])
def test_harm_to_python_itself_is_the_verdict_of_its_case_alone(tmp_path: Path, harm: str) -> None:
    run = run_hostile(tmp_path, "Agent", harm)

    assert (run.code, run.counts) in ((1, ONE_FAILED), (3, ONE_ERROR)), run.output


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("agent", "code", "counts", "what"),
    [
        ("SideRequestHangs", 3, ONE_ERROR, "the adapter's side_request did not return within"),
        ("SideRequestRaises", 3, ONE_ERROR, "the adapter's side_request raised ValueError: no idea"),
        ("CloseHangs", 3, ONE_ERROR, "the adapter's close did not return within 3 s"),
        ("SendIsAProperty", 3, ONE_ERROR, "ProcessDied: the agent's process exited with 0"),
        ("Floods", 1, ONE_FAILED, "characters in one turn"),
        ("Finalises", 0, ALL_PASSED, ""),
    ],
)
def test_adapter_that_does_harm(tmp_path: Path, agent: str, code: int, counts: str, what: str) -> None:
    run = run_hostile(tmp_path, agent)

    assert run.counts == counts, run.output
    assert run.code == code
    assert what in run.output


@pytest.mark.weekly
def test_workers_of_xdist_have_an_isolated_agent_each(tmp_path: Path) -> None:
    run = run_hostile(tmp_path, "Agent", "os-exit", "-n", "2")

    assert (run.code, run.counts) == (1, ONE_FAILED), run.output


def test_agent_that_cannot_be_imported_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import os\nos._exit(7)\n")
    command = [sys.executable, "-m", "pytest", "--agent=broken:Adapter", "--agent-isolate", "-c", os.devnull]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=IN_TIME, check=False)

    assert done.returncode == 4
    assert done.stderr.strip().splitlines()[-1] == (
        "ERROR: --agent=broken:Adapter: the agent's process ended while it imported the agent: exited with 7"
    )
