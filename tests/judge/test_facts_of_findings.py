"""What is put under a finding beside what was expected: the agent's log, how text was cut, the scenario, the trace."""

from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of, finding_rows
from agent_conformance.judge import judge_case
from agent_conformance.scenario.model import Scenario, Turn
from agent_conformance.transcripts.finding import Finding, ScenarioPlace, Trace
from agent_conformance.transcripts.transcript import Transcript, TurnRecord

SCENARIO = Scenario.read(
    {"description": "a turn ends", "profile": "core", "conversation": [{"user": "Hello.", "model": []}]}
)
PLACE = ScenarioPlace("scenarios/a.yaml", 3)
LOG = "\n".join(f"line {number}" for number in range(1, 16))


def record(**fields: Any) -> TurnRecord:
    return TurnRecord(1, Turn.read({"user": "Hello.", "model": []}), **fields)


def found(*transcripts: Transcript, features: frozenset[str] = frozenset()) -> tuple[Finding, ...]:
    return judge_case(
        SCENARIO, transcripts, wire="openai-chat", provider="openai", features=features, place=lambda subject: PLACE
    )


def crashed(split: Any = "provider", failure: str = "KeyError: 'x'", **fields: Any) -> Transcript:
    return Transcript(split, [record(outcome="crash", failure=failure, **fields)])


def facts(transcript: Transcript) -> dict[str, str]:
    (finding,) = found(transcript)
    assert finding.id == "answers"
    return dict(facts_of(finding))


def test_end_of_the_log_stands_under_a_crash() -> None:
    shown = "\n".join(f"line {number}" for number in range(4, 16))

    assert facts(crashed(log_tail=f"\n{LOG}\n"))["stderr"] == shown
    assert facts(crashed(log_tail="line 1"))["stderr"] == "line 1"
    assert "stderr" not in facts(crashed())


def test_log_that_the_finding_has_already_is_not_shown_again() -> None:
    trace = Trace(brief="", whole=f"Traceback\n{LOG}\nKeyError")

    assert "stderr" not in facts(crashed(failure="exit 1: line 1", log_tail="line 1\n"))
    assert "stderr" not in facts(crashed(log_tail=LOG, trace=trace))


def test_log_stands_under_no_finding_that_it_says_nothing_of() -> None:
    blank = Transcript("provider", [record(outcome="reply", own_reply="Hello."), *crashed(log_tail=LOG).turns])
    shown = {finding.id: "stderr" in dict(facts_of(finding)) for finding in found(blank)}

    assert shown == {"answers": True}


@pytest.mark.parametrize(
    ("split", "said"), [("provider", None), ("whole", None), ("characters", "text cut: characters")]
)
def test_cut_of_a_stream_is_said_where_it_is_not_the_providers(split: str, said: str | None) -> None:
    (finding,) = found(crashed(split))

    assert dict(facts_of(finding)).get("stream") == said
    assert finding.cut == ("characters" if said else "")


def test_line_that_documents_the_scenario_is_the_last_fact() -> None:
    (finding,) = found(crashed(log_tail="line 1"))

    _, *rows = finding_rows("a", finding)
    assert [row.label for row in rows] == ["at", "expected", "got", "stderr", "source"]
    assert rows[-1].value == "scenarios/a.yaml:3"


def test_same_finding_of_two_runs_is_one_and_the_first() -> None:
    (finding,) = found(crashed("whole"), crashed("characters", failure="ValueError"))

    assert (finding.id, finding.cut) == ("answers", "")
    assert "KeyError" in dict(facts_of(finding))["got"]


def test_what_no_follow_up_was_sent_for_is_not_checked() -> None:
    (with_more,) = found(crashed(), features=frozenset({"conversation"}))
    (without,) = found(crashed())

    assert (with_more.not_checked, without.not_checked) == (("survives",), ())


def test_crash_that_the_finding_reports_has_its_trace() -> None:
    trace = Trace(brief="agent.py:7", whole="Traceback")
    (finding,) = found(crashed(trace=trace))

    assert finding.trace == trace
