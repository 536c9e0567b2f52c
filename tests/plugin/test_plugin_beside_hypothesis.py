"""Hypothesis loads with a session that is verbose, and warns about what the suite has done to the collector."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE


@pytest.mark.parametrize("option", ["-v", "-q"])
def test_no_warning_of_hypothesis_ends_the_run(tmp_path: Path, option: str) -> None:
    arguments = ["-W", "error", "--agent=agent_conformance.reference:Adapter", option, "-p", "no:cacheprovider"]

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, "arguments/exact-values@openai-chat+plain"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert ran.returncode == 0, ran.stdout
