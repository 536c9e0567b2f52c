"""What `agent-conformance explain` prints."""

import json

import pytest

from agent_conformance.commands.main import main
from agent_conformance.explain import explain
from agent_conformance.explain.texts import explanation_lines


def test_rule_of_a_finding_is_printed_with_all_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "accepted:openai/tools-empty"]) == 0

    printed = capsys.readouterr().out
    assert printed.startswith("accepted:openai/tools-empty\n  rule       `openai/tools-empty`: ")
    labels = [line[2:13].strip() for line in printed.splitlines() if line[:3].strip() and line[:2] == "  "]
    for label in ("demands", "why", "evidence", "bugs", "seen", "status", "refused", "accepted", "fixes", "reference"):
        assert label in labels
    assert '"tools": []' in printed
    assert "\n    def declare(" in printed


def test_scenario_of_a_case_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "history/pruned-past-the-user@gemini-generate#1.outcome"]) == 0

    printed = capsys.readouterr().out
    assert "  scenario   history/pruned-past-the-user: pruning within a turn" in printed
    assert "             https://github.com/zeroclaw-labs/zeroclaw/pull/6303\n" in printed


def test_json_is_the_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "paired", "--json"]) == 0

    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(explain("paired").as_json()))


def test_unknown_id_is_an_error_that_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "pared"]) == 1

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("no finding, law or rule `pared`. Did you mean `paired`?")


@pytest.mark.parametrize("width", [60, 100])
def test_texts_are_fitted_to_the_width(width: int) -> None:
    text = explanation_lines(explain("paired"), width=width)
    as_they_are = ("http", "agent_conformance/")
    fitted = [line for line in text if line[:3].strip() and not any(part in line for part in as_they_are)]

    assert max(map(len, fitted)) <= width
