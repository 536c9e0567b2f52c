"""A verdict compared with the baseline and the snapshot: which findings are new, known, advice."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from typing import get_args

from msgspec import Struct, field
from msgspec.structs import replace

from agent_conformance.baseline.baseline import UNEXPLAINED, Entry, checks_relation
from agent_conformance.baseline.case_report import CaseOutcome, CaseReport, FindingState, ReportedFinding, SnapshotState
from agent_conformance.baseline.snapshot_changes import (
    BrokenSnapshot,
    ForeignSnapshot,
    plain,
    scrub_example,
    shared_words,
)
from agent_conformance.baseline.snapshot_file import Recording
from agent_conformance.baseline.snapshots import SnapshotComparison, Snapshots, kept_text, name_of
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import LawId
from agent_conformance.scenario.versions import CorpusVersion
from agent_conformance.transcripts.finding import SNAPSHOT, Consequence, Finding, Level, Subject, Verdict

LAW_IDS = frozenset(get_args(LawId))


class CaseResult(Struct, frozen=True):
    """A verdict, and what the baseline and the snapshot say of it.

    `known` pairs a finding with its entry, which is None while the baseline is being written. `expired` are entries
    whose day has passed: their findings are in `new`. `stale` are entries whose finding did not occur.
    """

    verdict: Verdict
    new: tuple[Finding, ...] = ()
    known: tuple[tuple[Finding, Entry | None], ...] = ()
    advice: tuple[Finding, ...] = ()
    expired: tuple[Entry, ...] = ()
    stale: tuple[Entry, ...] = ()
    snapshot: SnapshotComparison | None = None
    by_wide: Mapping[str, str] = field(default_factory=dict)
    """Ids of findings that an entry about many is about, and none of their own, with what that entry names."""
    later: tuple[Finding, ...] = ()
    not_scored: str = ""
    """Why the case does not count: what happened to it since the version that was chosen."""
    away: tuple[Entry, ...] = ()
    """Flaky entries whose findings did not occur."""
    unsteady: tuple[Entry, ...] = ()
    """Other entries whose findings occurred in the second run alone."""

    @property
    def outcome(self) -> CaseOutcome:
        """`known` is a case all of whose failing findings are in the baseline; `stale` fails for entries alone."""
        if self.not_scored:
            return "not-scored"
        if self.verdict.outcome in ("error", "not-verified"):
            return self.verdict.outcome
        if self.new:
            return "fail"
        if self.stale:
            return "stale"
        return "known" if self.known else "pass"

    @property
    def findings(self) -> Iterator[tuple[FindingState, Finding]]:
        """All of them, each with its state."""
        states: tuple[tuple[FindingState, Iterable[Finding]], ...] = (
            ("new", self.new),
            ("known", (finding for finding, _ in self.known)),
            ("advice", self.advice),
            ("later", self.later),
        )
        return ((state, finding) for state, findings in states for finding in findings)

    @property
    def needs_second_run(self) -> bool:
        """Whether a finding is new or gone, so that a second run tells what comes and goes.

        A relation is checked by second runs already.
        """
        unknown = (*self.new, *(finding for finding, entry in self.known if entry is None))
        return any(not finding.subject.relation for finding in unknown) or (not self.new and bool(self.stale))

    def beside(self, second: "CaseResult") -> "CaseResult":
        """The result with what is other in a second run. One without a verdict says nothing."""
        if second.verdict.outcome in ("error", "not-verified"):
            return self
        found = [finding for _, finding in second.findings]
        seen = {finding.id for finding in found}
        seen |= {consequence.subject.id for finding in found for consequence in finding.consequences}
        expired = {entry.id for entry in self.expired}

        def told(finding: Finding) -> Finding:
            is_steady = finding.id in seen or finding.id in expired or finding.subject.relation
            return finding if is_steady else replace(finding, is_flaky=True)

        return replace(
            self,
            new=tuple(map(told, self.new)),
            known=tuple((finding if entry else told(finding), entry) for finding, entry in self.known),
            stale=tuple(entry for entry in self.stale if entry.id not in seen),
            unsteady=tuple(entry for entry in self.stale if entry.id in seen),
        )


class VerdictComparer(Struct, frozen=True):
    """What verdicts are compared with. With `freeze`, the baseline is being written: nothing is new or stale.

    `tolerated` has, for each rule that this run tolerates, the entry that says why; `rules` those whose findings are
    known in all cases, and `wide` are entries by law, area or pattern. Of a `version` of the corpus only what it has
    counts.
    """

    level: Level
    snapshots: Snapshots
    today: date
    entries: Mapping[str, list[Entry]] = field(default_factory=dict)
    freeze: bool = False
    recording: bool = False
    tolerated: Mapping[str, Entry] = field(default_factory=dict)
    rules: Mapping[str, Entry] = field(default_factory=dict)
    wide: Collection[Entry] = ()
    version: CorpusVersion | None = None
    relations: Collection[str] = ()
    """The relations that this run checks."""

    def reads_narrative(self, case: Case) -> bool:
        """Whether `compare` looks at the narrative: one is recorded, or is being recorded."""
        return self.recording or self.snapshots.has_recorded(case)

    def compare(self, case: Case, verdict: Verdict) -> CaseResult:
        since = self.version.of_case(case) if self.version is not None else None
        if since is not None:
            return CaseResult(verdict, later=verdict.at_level(self.level), not_scored=since)
        if verdict.outcome in ("error", "not-verified"):
            return CaseResult(verdict)
        entries = self._entries(case, verdict)
        try:
            compared = self.snapshots.compare(case, verdict.narrative)
        except BrokenSnapshot as broken:
            if not self.recording or isinstance(broken, ForeignSnapshot):
                return CaseResult(replace(verdict, outcome="error", reason=str(broken)))
            compared = SnapshotComparison("new")
        at_level = verdict.at_level(self.level)
        failing = tuple(finding for finding in at_level if not self._is_later(finding))
        advice = tuple(finding for finding in verdict.findings if finding not in at_level)
        if compared.state == "changed" and not self.recording:
            known = {*entries, *self._by_wide(case.id, failing, entries)}
            known |= {finding.id for finding in failing if finding.code in self.tolerated}
            failing = _with_snapshot(failing, compared, known)
        result = self._result(verdict, failing, advice, entries=entries, compared=compared)
        return replace(result, later=tuple(finding for finding in at_level if self._is_later(finding)))

    def _is_later(self, finding: Finding) -> bool:
        """Whether it is about a law or a rule that the version does not have."""
        if self.version is None:
            return False
        subject = finding.subject
        if subject.law in LAW_IDS and subject.law not in self.version.laws:
            return True
        return bool(subject.rule) and subject.rule not in self.version.rules

    def _result(
        self,
        verdict: Verdict,
        failing: tuple[Finding, ...],
        advice: tuple[Finding, ...],
        *,
        entries: dict[str, Entry],
        compared: SnapshotComparison,
    ) -> CaseResult:
        by_wide = self._by_wide(verdict.case, failing, entries)
        given = entries | {id: replace(entry, finding=f"{verdict.case}#{id}") for id, entry in by_wide.items()}
        valid = {id: entry for id, entry in given.items() if not entry.expired(self.today)}
        expired = [entry for entry in given.values() if entry.expired(self.today)]
        valid |= {f.id: self.tolerated[f.code] for f in failing if f.code in self.tolerated and f.id not in valid}
        new = tuple(finding for finding in failing if finding.id not in valid)
        if self.freeze:
            new = tuple(finding for finding in new if finding.id in given)
        occurred = {finding.id for finding in (*failing, *advice)}
        absent = tuple(entry for entry in entries.values() if entry.id not in occurred)
        away = tuple(entry for entry in absent if entry.flaky and not entry.expired(self.today))
        # A finding that is new, or comes and goes, may hide a known one that follows: what it hides is not stale yet. A
        # snapshot hides nothing.
        is_hidden = any(finding.subject != SNAPSHOT for finding in new)
        is_hidden |= any(valid[finding.id].flaky for finding in failing if finding.id in valid)
        stale = () if self.freeze or is_hidden else tuple(entry for entry in absent if entry not in away)
        return CaseResult(
            verdict,
            new=new,
            known=tuple((f, valid.get(f.id)) for f in failing if f not in new),
            advice=advice,
            expired=tuple(entry for entry in expired if entry.id in occurred),
            stale=stale,
            snapshot=compared,
            by_wide={id: entry.finding for id, entry in by_wide.items()},
            away=away,
        )

    def _by_wide(self, case: str, failing: Iterable[Finding], entries: Collection[str]) -> dict[str, Entry]:
        """For each finding without an entry of its own that of its rule, else the first that covers it and is valid."""
        found: dict[str, Entry] = {}
        for finding in failing:
            if finding.id in entries or finding.code in self.tolerated:
                continue
            wide = [entry for entry in self.wide if entry.covers(case, finding.subject)]
            covering = [*([self.rules[finding.code]] if finding.code in self.rules else []), *wide]
            if covering:
                found[finding.id] = min(covering, key=lambda entry: entry.expired(self.today))
        return found

    def _entries(self, case: Case, verdict: Verdict) -> dict[str, Entry]:
        """The entries of this case whose findings could occur: what the run does not check is not stale."""
        if not self.entries:
            return {}
        found = {entry.id: entry for name in former_ids(case) for entry in self.entries.get(name, ())}
        others = [finding.subject for finding in verdict.at_level("must")]
        return {id: entry for id, entry in found.items() if self._could_occur(entry.subject.relation, others)}

    def _could_occur(self, relation: str, others: Iterable[Subject]) -> bool:
        return not relation or checks_relation(relation, relations=self.relations, others=others)


def former_ids(case: Case) -> list[str]:
    """The case's id under its scenario's old names and, last, the one it has now."""
    rest = case.id.removeprefix(case.file.id)
    return [*(f"{old}{rest}" for old in case.scenario.formerly), case.id]


def _with_snapshot(
    failing: tuple[Finding, ...],
    compared: SnapshotComparison,
    known: Collection[str],
) -> tuple[Finding, ...]:
    """A changed transcript is a finding, unless it is a consequence of one that is not known."""
    for index, finding in enumerate(failing):
        if finding.id not in known:
            changed = replace(finding, consequences=(*finding.consequences, Consequence(SNAPSHOT, "differs")))
            return (*failing[:index], changed, *failing[index + 1 :])
    return (*failing, snapshot_finding(compared))


def snapshot_finding(compared: SnapshotComparison) -> Finding:
    """The finding of a changed snapshot. Its detail groups the cases that one change of the agent altered alike."""
    first, *more = [change.words for change in compared.changes] or ["the transcript is another"]
    count = f"; and {len(more)} more change{'s' if len(more) > 1 else ''}" if more else ""
    return Finding(
        SNAPSHOT,
        "must",
        recorded=compared.place,
        got=f"{first}{count}",
        diff=compared.diff,
        scrub=scrub_example(compared.changes),
        detail=shared_words(compared.changes),
    )


def case_report(case: Case, result: CaseResult, comparer: VerdictComparer) -> CaseReport:
    """What of the result the process that prints needs."""
    verdict = result.verdict
    return CaseReport(
        case=case.id,
        scenario=case.file.id,
        outcome=result.outcome,
        former_ids=tuple(former_ids(case)[:-1]),
        reason=result.not_scored or plain(verdict.reason),
        missing=tuple(sorted(case.missing)),
        findings=tuple(_reported_findings(result, comparer)),
        unexplained=sum(
            entry is None or entry.reason == UNEXPLAINED
            for finding, entry in result.known
            if finding.code not in comparer.tolerated
        ),
        stale=tuple(entry.finding for entry in result.stale),
        snapshot=result.snapshot.state if result.snapshot else _unused(case, result, comparer),
        recording=_recording(case, result, comparer) if comparer.recording else None,
        vanished=_vanished(case, comparer),
        away=tuple(entry.finding for entry in result.away),
        unsteady=tuple(entry.finding for entry in result.unsteady),
        foreign_hosts=tuple(plain(host) for host in verdict.foreign_hosts),
        left_running=tuple(plain(program) for program in verdict.left_running),
    )


def _reported_findings(result: CaseResult, comparer: VerdictComparer) -> Iterator[ReportedFinding]:
    flaky = {finding.id for finding, entry in result.known if entry is not None and entry.flaky}
    for state, finding in result.findings:
        yield ReportedFinding(
            plain(finding.id),
            finding.subject.kind,
            plain(finding.code),
            finding.level,
            state,
            plain(finding.detail),
            finding.ends_case,
            finding.code in comparer.tolerated,
            result.by_wide.get(finding.id, ""),
            finding.is_flaky or finding.id in flaky,
        )


def _recording(case: Case, result: CaseResult, comparer: VerdictComparer) -> Recording | None:
    if result.snapshot is None:
        return None
    if result.snapshot.state == "same" and not comparer.snapshots.is_earlier(case.file.id):
        return None
    return Recording(case.file.digest, kept_text(result.verdict.narrative))


def _unused(case: Case, result: CaseResult, comparer: VerdictComparer) -> SnapshotState:
    """A recording of a case that is not verified any more is used by nobody."""
    try:
        recorded = name_of(case.id, case.file.id) in comparer.snapshots.recorded(case.file.id)
    except BrokenSnapshot:
        recorded = False
    return "unused" if recorded and result.outcome == "not-verified" else "none"


def _vanished(case: Case, comparer: VerdictComparer) -> tuple[str, ...]:
    try:
        return comparer.snapshots.vanished(case.file.id, case.file.rows)
    except BrokenSnapshot:
        return ()
