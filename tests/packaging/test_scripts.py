"""The scripts of the checkout can be run, and name files that exist."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.packaging.pins import ROOT

SCRIPTS = [ROOT / "dev", ROOT / "constraints" / "renew", *sorted(path for path in (ROOT / ".ci").iterdir())]
PATHS = re.compile(
    r"(?<![\w$}/.*-])\.?/?((?:tests|docs|constraints|conformance|fakes|scenarios|benchmarks|\.ci)/[\w./-]+)"
)
"""What is written like a file of the repository."""

scripts = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: str(script.relative_to(ROOT)))


def named_in(script: Path) -> list[str]:
    return [path.rstrip(".") for path in PATHS.findall(script.read_text(encoding="utf-8"))]


@scripts
def test_script_is_sound_shell(script: Path) -> None:
    """One that another sources says so on top, and is not run by itself."""
    text = script.read_text(encoding="utf-8")
    is_sourced = text.startswith("# Sourced by ")
    assert is_sourced or text.startswith("#!/usr/bin/env bash\n")
    assert os.access(script, os.X_OK) is not is_sourced
    subprocess.run(["bash", "-n", script], check=True)


@scripts
def test_script_names_files_that_exist(script: Path) -> None:
    assert [path for path in named_in(script) if not (ROOT / path).exists()] == []


def test_names_of_files_are_found() -> None:
    assert "constraints/dev.txt" in named_in(ROOT / "dev")
    assert "tests/ready_made" in named_in(ROOT / ".ci" / "run")


@scripts
def test_whatever_is_installed_is_pinned_or_said_not_to_be(script: Path) -> None:
    """`.ci/weekly` alone installs what nobody has pinned: it is there for that."""
    text = re.sub(r"\\\n\s*", "", script.read_text(encoding="utf-8"))
    installing = [line for line in text.splitlines() if re.search(r"\b(pip install|uv build)\b", line)]

    if script.name != "weekly":
        assert [line for line in installing if "constraint" not in line.lower()] == []
