"""`agent-conformance trace`: what provokes which law and rule, and why nothing provokes the others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from agent_conformance.agents.mutants import named
from agent_conformance.commands.main import main
from agent_conformance.commands.trace import provoked
from agent_conformance.commands.trace.provoked import Provoked
from agent_conformance.commands.trace.reasons import Reason, WrongReasons, reasons
from agent_conformance.commands.trace.rows import as_json, default_rules, rows_of, wrong
from agent_conformance.judge.laws import LAWS

ROOT = Path(__file__).parents[2]
RULES = [rule.id for _, rule in default_rules()]
KNOWN = [*(law.id for law in LAWS), *RULES]
LEAST_PROVOKED = 300
MOST_WITHOUT = 102

Runs = Callable[..., str]


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Runs:
    """Runs the command over one mutant, and gives what it prints."""

    def run(*arguments: str) -> str:
        monkeypatch.setattr(provoked, "MUTANTS", (named("M60g_conversation_empty"),))
        main(["trace", "--leaderboard", str(tmp_path / "none.json"), *arguments])
        return capsys.readouterr().out

    return run


def stored() -> dict[str, dict[str, Any]]:
    written = json.loads((ROOT / "docs" / "traceability.json").read_text(encoding="utf-8"))
    return {row["id"]: row for row in written["rows"]}


def test_rule_has_the_mutants_and_scenarios_that_provoked_it(traced: Runs) -> None:
    lines = traced("openai/messages-empty").splitlines()

    assert lines[:3] == [
        "openai/messages-empty",
        "  scenario  round-trip/result-comes-back",
        "  mutant    M60g_conversation_empty",
    ]
    assert all(line.startswith("  source") for line in lines[3:])


def test_law_and_rule_of_a_refusal_are_both_provoked(traced: Runs) -> None:
    assert "M60g_conversation_empty" in traced("accepted")


def test_rule_that_nothing_provokes_is_named_with_what_to_do(traced: Runs) -> None:
    out = traced()

    assert "openai/tools-empty: nothing provokes this rule. Add a mutant that does, or a reason" in out
    assert "openai/messages-empty:" not in out


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
    assert main(["trace", "openai/tools-emtpy"]) == 1
    assert "Did you mean `openai/tools-empty`?" in capsys.readouterr().err


def test_reason_of_a_rule_that_was_provoked_is_out_of_date() -> None:
    trace = {"openai/role-missing": Provoked(agents={"an-agent": {"history/any"}})}
    rows = [row for row in rows_of(trace, {"openai/role-missing": "key or quota"}) if row.id == "openai/role-missing"]

    assert list(wrong(rows)) == [
        "openai/role-missing: an-agent provoked it, and reasons.yaml says 'key or quota'. Delete the reason."
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("too hard: [openai/role-missing]", "'too hard' is none of the reasons"),
        ("key or quota: [openai/role-mising]", "no rule of the default run matches openai/role-mising"),
    ],
)
def test_reasons_are_of_a_closed_list_and_about_known_rules(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "reasons.yaml"
    file.write_text(text)

    with pytest.raises(WrongReasons, match=said):
        reasons(RULES, file)


def test_the_page_of_the_project_knows_every_law_and_rule() -> None:
    assert sorted(stored()) == sorted(KNOWN), "run `./dev agent-conformance trace --out docs`"


def test_every_rule_of_the_project_is_provoked_or_has_a_reason_of_the_list() -> None:
    """To let more go unprovoked is a decision: this bound is what it costs."""
    rules = [row for row in stored().values() if row["kind"] == "rule"]
    without = [row for row in rules if not (row["mutants"] or row["agents"])]

    assert {row["reason"] for row in without} <= set(get_args(Reason))
    assert len(rules) - len(without) >= LEAST_PROVOKED
    assert len(without) <= MOST_WITHOUT


def test_reasons_are_those_of_the_page() -> None:
    assert reasons(RULES) == {row["id"]: row["reason"] for row in stored().values() if row["reason"]}


def test_json_has_its_format() -> None:
    assert as_json([])["format"] == 1
