"""A project to set up: its files, what `init` prints in it, and the commands that it prints."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from agent_conformance.commands.main import main
from tests.docs.documents import ROOT
from tests.patience import PATIENCE

WORKFLOW = ".github/workflows/agent-conformance.yml"


@dataclass(frozen=True, slots=True)
class Project:
    """`init` runs in this process; `run` runs a command in the folder, as a user types it."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def write(self, path: str, text: str = "") -> Path:
        written = self.folder / path
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text, encoding="utf-8", newline="")
        return written

    def read(self, path: str) -> str:
        with (self.folder / path).open(encoding="utf-8", newline="") as file:
            return file.read()

    def init(self, *arguments: str) -> list[str]:
        """The lines that are printed, with single spaces."""
        assert main(["init", "--only-files", *arguments]) == 0
        return [" ".join(line.split()) for line in self.capsys.readouterr().out.splitlines()]

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}

    def commands_in_ci(self, path: str = WORKFLOW) -> list[str]:
        [job] = yaml.safe_load(self.read(path))["jobs"].values()
        return [step["run"] for step in job["steps"] if "run" in step]


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of this environment, with this checkout's packages."""
    tools = Path(sys.executable).parent
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    path = f"{tools}{os.pathsep}{kept.get('PATH', '')}"
    return subprocess.run(
        [tools / command[0] if (tools / command[0]).exists() else command[0], *command[1:]],
        cwd=folder,
        env=kept | {"PYTHONPATH": str(ROOT), "PATH": path} | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
