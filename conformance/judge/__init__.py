"""Judging: from what was seen in a case to its findings."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.judge.causes import findings
from conformance.judge.evidence import Evidence, Fault
from conformance.judge.expectations import expectations
from conformance.judge.laws import LAWS
from conformance.record.finding import Finding
from conformance.record.transcript import Transcript
from conformance.scenario.model import Scenario

__all__ = ["judge_case"]

LAST_LINES = 12
"""Of an agent's standard error, shown under a crash or a hang."""


def judge_case(
    scenario: Scenario,
    transcripts: Sequence[Transcript],
    *,
    wire: str,
    features: frozenset[str],
    source: Callable[[], str],
) -> tuple[Finding, ...]:
    """The findings of one case over all its performances; the same finding of two performances is one.

    `source` gives the line that documents the scenario, put under each finding.
    """
    found: dict[str, Finding] = {}
    for transcript in transcripts:
        evidence = Evidence(scenario, transcript, wire, features)
        for finding in findings(_faults(evidence)):
            if finding.id not in found:
                found[finding.id] = _located(finding, transcript, source())
    first = Evidence(scenario, transcripts[0], wire, features)
    if first.has("conversation") and first.survival is None:
        _note_not_asked(found)
    return tuple(found.values())


def _note_not_asked(found: dict[str, Finding]) -> None:
    """Tell, under the finding that ended the case, that nobody asked whether the conversation survives."""
    for name, finding in found.items():
        if finding.id.startswith("accepted:") or finding.id in ("answers", "bounded"):
            found[name] = replace(finding, consequences=(*finding.consequences, "survives: not asked"))
            return


def _faults(evidence: Evidence) -> list[Fault]:
    waived = evidence.scenario.waive
    faults = [fault for law in LAWS for fault in law(evidence)]
    kept = [fault for fault in faults if fault.id.split(":")[0] not in waived]
    return [*kept, *expectations(evidence)]


def _located(finding: Finding, transcript: Transcript, source: str) -> Finding:
    facts = list(finding.facts)
    if finding.id in ("answers", "survives") and (said := _last_words(finding, transcript)):
        facts.append(("stderr", said))
    if transcript.split not in ("provider", "whole"):
        facts.append(("stream", f"text cut: {transcript.split}"))
    if source:
        facts.append(("source", source))
    return replace(finding, facts=tuple(facts))


def _last_words(finding: Finding, transcript: Transcript) -> str:
    """The end of what the agent's process wrote to its standard error, where the finding does not show it already."""
    said = next((record.log_tail for record in transcript.turns if record.log_tail), "").strip()
    known = any(said in value for _, value in finding.facts)
    return "" if known else "\n".join(said.splitlines()[-LAST_LINES:])
