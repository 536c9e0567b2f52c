"""What `agent-conformance rules` prints."""

from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.commands.rules import page
from agent_conformance.explain import all_rules


def test_page_of_rules_is_up_to_date() -> None:
    written = Path(__file__).parents[2] / "fakes" / "RULES.md"

    assert written.read_text(encoding="utf-8") == "\n".join(page(list(all_rules()))), (
        "run: ./dev python -m tests.docs.regenerate --figures=documents"
    )


def test_one_rule_is_a_line_and_the_command_that_explains_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tools-empty"]) == 0

    line, command = capsys.readouterr().out.splitlines()
    assert line.split()[:3] == ["openai/tools-empty", "400", "verbatim"]
    assert command == "agent-conformance explain openai/tools-empty"


def test_glob_lists_its_matches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tools-*"]) == 0

    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"openai/tools-empty", "openai/tools-too-many"} <= set(listed)
    assert all(id.startswith("openai/tools-") for id in listed)


def test_unknown_rule_is_an_error_that_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tool-empty"]) == 1
    assert capsys.readouterr().err.startswith("no rule `openai/tool-empty`. Did you mean `openai/tools-empty`?")
