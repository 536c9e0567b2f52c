"""What commands print stays within a terminal's width, and whole in a pipe."""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.commands.shared import fitted

ADDRESS = "https://example.com/" + "a" * 80


@contextmanager
def terminal() -> Iterator[io.StringIO]:
    """A terminal of 60 columns, and what is printed to it."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "60")
        patch.setattr(printed, "isatty", lambda: True)
        patch.setattr(sys, "stdout", printed)
        yield printed


def test_line_is_whole_in_a_pipe() -> None:
    assert fitted("word " * 40) == "word " * 40


def test_line_is_broken_between_words_and_the_rest_is_indented() -> None:
    with terminal():
        assert fitted("  " + "word " * 15) == "  " + "word " * 10 + "word\n" + " " * 10 + "word word word word"


def test_lines_of_a_text_stay_lines_and_an_address_stays_whole() -> None:
    with terminal():
        assert fitted(f"first\n\n{ADDRESS}") == f"first\n\n{ADDRESS}"


def test_text_is_continued_below_itself_and_a_command_stays_whole() -> None:
    command = f"  rerun     pytest --agent=a:B {'x' * 60}"
    with terminal():
        assert fitted(f"  got       {'word ' * 12}\n{command}") == (
            "  got       " + "word " * 8 + "word\n" + " " * 12 + "word word word\n" + command
        )


def test_refusal_of_a_request_fits(tmp_path: Path) -> None:
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}], "tools": []}
    path = tmp_path / "body.json"
    path.write_text(json.dumps(body))
    with terminal() as printed:
        assert main(["check-request", str(path)]) == 1

    lines = printed.getvalue().splitlines()
    assert any(line.startswith(" " * 14) for line in lines)
    assert [line for line in lines if len(line) > 60 and " " in line.strip()] == []


@pytest.mark.parametrize(
    "arguments", [["rules"], ["agents"], ["mutants", "--list"]], ids=lambda arguments: arguments[0]
)
def test_lists_fit(arguments: list[str]) -> None:
    with terminal() as printed:
        assert main(arguments) == 0

    lines = printed.getvalue().splitlines()
    assert len(lines) > 10
    assert [line for line in lines if len(line) > 60 and " " in line.strip()] == []
