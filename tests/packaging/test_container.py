"""The container file: it runs as nobody in particular, ends in good order, and what it starts is a command of ours."""

import json
import re

import pytest

from agent_conformance.commands.main import main
from tests.packaging.pins import ROOT

INSTRUCTIONS = ("FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "STOPSIGNAL", "ENTRYPOINT", "CMD")
LINES = [
    line for line in (ROOT / "Containerfile").read_text().splitlines() if line.strip() and not line.startswith("#")
]


def argument_of(instruction: str) -> str:
    """Of the last one of its kind."""
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{instruction} ")][-1]


def test_each_line_is_an_instruction() -> None:
    assert [line for line in LINES if line.partition(" ")[0] not in INSTRUCTIONS] == []


def test_user_is_a_number_and_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", argument_of("USER"))


def test_it_ends_with_the_signal_that_python_hears_as_the_first_process() -> None:
    assert argument_of("STOPSIGNAL") == "SIGINT"


def test_files_that_are_copied_and_pinned_are_there() -> None:
    constraints = re.findall(r"PIP_CONSTRAINT=(\S+)", "\n".join(LINES))

    assert [name for name in constraints if not (ROOT / name).is_file()] == []
    assert (ROOT / ".containerignore").read_text() == (ROOT / ".dockerignore").read_text()
    for needed in ("README.md", "LICENSE", "scenarios", "clients", "pyproject.toml"):
        assert needed not in (ROOT / ".containerignore").read_text().splitlines()


def test_what_it_starts_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    entrypoint, arguments = json.loads(argument_of("ENTRYPOINT")), json.loads(argument_of("CMD"))

    assert entrypoint == ["agent-conformance"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert [word for word in arguments if word.startswith("--") and word not in shown] == []
