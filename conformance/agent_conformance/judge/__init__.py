"""Judging: from the transcripts of a case to its findings."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from agent_conformance.judge.causes import findings
from agent_conformance.judge.common_ground import names_in
from agent_conformance.judge.evidence import CaseEvidence
from agent_conformance.judge.expectations import expectations
from agent_conformance.judge.laws import broken_laws, law_of
from agent_conformance.judge.laws.ending import ANSWERS, SURVIVES
from agent_conformance.record.finding import Finding, Trace
from agent_conformance.record.transcript import Transcript
from agent_conformance.scenario.model import Scenario

__all__ = ["judge_case"]

LOG_LINES = 12
"""Of an agent's standard error or log, shown under a crash or a hang."""


def judge_case(
    scenario: Scenario,
    transcripts: Sequence[Transcript],
    *,
    wire: str,
    provider: str,
    features: frozenset[str],
    source: Callable[[], str],
) -> tuple[Finding, ...]:
    """The findings of one case over all its case runs; the same finding of two of them is one.

    `source` gives the line that documents the scenario, put under each finding.
    """
    found: dict[str, Finding] = {}
    runs = [CaseEvidence(scenario, transcript, wire, features, provider) for transcript in transcripts]
    for evidence in runs:
        mismatches = [*broken_laws(evidence), *expectations(evidence)]
        for finding in findings(mismatches, names=names_in(evidence) if mismatches else ()):
            if finding.id not in found:
                found[finding.id] = _with_facts(finding, evidence.transcript, source())
    if runs[0].has("conversation") and runs[0].follow_up is None:
        _note_missing_follow_up(found)
    return tuple(found.values())


def _note_missing_follow_up(found: dict[str, Finding]) -> None:
    """Say, under the finding that ended the case, that no follow-up message was sent."""
    for name, finding in found.items():
        if (law := law_of(finding.id)) is not None and law.may_end_case:
            found[name] = replace(finding, not_checked=("survives",))
            return


def _with_facts(finding: Finding, transcript: Transcript, source: str) -> Finding:
    """The finding with what the transcript and the scenario add: the agent's log, how text was split, the source."""
    facts = list(finding.facts)
    law = law_of(finding.id)
    if law is not None and law.shows_log and (log := _log_tail(finding, transcript)):
        facts.append(("stderr", log))
    cut = "" if transcript.split in ("provider", "whole") else transcript.split
    if cut:
        facts.append(("stream", f"text cut: {cut}"))
    if source:
        facts.append(("source", source))
    return replace(finding, facts=tuple(facts), trace=_trace(finding, transcript), cut=cut)


def _trace(finding: Finding, transcript: Transcript) -> Trace | None:
    """That of the crash which the finding reports. Where the crash only follows from it, nothing is shown in brief."""
    for record in transcript.turns:
        if record.trace is not None and any(record.failure in value for _, value in finding.facts):
            return record.trace
        if record.trace is not None and any(_names_crash(text) for text in finding.consequences):
            return replace(record.trace, brief="")
    return None


def _names_crash(consequence: str) -> bool:
    return consequence.partition(":")[0] in (ANSWERS.id, SURVIVES.id)


def _log_tail(finding: Finding, transcript: Transcript) -> str:
    """The end of the standard error of the agent's process, unless the finding already has it."""
    tail = next((record.log_tail for record in transcript.turns if record.log_tail), "").strip()
    traces = [record.trace.whole for record in transcript.turns if record.trace is not None]
    is_known = any(tail in value for value in (*(value for _, value in finding.facts), *traces))
    return "" if is_known else "\n".join(tail.splitlines()[-LOG_LINES:])
