"""`python -m tools verdicts` finds what the fakes say otherwise than those of another revision, and nothing else."""

import shutil
from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tools import run

MOONSHOT = "providers/moonshot/moonshot_chat.py"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A copy of the fakes."""
    copy = tmp_path / "fakes"
    shutil.copytree(ROOT / "fakes", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def compared(other: Path) -> int:
    return run(["verdicts", str(other), "--only", "moonshot@openai-chat", "--requests", "40"])


def change(other: Path, old: str, new: str) -> None:
    path = other / "fake_providers" / MOONSHOT
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_same_fakes_say_the_same(other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(other) == 0
    assert capsys.readouterr().out.endswith(" refused, 0 different\n")


def test_other_words_are_found_with_the_request(other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(other, "Invalid request: text content is empty", "Invalid request: there is no text")

    assert compared(other) == 1
    output = capsys.readouterr().out
    assert "Invalid request: there is no text" in output
    assert "moonshot@openai-chat request " in output


def test_another_field_of_a_rule_is_found(other: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(other, "A text part has an empty text.", "A text part is empty.")

    assert compared(other) == 1
    assert "moonshot@openai-chat rule moonshot/text-empty" in capsys.readouterr().out
