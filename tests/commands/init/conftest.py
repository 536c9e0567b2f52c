"""An empty project, in which `agent-conformance init` is run."""

from pathlib import Path

import pytest

from tests.commands.init.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path, capsys)
