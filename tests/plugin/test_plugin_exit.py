"""How a run ends."""

import subprocess
import sys

import pytest

from agent_conformance.baseline.case_report import BrokenFile, CaseReport
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.pytest.exit import exit_code
from tests.patience import PATIENCE

pytest_plugins = ["pytester"]


def run_of(*outcomes, broken=()):
    reports = {str(number): CaseReport(str(number), "history/x", outcome) for number, outcome in enumerate(outcomes)}
    return RunRecord(reports, {BrokenFile(path) for path in broken})


@pytest.mark.parametrize(
    ("current", "run", "code"),
    [
        (0, run_of("pass"), 0),
        (1, run_of("pass", "fail"), 1),
        (1, run_of("pass", "stale"), 1),
        (0, run_of("known"), 0),
        (0, run_of("pass", "not-verified"), 0),
        (1, run_of("pass", "error"), 3),
        (1, run_of("fail", "error"), 3),
        (1, run_of("pass", broken=["x.yaml"]), 3),
        (0, run_of("not-verified"), 3),
        (0, run_of("pass", "fail"), 1),
        (0, run_of("pass", "stale"), 1),
        (0, run_of(), 0),
        (5, run_of(), 5),
        (2, run_of("error"), 2),
        (4, run_of("error"), 4),
    ],
)
def test_exit_codes(current, run, code):
    assert exit_code(current, run) == code


def test_cases_of_which_none_ran_are_an_error() -> None:
    assert exit_code(0, run_of(), had_cases=True) == 3
    assert exit_code(5, run_of(), had_cases=True) == 5
    assert exit_code(0, run_of("pass"), had_cases=True) == 0


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_a_thread_that_never_returns_does_not_keep_the_process(project, workers):
    project.scenario("history/x")
    project.verdicts("history/x@openai-chat+plain hang must:answers")
    plugins = ("-p", "stand_in", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx")
    goodbye = "atexit.register(lambda: Path(f'goodbye-{os.getpid()}').touch())"
    project.pytester.makeconftest(f"import atexit, os\nfrom pathlib import Path\n{goodbye}")

    result = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--agent=mymodule:Adapter", "--junitxml=junit.xml", *workers],
        check=False,
        cwd=project.path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert result.returncode == 1
    assert "1 failed, 3 passed" in result.stdout
    assert project.path.joinpath("junit.xml").read_text().count("<testcase ") == 4
    # A process that hangs at its end runs nothing of what was registered: xdist kills such a worker.
    assert len(list(project.path.glob("goodbye-*"))) == (3 if workers else 1)


def test_process_ends_where_its_streams_and_what_was_left_for_its_end_fail() -> None:
    code = """
import atexit, sys, threading
from agent_conformance.pytest.exit import end_process

class Full:
    def write(self, text): raise RuntimeError("no room")
    def flush(self): raise RuntimeError("no room")

atexit.register(lambda: sys.exit(9))
threading.Thread(target=threading.Event().wait).start()
sys.stdout = sys.stderr = Full()
end_process(5)
"""

    assert subprocess.run([sys.executable, "-c", code], timeout=PATIENCE, check=False).returncode == 5
