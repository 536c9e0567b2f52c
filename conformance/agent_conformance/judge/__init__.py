"""Judging: from the transcripts of a case to its findings."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from agent_conformance.judge.case_evidence import CaseEvidence
from agent_conformance.judge.causes import findings, names_in
from agent_conformance.judge.expectations import expectations
from agent_conformance.judge.laws import broken_laws, law_of
from agent_conformance.judge.laws.ending import ANSWERS, SURVIVES
from agent_conformance.scenario.model import Scenario
from agent_conformance.transcripts.finding import Finding, ScenarioPlace, Subject, Trace
from agent_conformance.transcripts.transcript import Transcript

__all__ = ["judge_case"]

CRASHES = (ANSWERS.id, SURVIVES.id)
"""The laws that tell of a crash."""
LOG_LINES = 12
"""Of an agent's standard error or log, shown under a crash or a hang."""


def judge_case(
    scenario: Scenario,
    transcripts: Sequence[Transcript],
    *,
    wire: str,
    provider: str,
    features: frozenset[str],
    place: Callable[[Subject], ScenarioPlace],
) -> tuple[Finding, ...]:
    """The findings of one case over all its case runs; the same finding of two of them is one.

    `place` gives the lines of the scenario that a finding is about.
    """
    found: dict[Subject, Finding] = {}
    runs = [CaseEvidence(scenario, transcript, wire, features, provider) for transcript in transcripts]
    for evidence in runs:
        mismatches = [*broken_laws(evidence), *expectations(evidence)]
        for finding in findings(mismatches, names=names_in(evidence) if mismatches else ()):
            if finding.subject not in found:
                # The finding with what the transcript and the scenario add: the agent's log, how text was split,
                # where it is
                law = law_of(finding.subject)
                found[finding.subject] = replace(
                    finding,
                    log=_log_tail(finding, evidence.transcript) if law is not None and law.shows_log else "",
                    cut="" if evidence.transcript.split in ("provider", "whole") else evidence.transcript.split,
                    trace=_trace(finding, evidence.transcript),
                    scenario=place(finding.subject),
                )
    if runs[0].has("conversation") and runs[0].follow_up is None:
        _note_missing_follow_up(found)
    return tuple(found.values())


def _note_missing_follow_up(found: dict[Subject, Finding]) -> None:
    """Say, of the finding that ended the case, that no follow-up message was sent."""
    for subject, finding in found.items():
        if (law := law_of(subject)) is not None and law.may_end_case:
            found[subject] = replace(finding, not_checked=(SURVIVES.id,))
            return


def _trace(finding: Finding, transcript: Transcript) -> Trace | None:
    """That of the crash which the finding reports. Where the crash only follows from it, nothing is shown in brief."""
    for record in transcript.turns:
        if record.trace is not None and any(record.failure in text for text in finding.evidence):
            return record.trace
        if record.trace is not None and any(one.subject.law in CRASHES for one in finding.consequences):
            return replace(record.trace, brief="")
    return None


def _log_tail(finding: Finding, transcript: Transcript) -> str:
    """The end of the standard error of the agent's process, unless the finding already has it."""
    tail = next((record.log_tail for record in transcript.turns if record.log_tail), "").strip()
    traces = [record.trace.whole for record in transcript.turns if record.trace is not None]
    is_known = any(tail in text for text in (*finding.evidence, *traces))
    return "" if is_known else "\n".join(tail.splitlines()[-LOG_LINES:])
