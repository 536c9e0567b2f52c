"""`./dev python -m tools trace`: what provokes which law and rule, and why nothing provokes the others."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_mutants import named
from tools import run
from tools.trace import provoked
from tools.trace.provoked import Provoked
from tools.trace.rows import as_json, rows_of, wrong

Runs = Callable[..., str]


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Runs:
    """Runs the command over one mutant, and gives what it prints."""

    def printed(*arguments: str) -> str:
        monkeypatch.setattr(provoked, "MUTANTS", (named("M60f_conversation_left_out"),))
        run(["trace", "--leaderboard", str(tmp_path / "none.json"), *arguments])
        return capsys.readouterr().out

    return printed


def test_rule_has_the_mutants_and_scenarios_that_provoked_it(traced: Runs) -> None:
    lines = traced("openai/messages-missing").splitlines()

    assert lines[:3] == [
        "openai/messages-missing",
        "  scenario  round-trip/result-comes-back",
        "  mutant    M60f_conversation_left_out",
    ]
    assert all(line.startswith("  source") for line in lines[3:])


def test_law_and_rule_of_a_refusal_are_both_provoked(traced: Runs) -> None:
    assert "M60f_conversation_left_out" in traced("accepted")


def test_law_that_nothing_breaks_is_named_with_what_to_do(traced: Runs) -> None:
    out = traced()

    assert "survives: no mutant and no agent breaks this law. Add a mutant that does." in out
    assert "accepted:" not in out


def test_files_are_written_and_equal_runs_write_equal_files(traced: Runs, tmp_path: Path) -> None:
    traced("--out", str(tmp_path / "first"))
    traced("--out", str(tmp_path / "second"))

    for name in ("traceability.json", "traceability.md"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_agent_of_the_leaderboard_provokes_what_it_failed(tmp_path: Path) -> None:
    file = tmp_path / "leaderboard.json"
    failing = {"no-tools/all-disabled#accepted:openai/tools-empty": {}, "finish/stale-reply#1.reply": {}}
    file.write_text(json.dumps({"agents": [{"agent": "an-agent", "failing": failing}]}))
    trace: provoked.Trace = {}

    provoked.by_agents(file, trace)

    assert {id: (dict(found.agents), found.scenarios) for id, found in trace.items()} == {
        id: ({"an-agent": {"no-tools/all-disabled"}}, ["no-tools/all-disabled"])
        for id in ("accepted", "openai/tools-empty")
    }


def test_unknown_id_is_an_error_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "openai/tools-emtpy"]) == 1
    assert "Did you mean `openai/tools-empty`?" in capsys.readouterr().err


def test_law_that_an_agent_broke_is_provoked() -> None:
    trace = {"paired": Provoked(agents={"an-agent": {"history/any"}})}

    assert not [line for line in wrong(rows_of(trace)) if line.startswith("paired:")]


def test_json_has_its_format() -> None:
    assert as_json([])["format"] == 1
