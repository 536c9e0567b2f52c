"""`./dev` makes the environment when it is missing or out of date, and runs the command in it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PINS = "constraints/dev.txt"
PYTHON = """#!/bin/sh
if [ "$2" = venv ]; then
    echo "python $*" >> "$LOG"
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    cp "$0" "$3/bin/uv"
    printf '#!/bin/sh\\necho "pytest $*"\\n' > "$3/bin/pytest"
    chmod +x "$3/bin/pytest"
    exit
fi
echo "$(basename "$0") $* (in $(pwd))" >> "$LOG"
if [ "$1" = pip ]; then
    printf 'Resolved 2 packages\\n + a==1\\n + b==2\\n'
    exit "${UV_FAILS:-0}"
fi
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what `./dev` reads, and a Python that only records its arguments. Its name has a space."""
    folder = tmp_path / "a checkout"
    folder.joinpath("constraints").mkdir(parents=True)
    for name in ("dev", "pyproject.toml", PINS):
        shutil.copy(ROOT / name, folder / name)
    python = folder / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    return folder


def run_dev(checkout: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    checkout.joinpath("log").write_text("")
    return subprocess.run(
        [checkout / "dev", *arguments],
        cwd=checkout.parent,
        env={"PATH": "/usr/bin:/bin", "PYTHON": f"{checkout}/python", "LOG": f"{checkout}/log", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def dev(checkout: Path, *arguments: str) -> tuple[str, list[str]]:
    """What the command printed, and the arguments of Python and uv."""
    done = run_dev(checkout, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout, checkout.joinpath("log").read_text().splitlines()


def test_environment_is_made_and_the_command_runs_in_it(checkout: Path) -> None:
    printed, commands = dev(checkout, "pytest", "--agent=a b:C", "-q")

    assert printed == "pytest --agent=a b:C -q\n"
    assert commands == [
        f"python -m venv {checkout}/.venv",
        f"python -m pip install --quiet --quiet --disable-pip-version-check uv (in {checkout})",
        f"uv pip install --no-config --python .venv/bin/python --constraint {PINS} --build-constraint {PINS} "
        f"--editable .[dev,docs] (in {checkout})",
    ]


def test_it_says_that_it_is_installing(checkout: Path) -> None:
    said = run_dev(checkout, "pytest").stderr.splitlines()

    assert said[0].startswith(f"./dev: installing into .venv what {PINS} pins")
    assert said[1:] == ["Resolved 2 packages"]
    assert run_dev(checkout, "pytest").stderr == ""


def test_installation_that_fails_is_tried_again(checkout: Path) -> None:
    failed = run_dev(checkout, "pytest", UV_FAILS="2")

    assert failed.returncode == 2
    assert failed.stdout == ""
    assert dev(checkout, "pytest")[1] != []


def test_environment_is_kept_as_long_as_it_is_up_to_date(checkout: Path) -> None:
    dev(checkout, "pytest")

    assert dev(checkout, "pytest", "x") == ("pytest x\n", [])


@pytest.mark.parametrize("changed", ["pyproject.toml", PINS])
def test_environment_is_brought_up_to_date_with_the_project_and_its_pins(checkout: Path, changed: str) -> None:
    dev(checkout, "pytest")
    with (checkout / changed).open("a") as file:
        file.write("# another dependency\n")

    _, commands = dev(checkout, "pytest")

    assert len(commands) == 3


def test_without_a_command_it_says_how_it_is_used(checkout: Path) -> None:
    done = subprocess.run([checkout / "dev"], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "./dev pytest --agent=" in done.stderr
    assert not (checkout / ".venv").exists()
