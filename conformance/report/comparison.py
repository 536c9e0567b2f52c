"""From the verdict on a case to what pytest is told: which findings are new, known, advice; what the baseline and the
snapshot say. Knows no node and no report.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from conformance.record.finding import Finding, Level, Verdict
from conformance.report.baseline import UNEXPLAINED, Entry
from conformance.report.snapshots import BrokenSnapshot, Comparison, Snapshots, name_of, plain
from conformance.scenario.cases import Case


@dataclass(frozen=True, slots=True)
class MutantResult:
    """A verdict read in the light of the options.

    `known` pairs a finding with its entry, which is None while the baseline is being written. `expired` are entries
    whose day has passed: their findings are in `new`. `stale` are entries whose finding did not occur.
    """

    verdict: Verdict
    new: tuple[Finding, ...] = ()
    known: tuple[tuple[Finding, Entry | None], ...] = ()
    advice: tuple[Finding, ...] = ()
    expired: tuple[Entry, ...] = ()
    stale: tuple[Entry, ...] = ()
    snapshot: Comparison | None = None

    @property
    def outcome(self) -> str:
        """`known` is a case all of whose failing findings are in the baseline; `stale` fails for entries alone."""
        if self.verdict.outcome in ("error", "not-verified"):
            return self.verdict.outcome
        if self.new:
            return "fail"
        if self.stale:
            return "stale"
        return "known" if self.known else "pass"


@dataclass(frozen=True, slots=True)
class Grader:
    """What verdicts are held against. With `freeze`, the baseline is being written: nothing is new or stale."""

    level: Level
    snapshots: Snapshots
    today: date
    entries: Mapping[str, list[Entry]] = field(default_factory=dict)
    freeze: bool = False
    recording: bool = False

    def grade(self, case: Case, verdict: Verdict) -> MutantResult:
        if verdict.outcome in ("error", "not-verified"):
            return MutantResult(verdict)
        entries = self._entries(case)
        try:
            compared = self.snapshots.compare(case, verdict.narrative)
        except BrokenSnapshot as broken:
            if not self.recording:
                return MutantResult(replace(verdict, outcome="error", reason=str(broken)))
            compared = Comparison("new")
        failing = verdict.at_level(self.level)
        advice = tuple(finding for finding in verdict.findings if finding not in failing)
        if compared.state == "changed" and not self.recording:
            failing = _with_snapshot(failing, compared, entries)
        return self._graded(verdict, failing, advice, entries=entries, compared=compared)

    def _graded(
        self,
        verdict: Verdict,
        failing: tuple[Finding, ...],
        advice: tuple[Finding, ...],
        *,
        entries: dict[str, Entry],
        compared: Comparison,
    ) -> MutantResult:
        valid = {entry.id: entry for entry in entries.values() if not entry.expired(self.today)}
        expired = [entry for entry in entries.values() if entry.id not in valid]
        new = tuple(finding for finding in failing if finding.id not in valid)
        if self.freeze:
            new = tuple(finding for finding in new if finding.id in entries)
        seen = {finding.id for finding in (*failing, *advice)}
        stale = tuple(entry for entry in entries.values() if entry.id not in seen)
        return MutantResult(
            verdict,
            new=new,
            known=tuple((f, valid.get(f.id)) for f in failing if f not in new),
            advice=advice,
            expired=tuple(entry for entry in expired if entry.id in seen),
            # A new finding may hide a known one behind it: what it hides is not stale yet.
            stale=() if new or self.freeze else stale,
            snapshot=compared,
        )

    def _entries(self, case: Case) -> dict[str, Entry]:
        if not self.entries:
            return {}
        return {entry.id: entry for name in former_ids(case) for entry in self.entries.get(name, ())}


def former_ids(case: Case) -> list[str]:
    """The case's id under its scenario's old names and, last, the one it has now."""
    rest = case.id.removeprefix(case.file.id)
    return [*(f"{old}{rest}" for old in case.scenario.formerly), case.id]


def _with_snapshot(
    failing: tuple[Finding, ...], compared: Comparison, entries: Mapping[str, Entry]
) -> tuple[Finding, ...]:
    """A changed transcript is a finding of its own, unless it follows from one that is not known."""
    for index, finding in enumerate(failing):
        if finding.id not in entries:
            told = replace(finding, consequences=(*finding.consequences, "snapshot: differs"))
            return (*failing[:index], told, *failing[index + 1 :])
    facts = (
        ("at", compared.place),
        ("expected", "the transcript as it was recorded"),
        ("diff", compared.diff),
        ("accept", "the same command with --snapshot-update"),
    )
    return (*failing, Finding("snapshot", "must", "snapshot", facts))


def report_data(case: Case, grade: MutantResult, grader: Grader) -> dict[str, Any]:
    """The grade as plain data, so that it crosses from an xdist worker to the controller unchanged."""
    verdict = grade.verdict
    states = [
        *((finding, "new") for finding in grade.new),
        *((finding, "known") for finding, _ in grade.known),
        *((finding, "advice") for finding in grade.advice),
    ]
    return {
        "case": case.id,
        "scenario": case.file.id,
        "former": former_ids(case)[:-1],
        "outcome": grade.outcome,
        "reason": plain(verdict.reason),
        "missing": sorted(case.missing),
        "findings": [
            {"id": plain(finding.id), "cause": plain(finding.cause), "level": finding.level, "state": state}
            for finding, state in states
        ],
        "unexplained": sum(entry is None or entry.reason == UNEXPLAINED for _, entry in grade.known),
        "stale": [entry.finding for entry in grade.stale],
        "expired": [entry.finding for entry in grade.expired],
        "snapshot": grade.snapshot.state if grade.snapshot else _unused(case, grade, grader),
        "recorded": _recorded(case, grade) if grader.recording else None,
        "vanished": _vanished(case, grader),
        "foreign": [plain(host) for host in verdict.foreign_hosts],
        "requests": verdict.requests,
        "executions": verdict.executions,
    }


def _recorded(case: Case, grade: MutantResult) -> dict[str, str] | None:
    if grade.snapshot is None or grade.snapshot.state == "same":
        return None
    return {"digest": case.file.digest, "text": plain(grade.verdict.narrative)}


def _unused(case: Case, grade: MutantResult, grader: Grader) -> str:
    """A recording of a case that is not verified any more is used by nobody."""
    try:
        recorded = name_of(case.id, case.file.id) in grader.snapshots.recorded(case.file.id)
    except BrokenSnapshot:
        recorded = False
    return "unused" if recorded and grade.outcome == "not-verified" else "none"


def _vanished(case: Case, grader: Grader) -> list[str]:
    try:
        return list(grader.snapshots.vanished(case.file.id, case.file.rows))
    except BrokenSnapshot:
        return []
