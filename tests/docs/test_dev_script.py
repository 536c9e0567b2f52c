"""`./dev` makes the environment when it is missing or out of date, and runs the command in it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
if [ "$2" = venv ]; then
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    printf '#!/bin/sh\\necho "pytest $*"\\n' > "$3/bin/pytest"
    chmod +x "$3/bin/pytest"
fi
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what `./dev` reads, and a Python that only notes what it is asked."""
    for name in ("dev", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def dev(checkout: Path, *arguments: str) -> tuple[str, list[str]]:
    """What the command printed, and what Python was asked beforehand."""
    log = checkout / "log"
    log.write_text("")
    done = subprocess.run(
        [checkout / "dev", *arguments],
        cwd=checkout.parent,
        env={"PATH": "/usr/bin:/bin", "PYTHON": str(checkout / "python"), "LOG": str(log)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, log.read_text().splitlines()


def test_environment_is_made_and_the_command_runs_in_it(checkout: Path) -> None:
    printed, asked = dev(checkout, "pytest", "--agent=a b:C", "-q")

    assert printed == "pytest --agent=a b:C -q\n"
    assert asked == [
        f"python -m venv {checkout}/.venv",
        f"python -m pip install --quiet --disable-pip-version-check -e {checkout}[dev]",
    ]


def test_environment_is_kept_as_long_as_it_is_up_to_date(checkout: Path) -> None:
    dev(checkout, "pytest")

    assert dev(checkout, "pytest", "x") == ("pytest x\n", [])


def test_environment_is_brought_up_to_date_with_the_project(checkout: Path) -> None:
    dev(checkout, "pytest")
    with (checkout / "pyproject.toml").open("a") as file:
        file.write("# another dependency\n")

    _, asked = dev(checkout, "pytest")

    assert len(asked) == 2


def test_without_a_command_it_says_how_it_is_used(checkout: Path) -> None:
    done = subprocess.run([checkout / "dev"], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "./dev pytest --agent=" in done.stderr
    assert not (checkout / ".venv").exists()
