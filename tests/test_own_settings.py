"""The settings of the project's own tests: what becomes an error, and what must not."""

import os
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest


def test_a_warning_is_an_error() -> None:
    with pytest.raises(UserWarning):
        warnings.warn("anything", stacklevel=1)


def test_warning_of_syrupy_after_the_first_failure_hides_no_failure() -> None:
    """Under `-x` with workers, a worker that was stopped has sent no report. The words are those of syrupy 7."""
    warnings.warn(
        "syrupy: received 1 of 2 xdist worker snapshot reports; unused snapshot detection skipped", stacklevel=1
    )


def test_help_of_a_checkout_lists_the_options_of_its_tests() -> None:
    shown = subprocess.run([sys.executable, "-m", "pytest", "--help"], capture_output=True, text=True, check=False)

    assert shown.returncode == 0, shown.stderr
    assert "--row" in shown.stdout
    assert "--agent=SPEC" in shown.stdout


def workers(monkeypatch: pytest.MonkeyPatch, *paths: str) -> int | None:
    """How many workers `./dev pytest` starts with these paths, where four cores may be used."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 5}, raising=False)
    option = SimpleNamespace(
        file_or_dir=paths, keyword="", markexpr="", row="", usepdb=False, collectonly=False, numprocesses=None
    )
    config: Any = SimpleNamespace(option=option)
    conftest.pytest_cmdline_main(config)
    return option.numprocesses


def test_run_of_everything_has_two_workers_more_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers(monkeypatch) == 6
    assert workers(monkeypatch, "tests/docs") is None


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_document_says_how_long_the_tests_take(document: str) -> None:
    assert conftest.DURATION in (Path(__file__).parents[1] / document).read_text(encoding="utf-8")
