"""Findings of one bug are one cause in the terminal, in the summary, on the page and in SARIF; those of two are two."""

import json
from typing import Any

import pytest

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.baseline.case_report import CaseReport, ReportedFinding
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.commands.explain import rule_of_finding
from agent_conformance.pytest.terminal import failure_groups
from agent_conformance.report_data.encoding import encoded
from agent_conformance.report_data.folder import sarif
from agent_conformance.report_data.model import FindingResult, Results
from agent_conformance.report_data.summary import causes
from tests.report_data.made import case, finding, results

REFUSED = "its request was refused by openai/content-null"
NULL = "messages[].content"


def crash(id: str, line: int = 187) -> Any:
    got = f"IndexError: list index out of range at shop.py:{line}"
    origin = CodePlace("shop.py", line)
    trace = f"shop.py:{line} in ask: line {line}"
    return finding(id, detail=f"crash at shop.py:{line}", origin=origin, facts=(("got", got),), trace=trace)


def blank(before: str) -> Any:
    return finding("answers", detail=f'the reply "", {before}')


ONE = {
    "a crash under three demands": ("crash at shop.py:187", crash("answers"), crash("survives"), crash("1.outcome")),
    "a refusal and its late effects": (
        "openai/content-null",
        finding("survives", detail=f"{REFUSED} at {NULL}"),
        finding("2.outcome", detail=f"{REFUSED} at {NULL}"),
        finding("accepted:openai/content-null", detail=NULL),
    ),
    "late effects alone": (REFUSED, finding("survives", detail=REFUSED), finding("1.outcome", detail=REFUSED)),
}
TWO = {
    "two lines": (crash("answers", 187), crash("answers", 188)),
    "a crash and a raised error": (crash("answers"), finding("survives", detail="error: GaveUp")),
    "two fields": (
        finding("accepted:openai/content-null", detail=NULL),
        finding("survives", detail=f"{REFUSED} at messages[].content[].text"),
    ),
    "two rules": (finding("accepted:openai/tools-empty", detail="tools"), finding("survives", detail=REFUSED)),
    "blank after two things": (blank("after a filter"), blank("after an empty answer")),
}


def in_cases(*found: FindingResult) -> dict[str, FindingResult]:
    """Each in a case of its own, by the case's id."""
    return {f"history/c{number}@openai-chat+plain": one for number, one in enumerate(found)}


def record_of(named: dict[str, FindingResult]) -> RunRecord:
    record = RunRecord()
    for id, one in named.items():
        reported = ReportedFinding(one.id, one.kind, one.cause, one.level, "new", one.detail)
        record.add(CaseReport(id, "history/c", "fail", findings=(reported,)))
    return record


def labels(*found: FindingResult) -> tuple[list[str], list[str], list[str]]:
    """The causes of these findings in the report, in the terminal, and in SARIF."""
    named = in_cases(*found)
    run = results(*(case(id, "fail", findings=(one,)) for id, one in named.items()))
    record = record_of(named)
    alerts = [one["partialFingerprints"]["cause/v2"] for one in json.loads(sarif(run))["runs"][0]["results"]]
    return [cause.label for cause in causes(run)], [cause.label for cause in record.causes("new")], alerts


@pytest.mark.parametrize("name", ONE)
def test_one_bug_is_one_cause_whatever_it_breaks(name: str) -> None:
    label, *found = ONE[name]

    for order in (found, found[::-1]):
        report, terminal, alerts = labels(*order)
        assert report == terminal
        assert len(report) == len(alerts) == 1
        assert label in report[0]


@pytest.mark.parametrize("name", TWO)
def test_two_bugs_are_two_causes(name: str) -> None:
    report, terminal, alerts = labels(*TWO[name])

    assert report == terminal
    assert len(set(report)) == len(set(alerts)) == 2


def test_case_that_is_shown_in_full_is_the_one_that_the_summary_names() -> None:
    named = in_cases(*ONE["a refusal and its late effects"][1:])
    record = record_of(named)

    (cause,) = record.causes("new")
    assert (cause.cases[0], list(failure_groups(record, named))) == (list(named)[2], [list(named)[2]])


def test_alert_stays_the_same_whichever_demand_shows_the_crash_first() -> None:
    assert labels(crash("answers"))[2] == labels(crash("1.outcome"))[2] != labels(crash("answers", 12))[2]


def test_explanation_of_a_refused_turn_is_that_of_its_rule(tmp_path: Any, capsys: Any) -> None:
    late = finding("survives", detail=f"{REFUSED} at {NULL}")
    run: Results = results(case("a/x@openai-chat+plain", "fail", findings=(late,)), case("a/y@openai-chat+plain"))
    (tmp_path / "results.json").write_bytes(encoded(run))

    assert rule_of_finding("a/x@openai-chat+plain#survives", tmp_path) == "a/x@openai-chat+plain#openai/content-null"
    for other in ("a/y@openai-chat+plain#survives", "a/x@openai-chat+plain#answers", "survives"):
        assert rule_of_finding(other, tmp_path) == other
    assert rule_of_finding("a/x@openai-chat+plain#survives", tmp_path / "none") == "a/x@openai-chat+plain#survives"
    assert "none" in capsys.readouterr().err
