"""Every failing pair on the leaderboard has a verdict, and what a verdict calls fixed does not fail."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.ready_made import READY
from tests.ready_made.verdicts import covers, matches, without_verdict
from tests.tables import rows
from tools import run
from tools.leaderboard import runs_of_verdicts
from tools.leaderboard.command import dumped
from tools.leaderboard.runs_of_verdicts import (
    case_of,
    compare,
    compared,
    is_quoted,
    mark_of,
    not_compared,
    verdicts,
)
from tools.leaderboard.table import failing_of, row_of, table, unfit, with_areas

DOCS = Path(__file__).parents[2] / "docs"
LEADERBOARD: dict[str, Any] = json.loads((DOCS / "leaderboard.json").read_text(encoding="utf-8"))
ROWS: list[dict[str, Any]] = LEADERBOARD["agents"]

NOT_LISTED = {"anthropic-tool-runner", "strands-agents"}
"""Judged in tests/ready_made/test_vendor_loops.py and with a recipe; there are no ready-made adapters for them."""


def case(id: str, outcome: str, *findings: str, executions: int = 1, level: str = "must") -> dict[str, Any]:
    listed = [{"id": finding, "level": level} for finding in findings]
    return {"case": id, "profile": "core", "outcome": outcome, "findings": listed, "executions": executions}


def test_every_failing_pair_has_a_verdict() -> None:
    assert without_verdict(ROWS) == []


def test_pair_without_a_verdict_is_named() -> None:
    row = {
        "agent": "langchain",
        "failing": {"area/unheard-of#paired": {"cases": 1, "first": "area/unheard-of@w+plain"}},
    }

    assert without_verdict([row]) == ["langchain: area/unheard-of#paired, first in area/unheard-of@w+plain"]


def test_every_verdict_still_occurs_for_each_of_its_agents() -> None:
    listed = {row["agent"]: row["failing"] for row in ROWS}
    claims = [
        (agent, glob) for verdict in verdicts() for agent in verdict["agents"] for glob in verdict.get("covers", ())
    ]
    gone = [
        (agent, glob)
        for agent, glob in claims
        if agent in listed and not any(matches(pair, glob) for pair in listed[agent])
    ]

    assert gone == []


def test_what_was_fixed_does_not_fail() -> None:
    back = [
        f"{row['agent']}: {pair}"
        for verdict in verdicts()
        for row in ROWS
        for pair in row["failing"]
        if covers(verdict, row["agent"], pair, field="fixed")
    ]

    assert back == []


@rows("verdict", verdicts(), ids=[f"{number} {verdict['case']}" for number, verdict in enumerate(verdicts())])
def test_verdict_is_complete(verdict: dict[str, Any]) -> None:
    assert verdict["kind"] in ("defect", "adapter", "ours")
    assert ("covers" in verdict) != ("fixed" in verdict)
    assert verdict["agents"]
    assert {*verdict["agents"]} <= {*(ready.name for ready in READY), *NOT_LISTED}
    assert all(verdict[field] for field in ("framework", "case", "what", "done"))
    assert len(verdict["transcript"]) >= 2


def test_page_says_how_many_verdicts_were_compared_with_no_run() -> None:
    """A verdict that is new or rewritten is one of them, until the leaderboard has played its case."""
    today = [verdict for verdict in verdicts() if "covers" in verdict]
    without = [case_of(verdict) for verdict in today if mark_of(verdict) not in compared()]

    text = (DOCS / "maintainers" / "leaderboard-making.md").read_text(encoding="utf-8")

    assert f"{len(without)} of {len(today)} verdicts" in text, without


def test_quotation_counts_once_its_run_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = {"agents": ["agno"], "case": "a/b@w+plain#paired", "covers": ["a/b#paired"], "transcript": ["model: yes"]}
    run = {"case": "a/b@w+plain", "narrative": "  model: yes\n", "findings": []}
    marks = tmp_path / "compared.txt"
    marks.write_text("gone\n", encoding="utf-8")
    monkeypatch.setattr(runs_of_verdicts, "COMPARED", marks)
    monkeypatch.setattr(runs_of_verdicts, "verdicts", lambda: [verdict])

    assert not_compared("agno") == {"a/b@w+plain"}
    assert compare("agno", [run]) == []
    assert marks.read_text(encoding="utf-8") == f"{mark_of(verdict)}\n"
    assert not_compared("agno") == frozenset()
    assert compare("agno", [{**run, "narrative": "model: no"}]) == [
        "agno: a/b@w+plain: no line of the run is `model: yes`"
    ]
    assert not_compared("agno") == {"a/b@w+plain"}


def test_line_that_no_run_has_is_no_quotation() -> None:
    run = ["refused 400 Tool ids must have at most 40 characters, got 64", "model calls look {}"]

    assert is_quoted("refused  400 Tool ids ... got 64", run)
    assert is_quoted("model  calls look {}", run)
    assert not is_quoted("refused  400 Tool ids must have at most 64 characters, got 64", run)
    assert not is_quoted("got 64 refused", run)


def test_page_is_made_from_the_leaderboard() -> None:
    assert (DOCS / "leaderboard.md").read_text(encoding="utf-8") == table(LEADERBOARD)


def test_every_ready_made_adapter_is_listed_with_runs_and_passes() -> None:
    assert [row["agent"] for row in ROWS] == [ready.name for ready in READY]
    assert not any(unfit(row) or row["errors"] for row in ROWS)


def test_row_from_before_an_area_was_there_has_no_figures_for_it() -> None:
    row = row_of("early", "1", ["openai-chat"], [case("history/a@openai-chat+plain", "pass")], day="")
    del row["areas"]["turns"]

    assert "| turns | - |" in table({"agents": [row], "not listed": []})


def test_agent_that_ran_no_tool_or_passed_nothing_is_not_fit_to_be_listed() -> None:
    idle = row_of("idle", "1", ["openai-chat"], [case("history/a@openai-chat+plain", "pass", executions=0)], day="")
    hopeless = row_of("hopeless", "1", ["openai-chat"], [case("history/a@openai-chat+plain", "fail", "paired")], day="")
    sound = row_of("sound", "1", ["openai-chat"], [case("history/a@openai-chat+plain", "pass")], day="")

    assert (unfit(idle), unfit(hopeless), unfit(sound)) == ("no tool was executed", "no case passed", "")


def test_pairs_count_cases_and_leave_advice_out() -> None:
    cases = [
        case("history/a[x]@openai-chat+plain", "fail", "paired", "1.reply"),
        case("history/a[y]@openai-chat+plain", "fail", "paired"),
        case("history/b@openai-chat+plain", "pass", "once", level="should"),
    ]

    assert failing_of(cases) == {
        "history/a#1.reply": {"cases": 1, "first": "history/a[x]@openai-chat+plain"},
        "history/a#paired": {"cases": 2, "first": "history/a[x]@openai-chat+plain"},
    }


def test_framework_that_is_not_installed_fails_without_installed_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agent_conformance.attach.ready_made.version", _nothing_is_installed)

    assert run(["leaderboard", "langchain", "--out", str(tmp_path), "--here"]) == 1
    assert "failed: langchain: langchain is not installed" in capsys.readouterr().out
    assert run(["leaderboard", "langchain", "--out", str(tmp_path), "--installed-only"]) == 0


def test_unknown_adapter_is_a_usage_error_that_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(["leaderboard", "langchian"])

    assert ended.value.code == 2
    assert "no adapter `langchian`. Did you mean `langchain`? Choose from pydantic-ai, " in capsys.readouterr().err


def _nothing_is_installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)


@pytest.mark.parametrize("leaderboard", [LEADERBOARD, {"format": 1, "agents": [], "not listed": []}])
def test_file_of_the_leaderboard_has_a_line_for_each_failing_pair(leaderboard: dict[str, Any]) -> None:
    text = dumped(leaderboard)

    assert json.loads(text) == leaderboard
    pairs = [f"   {json.dumps(pair)}: " for row in leaderboard["agents"] for pair in row["failing"]]
    assert all(f"\n{pair}" in text for pair in pairs)


def test_areas_that_were_not_judged_are_put_into_a_row() -> None:
    first = [case("turns/a@w+plain", "not-verified", executions=0), case("history/b@w+plain", "fail", "paired")]
    now = [{**case("turns/a@w+plain", "fail", "once", executions=2), "profile": "hardened"}]
    row = row_of("one", "1", ["openai-chat"], [{**one, "profile": "hardened"} for one in first], day="2026-01-01")

    put = with_areas(row, row_of("one", "1", ["openai-chat"], now, day="2026-02-02"), ["turns"])

    assert (put["cases"], put["tools executed"], put["date"], put["again"]) == (
        2,
        3,
        "2026-01-01",
        {"turns": "2026-02-02"},
    )
    assert put["profiles"]["hardened"] == {"passed": 0, "failed": 2, "not verified": 0}
    assert put["areas"]["turns"] == {"passed": 0, "failed": 1, "not verified": 0}
    assert [*put["failing"]] == ["history/b#paired", "turns/a#once"]
    assert "Judged later, on 2026-02-02: turns of one." in table({"agents": [put], "not listed": []})


@pytest.mark.parametrize(
    ("first", "version", "problem"),
    [("pass", "1", "turns had been judged before"), ("not-verified", "2", "another version")],
)
def test_area_that_the_figures_of_a_row_do_not_let_be_replaced_is_not_put(
    first: str, version: str, problem: str
) -> None:
    row = row_of("one", "1", ["w"], [case("turns/a@w+plain", first)], day="")
    again = row_of("one", version, ["w"], [case("turns/a@w+plain", "pass")], day="")

    with pytest.raises(ValueError, match=problem):
        with_areas(row, again, ["turns"])
