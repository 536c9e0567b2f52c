"""What `agent-conformance rules` prints."""

from pathlib import Path

import pytest

import fakes
from conformance.commands.main import main
from conformance.commands.rules import all_rules, page


def test_page_of_rules_is_up_to_date() -> None:
    written = Path(fakes.__file__).parent / "RULES.md"

    assert written.read_text(encoding="utf-8") == "\n".join(page(list(all_rules()))), (
        "run: ./dev python -m tests.docs.regenerate --figures"
    )


def test_one_rule_is_shown_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tools-empty"]) == 0

    printed = capsys.readouterr().out
    assert "confidence  " in printed
    assert '"tools": []' in printed


def test_unknown_rule_is_an_error_that_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tool-empty"]) == 1
    assert capsys.readouterr().err.startswith("no rule `openai/tool-empty`. Did you mean `openai/tools-empty`?")
