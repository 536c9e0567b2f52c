"""`.ci/weekly` goes on after a failure, and says at the end what changed, what failed and what to do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.pins import ROOT

DEV = """#!/bin/sh
case "$*" in
    *"uv build"*) while [ "$1" != --out-dir ]; do shift; done; mkdir -p "$2"; touch "$2/a.whl" "$2/a.tar.gz" ;;
    *"pip freeze"*) echo "openai==99.0" ;;
    *"pytest tests/ready_made"* | *"tools leaderboard"*) echo "ran $*"; [ agents != "$FAILS" ] ;;
    *changes*) sed 's/^/  /; s/==/ 98.0 -> /' ;;
esac
"""
PYTHON = """#!/bin/sh
case "$*" in
    "-c "*) basename "$0" | sed 's/^python//' ;;
    *venv*)
        for folder; do :; done
        mkdir -p "$folder/bin"
        for name in python pytest ruff mypy mkdocs; do cp "$TOOL" "$folder/bin/$name"; done ;;
esac
"""
TOOL = """#!/bin/sh
tool="$(basename "$(dirname "$(dirname "$0")")") $(basename "$0")"
echo "ran $tool"
[ "$tool" != "$FAILS" ]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The script with stand-ins for `./dev` and Python 3.11 and 3.12, which install nothing."""
    for folder in (".ci", "bin", "nothing"):
        tmp_path.joinpath(folder).mkdir()
    for name in ("weekly", "pythons"):
        shutil.copy(ROOT / ".ci" / name, tmp_path / ".ci" / name)
    for name, text in (("dev", DEV), ("tool", TOOL), ("bin/python3.11", PYTHON), ("bin/python3.12", PYTHON)):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
    return tmp_path


def weekly(checkout: Path, *parts: str, fails: str = "") -> tuple[int, str]:
    done = subprocess.run(
        [checkout / ".ci" / "weekly", *parts],
        env={
            "PATH": f"{checkout}/bin:/usr/bin:/bin",
            "PYENV_ROOT": f"{checkout}/nothing",
            "PYTHON": "python3.11",
            "TMPDIR": f"{checkout}/nothing",
            "TOOL": f"{checkout}/tool",
            "FAILS": fails,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_all_is_run_and_nothing_is_to_be_done(checkout: Path) -> None:
    code, said = weekly(checkout)

    assert code == 0
    for name in (
        "newest: own tests",
        "plugins: reports",
        "documents: of the vendors",
        "frameworks: over the corpus",
        "agents: newest releases",
        "agents: releases that must differ",
        "trace: what breaks each law",
        "isolation: the reference agent",
        "lowest: smoke on 3.12",
        "Python 3.12: own tests",
        "mutation: judge",
    ):
        assert f"s  {name}\n" in said
    assert "changed against constraints/dev.txt:\n  openai 98.0 -> 99.0\n" in said
    assert "not tried: Python 3.14, which is neither on PATH nor of pyenv\n" in said
    assert said.endswith("to do: nothing. constraints/renew takes the releases that changed.\n")
    assert "FAILED" not in said


def test_failure_is_no_end_and_says_what_to_do(checkout: Path) -> None:
    code, said = weekly(checkout, "newest", "pythons", fails="newest pytest")
    summary = said.partition("== weekly: ")[2]

    assert code == 1
    assert summary.startswith("17 of 19 passed in 0 min\n")
    assert [line.rpartition("  ")[2] for line in summary.splitlines() if line.startswith("FAILED")] == [
        "newest: own tests",
        "newest: what the SDKs know",
    ]
    task = summary.partition("to do:\n- newest: own tests: ")[2].partition("\n- newest: what the SDKs know: ")[0]
    assert task.startswith("A release since the pins breaks it.")
    assert Path(task.strip().rpartition("Its output: ")[2]).read_text(encoding="utf-8") == "ran newest pytest\n"


def test_agents_are_judged_in_their_own_environments(checkout: Path) -> None:
    code, said = weekly(checkout, "agents", fails="agents")

    assert code == 1
    assert "ran python -m tools leaderboard --holds" in said
    assert "ran pytest tests/ready_made/test_version_pairs.py --programs -q" in said
    assert "- agents: newest releases: A release of an agent has other findings, or does not install: its row" in said


def test_part_that_there_is_not_is_named(checkout: Path) -> None:
    code, said = weekly(checkout, "newst")

    assert code == 2
    assert (
        "newst: there is no such part; "
        "there are newest plugins documents frameworks agents trace isolation hostile lowest pythons mutation" in said
    )
