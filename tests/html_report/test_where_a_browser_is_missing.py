"""Without a browser nobody is told that the page was tested: a laptop leaves its tests out and says so, CI fails."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.html_report.browser import MISSING

ROOT = Path(__file__).parents[2]
EVERYTHING = {
    "file_or_dir": [],
    "keyword": "",
    "markexpr": "",
    "row": "",
    "lf": False,
    "agent": None,
    "fuzz_requests": 1,
    "fuzz_seed": 1,
}


def item(*marks: str) -> Any:
    return SimpleNamespace(get_closest_marker=lambda name: name if name in marks else None)


def run(**chosen: Any) -> Any:
    return SimpleNamespace(option=SimpleNamespace(**{**EVERYTHING, "slow": False, **chosen}))


@pytest.mark.parametrize(
    ("config", "browser", "ci", "left_out"),
    [
        (run(), None, "", True),
        (run(), "/usr/bin/chromium", "", False),
        (run(), None, "true", False),
        (run(slow=True), None, "", False),
        (run(markexpr="browser"), None, "", False),
        (run(file_or_dir=["tests/html_report"]), None, "", False),
    ],
)
def test_tests_of_the_page_are_left_out_of_a_run_of_everything_alone(
    config: Any, browser: str | None, ci: str, left_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conftest, "chromium", lambda: browser)
    monkeypatch.setenv("CI", ci)

    assert conftest.is_left_out(item("browser"), config) is left_out
    assert ("without Chromium" in str(conftest.pytest_report_header(config))) is left_out
    assert conftest.is_left_out(item(), config) is False


def test_test_of_the_page_fails_without_a_browser_and_says_what_to_install() -> None:
    environment = {**os.environ, "PATH": "/nowhere", "CHROMIUM": ""}
    command = [sys.executable, "-m", "pytest", "-q", "tests/html_report/test_page_in_browser.py", "-k", "overview"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert MISSING in done.stdout
    assert "skipped" not in done.stdout


def test_installing_where_nothing_can_be_installed_says_what_to_do() -> None:
    environment = {**os.environ, "PATH": "/nowhere", "CHROMIUM": ""}
    command = [sys.executable, "-m", "tests.html_report.browser"]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert MISSING in done.stderr


def test_installing_where_there_is_a_browser_does_nothing() -> None:
    environment = {**os.environ, "PATH": "/nowhere", "CHROMIUM": "/usr/bin/a-browser"}
    command = [sys.executable, "-m", "tests.html_report.browser"]

    assert subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
