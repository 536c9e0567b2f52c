"""`.ci/run` runs its parts side by side, shows each output in one piece, and ends with what has failed."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.packaging.pins import ROOT
from tests.patience import PATIENCE

DEV = """#!/bin/sh
all=$*
echo "ran $all"
case "$*" in
    "$FAILS"*) exit 3 ;;
    "$SLEEPS"*) echo $$ > sleeping; sleep 60 ;;
    *"uv build"*) while [ "$1" != --out-dir ]; do shift; done; mkdir -p "$2"; touch "$2/pytest_agent_conformance-1.whl"
        ;;
    "python -c"*) echo light ;;
esac
echo "$all has ended"
"""
PYTHON = """#!/bin/sh
[ "$1" != -c ] || { echo 3.11; exit; }
mkdir -p "$3/bin"
printf '#!/bin/sh\\nmkdir -p ../project\\necho "ran installed $*"\\n' > "$3/bin/pytest"
chmod +x "$3/bin/pytest"
cp "$3/bin/pytest" "$3/bin/agent-conformance"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The script with stand-ins for `./dev` and Python, which install nothing."""
    for folder in (".ci", "temporary"):
        tmp_path.joinpath(folder).mkdir()
    for name in ("run", "pythons"):
        shutil.copy(ROOT / ".ci" / name, tmp_path / ".ci" / name)
    for name, text in (("dev", DEV), ("python", PYTHON)):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
    return tmp_path


def started(checkout: Path, *, fails: str = "nothing", sleeps: str = "nothing") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [checkout / ".ci" / "run"],
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHON": f"{checkout}/python",
            "TMPDIR": f"{checkout}/temporary",
            "FAILS": fails,
            "SLEEPS": sleeps,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def ci_run(checkout: Path, *, fails: str = "nothing") -> tuple[int, str]:
    process = started(checkout, fails=fails)
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def runs(process: str) -> bool:
    """A process that nobody has waited for is still listed, as a zombie."""
    try:
        return Path("/proc", process, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_every_step_is_run(checkout: Path) -> None:
    code, output = ci_run(checkout)

    assert code == 0, output
    for step in (
        "ruff check .",
        "ruff format --check .",
        "mypy",
        "mkdocs build --strict",
        "python -m tests.html_report.browser",
        "uv build",
        "pytest --slow",
        "installed --agent=agent_conformance.reference:Adapter",
        "installed --agent=agent_adapter:Adapter",
        "installed tests/ready_made --ignore=tests/ready_made/test_vendor_loops.py --frameworks=light",
        "installed -c tests/peers/suites.ini",
        "python -m tools.mutation reference",
        "python -m tools.mutation judge",
    ):
        assert f"ran {step}" in output
    assert "\n== all passed in " in output
    assert list(checkout.joinpath("temporary").iterdir()) == []


def test_output_of_a_step_is_in_one_piece(checkout: Path) -> None:
    _, output = ci_run(checkout)

    steps = [step.splitlines() for step in output.split("\n== ") if step.startswith("./dev")]
    assert len(steps) >= 6
    for name, *lines in steps:
        arguments = name.removeprefix("./dev ")
        assert lines[:2] == [f"ran {arguments}", f"{arguments} has ended"]
        assert lines[2].startswith("-- ")


@pytest.mark.parametrize("fails", ["mypy", "uv build", "pytest --slow"])
def test_failure_is_named_at_the_end(checkout: Path, fails: str) -> None:
    code, output = ci_run(checkout, fails=fails)

    assert code != 0
    assert output.splitlines()[-1].startswith(f"== FAILED: ./dev {fails}")
    assert "all passed" not in output
    assert list(checkout.joinpath("temporary").iterdir()) == []


def test_lane_beside_one_that_fails_comes_to_its_end(checkout: Path) -> None:
    _, output = ci_run(checkout, fails="ruff check")

    assert "ran installed --agent=agent_adapter:Adapter" in output
    assert "ran mypy" not in output


@pytest.mark.parametrize("step", ["mypy", "pytest --slow"])
def test_end_from_outside_ends_what_runs(checkout: Path, step: str) -> None:
    process = started(checkout, sleeps=step)
    sleeping = checkout / "sleeping"
    while not (sleeping.exists() and sleeping.read_text()):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGTERM)  # SIGINT is ignored by whatever a background job of a shell starts
    output, _ = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130
    assert "== FAILED: " in output
    until = time.monotonic() + PATIENCE
    while runs(sleeping.read_text().strip()):  # it was told to end, and on a busy machine it has not come to it yet
        assert time.monotonic() < until
        time.sleep(0.02)


def test_each_other_python_is_tried_or_said_to_be_missing(checkout: Path) -> None:
    _, output = ci_run(checkout)

    for version in ("3.12", "3.13", "3.14"):
        tried, missing = f"== smoke_on {version}" in output, f"not tried: Python {version}, which" in output
        assert tried != missing
