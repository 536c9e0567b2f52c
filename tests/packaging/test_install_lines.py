"""Each line of the documents that installs or runs the package is played, with the built wheel in place of the clone.

Dependencies come from the package index, in the versions of constraints/dev.txt.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.pins import ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

NAME = "PATH-OF-THE-CLONE"
BEGINNINGS = ("pip install", "uvx", "pipx run", "podman build", "podman run", "docker")
BIN = Path(sys.executable).parent
PINS = ROOT / "constraints" / "dev.txt"
ENVIRONMENT = {**os.environ, "UV_CONSTRAINT": str(PINS), "PIP_CONSTRAINT": str(PINS), "UV_NO_CONFIG": "1"}
CONTAINER = "agent-conformance "


def lines() -> list[str]:
    """What stands in a block of code, once."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    blocks = [
        block
        for document in documents
        for block in re.findall(r"^```sh\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    ]
    found = [line.strip() for block in blocks for line in block.splitlines()]
    return sorted(
        {line for line in found if line.startswith(BEGINNINGS) and (NAME in line or CONTAINER.strip() in line)}
    )


def wheel_in(built: Path) -> Path:
    [path] = built.glob("*.whl")
    return path


def played(*command: str, cwd: Path, **more: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=ENVIRONMENT | more, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_kind_of_line_is_played() -> None:
    kinds = {beginning for beginning in BEGINNINGS for line in lines() if line.startswith(beginning)}

    assert kinds == {"pip install", "uvx", "pipx run", "podman build", "podman run"}


@pytest.mark.parametrize("line", [line for line in lines() if line.startswith("pip install")])
def test_package_is_installed_into_a_fresh_environment(line: str, built: Path, tmp_path: Path) -> None:
    """By uv, which resolves as pip does in a tenth of the time."""
    python = str(tmp_path / "venv" / "bin" / "python")
    words = [
        word.replace(NAME, str(wheel_in(built))) if NAME in word else word
        for word in shlex.split(line, comments=True)[2:]
    ]
    played(str(BIN / "uv"), "venv", "--quiet", "--python", sys.executable, "venv", cwd=tmp_path)
    played(str(BIN / "uv"), "pip", "install", "--quiet", "--python", python, *words, cwd=tmp_path)

    said = played(str(tmp_path / "venv" / "bin" / "agent-conformance"), "--version", cwd=tmp_path)

    assert said.startswith("agent-conformance ")


@pytest.mark.parametrize("line", [line for line in lines() if line.startswith("uvx")])
def test_command_runs_without_an_installation(line: str, built: Path, tmp_path: Path) -> None:
    words = [str(wheel_in(built)) if word == NAME else word for word in shlex.split(line)]
    words[0] = str(BIN / "uvx")

    assert "--port" in played(*words, "--help", cwd=tmp_path)


@pytest.mark.parametrize("line", [line for line in lines() if line.startswith("pipx")])
def test_command_runs_by_pipx(line: str, built: Path, tmp_path: Path) -> None:
    words = [str(wheel_in(built)) if word == NAME else word for word in shlex.split(line)]
    own = {"PIPX_HOME": str(tmp_path / "home"), "PIPX_BIN_DIR": str(tmp_path / "bin"), "UV_CONSTRAINT": ""}

    assert "--port" in played(str(BIN / "uvx"), *words, "--help", cwd=tmp_path, **own)


@pytest.mark.weekly
def test_container_is_built_by_its_steps_in_a_fresh_folder(tmp_path: Path) -> None:
    """Without a container: what it copies is copied, and its commands are run with other folders."""
    source, place = tmp_path / "src", tmp_path / "opt"
    left_out = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    patterns = [pattern.removeprefix("**/") for pattern in left_out]
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*patterns))
    steps = [line for line in (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines() if line[:4] == "RUN "]

    for step in steps:
        command = step.removeprefix("RUN ").replace("/opt/", f"{place}/").replace("python ", f"{sys.executable} ")
        played("sh", "-euc", command, cwd=source)

    installed = place / "agent-conformance" / "bin" / "agent-conformance"
    [line] = [line for line in lines() if line.startswith("podman run")]
    words = shlex.split(line[line.rindex(CONTAINER) + len(CONTAINER) :])
    assert "--script" in played(str(installed), *words, "--help", cwd=tmp_path)
