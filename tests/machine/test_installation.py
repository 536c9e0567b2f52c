"""What pip is told to install is something that pip can find."""

import json
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent_conformance.machine import installation
from agent_conformance.machine.installation import DISTRIBUTION, install_command, requirements_of, suite_for_pip

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def installed_from(monkeypatch: pytest.MonkeyPatch):
    """Sets the record that pip keeps of where the suite came from; None for an index."""

    def install(record: dict[str, Any] | None) -> None:
        text = None if record is None else json.dumps(record)
        monkeypatch.setattr(
            installation, "distribution", lambda name: SimpleNamespace(read_text=lambda file: text, requires=None)
        )

    return install


@pytest.mark.parametrize("extra", ["respx", "snapshot", "fuzz", "mcp", "acp", "google-adk", "agno"])
def test_extra_is_named_by_what_it_brings(extra: str) -> None:
    assert sorted(requirements_of(extra)) == sorted(PROJECT["optional-dependencies"][extra])
    assert DISTRIBUTION not in install_command(extra)


def test_no_such_extra_brings_nothing() -> None:
    assert requirements_of("google") == ()


def test_requirement_with_extras_and_bounds_is_one_word_of_a_shell() -> None:
    assert install_command("pydantic-ai").startswith("pip install 'pydantic-ai-slim[")


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (None, "pytest-agent-conformance"),
        (
            {"url": "https://example.org/suite.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "git+https://example.org/suite.git@abc",
        ),
        ({"url": "https://example.org/suite.whl", "archive_info": {}}, "https://example.org/suite.whl"),
        ({"url": "file:///home/me/suite", "dir_info": {"editable": True}}, ""),
        ({"url": "file:///home/me/suite.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, ""),
        (
            {"url": "ssh://git@example.org/suite.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "git+ssh://git@example.org/suite.git@abc",
        ),
        ({"url": "https://me:secret@example.org/suite.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, ""),
    ],
)
def test_suite_is_had_elsewhere_as_it_was_had_here(installed_from, record: dict[str, Any] | None, told: str) -> None:
    installed_from(record)

    assert suite_for_pip() == told


def test_suite_that_nobody_installed_has_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", missing)

    assert suite_for_pip() == ""
    assert install_command("mcp") == "install the suite with its extra `mcp`"
