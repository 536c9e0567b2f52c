"""A case report crosses from a worker to the process that prints, and is the same there."""

import json

from agent_conformance.baseline.case_report import BrokenFile, CaseReport, ReportedFinding
from agent_conformance.baseline.snapshot_file import Recording

FULL = CaseReport(
    case="history/x[row]@openai-chat+plain",
    scenario="history/x",
    outcome="fail",
    former_ids=("history/old[row]@openai-chat+plain",),
    reason="",
    missing=("wire a", "wire b"),
    findings=(
        ReportedFinding("1.reply", "expectation", "reply", "must", "new"),
        ReportedFinding("paired", "law", "paired", "must", "known"),
    ),
    unexplained=1,
    stale=("history/x#asked",),
    snapshot="changed",
    recording=Recording("3f2a", "turn 1\n  user: Hello."),
    vanished=("[gone]@openai-chat+plain",),
    foreign_hosts=("example.org:443",),
    left_running=("sleep 600",),
    headline="#1.reply the reply \\ud800",
    rerun="pytest --agent=m:A 'history/x[row]@openai-chat+plain'",
)


def test_report_is_the_same_after_the_way_through_json() -> None:
    least = CaseReport("history/x@openai-chat+plain", "history/x", "pass")

    assert CaseReport.from_json(FULL.to_json()) == FULL
    assert CaseReport.from_json(least.to_json()) == least


def test_what_crosses_is_plain_data_of_every_field() -> None:
    assert set(json.loads(FULL.to_json())) == set(CaseReport.__slots__)


def test_file_that_two_workers_found_broken_is_one() -> None:
    broken = BrokenFile("scenarios/a/b.yaml", "line 1: no `profile`")

    assert BrokenFile.from_json(broken.to_json()).headline == broken.headline
    assert len({broken, BrokenFile("scenarios/a/b.yaml")}) == 1
