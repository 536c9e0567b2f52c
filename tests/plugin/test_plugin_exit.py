"""How a run ends."""

import subprocess
import sys

import pytest

from conformance.pytest.exit import exit_code
from conformance.report.run_record import Ledger

pytest_plugins = ["pytester"]


def ledger(*outcomes, broken=()):
    told = {str(number): {"case": str(number), "outcome": outcome} for number, outcome in enumerate(outcomes)}
    return Ledger(told, set(broken))


@pytest.mark.parametrize(
    ("current", "seen", "code"),
    [
        (0, ledger("pass"), 0),
        (1, ledger("pass", "fail"), 1),
        (1, ledger("pass", "stale"), 1),
        (0, ledger("known"), 0),
        (0, ledger("pass", "not-verified"), 0),
        (1, ledger("pass", "error"), 3),
        (1, ledger("fail", "error"), 3),
        (1, ledger("pass", broken=["x.yaml"]), 3),
        (0, ledger("not-verified"), 3),
        (0, ledger(), 0),
        (5, ledger(), 5),
        (2, ledger("error"), 2),
        (4, ledger("error"), 4),
    ],
)
def test_exit_codes(current, seen, code):
    assert exit_code(current, seen) == code


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
        timeout=60,
    )

    assert result.returncode == 1
    assert "1 failed, 3 passed" in result.stdout
    assert project.path.joinpath("junit.xml").read_text().count("<testcase ") == 4
    # A process that hangs at its end runs nothing of what was registered: xdist kills such a worker.
    assert len(list(project.path.glob("goodbye-*"))) == (3 if workers else 1)
