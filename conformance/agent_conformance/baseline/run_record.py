"""The case reports of a run, gathered in the process that prints: counts, causes, what to write. The same with and
without xdist.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct, field

from agent_conformance.baseline.case_report import (
    JUDGED,
    BrokenFile,
    CaseOutcome,
    CaseReport,
    FindingState,
    ReportedFinding,
    SnapshotState,
)
from agent_conformance.baseline.judged_cases_file import Fewer
from agent_conformance.baseline.snapshot_file import Recording
from agent_conformance.judge.causes import harm_of
from agent_conformance.judge.laws.law import Harm
from agent_conformance.transcripts.finding import REFUSED, FindingKind, Root, root_of


class CauseCases(Struct, frozen=True):
    """What findings of several cases have in common, with their cases, and the rule if it is one."""

    label: str
    cases: tuple[str, ...]
    rule: str
    harm: Harm
    flaky: int
    """In how many of the cases it came in one of two runs."""


class RunRecord(Struct):
    """The reports by case id, the scenario files that are broken, and files that are no scenarios."""

    reports: dict[str, CaseReport] = field(default_factory=dict)
    broken: set[BrokenFile] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    stray_exits: list[str] = field(default_factory=list)
    """What wanted to end the process between two cases: a fault of the agent that belongs to no case."""

    failures: list[str] = field(default_factory=list)
    """Errors of the suite itself that belong to no case."""

    gave_up: str = ""
    """Why the rest was not run, where no case had a verdict."""

    not_undone: list[str] = field(default_factory=list)
    """Steps of the end of the run that failed: no verdict depends on them."""

    fewer: Fewer = field(default_factory=Fewer)
    """What the baseline says was judged, and is no longer; nothing where that is accepted."""

    in_part: str = ""
    """Where options chose a part of the cases: of how many, as the baseline says."""

    relations: tuple[str, ...] = ()
    """The relations that the run checks."""

    selected: int = 0
    """The cases that were to run."""

    removed: int = 0
    """The cases that a plugin or a conftest has removed, with or without a word to pytest."""

    was_stopped: bool = False
    """Whether the run ended before its last case, by the user or by an option."""

    def add(self, report: CaseReport) -> None:
        """A case that runs again (with a retry plugin, say) counts as it ended."""
        self.reports[report.case] = report

    @property
    def cases(self) -> list[CaseReport]:
        """In order of id: workers report in any order."""
        return [self.reports[case] for case in sorted(self.reports)]

    def count(self, *outcomes: CaseOutcome) -> int:
        return sum(report.outcome in outcomes for report in self.reports.values())

    def with_outcome(self, *outcomes: CaseOutcome) -> Iterator[CaseReport]:
        return (report for report in self.cases if report.outcome in outcomes)

    @property
    def judged(self) -> int:
        """How many cases have a verdict on the agent."""
        return self.count(*JUDGED)

    @property
    def not_run(self) -> int:
        """How many of the selected cases have no report."""
        return max(0, self.selected - len(self.reports))

    @property
    def has_errors(self) -> bool:
        return bool(self.broken or self.stray_exits or self.failures) or self.count("error") > 0

    def causes(self, state: FindingState) -> list[CauseCases]:
        """Each cause of findings in this state, the most harmful first, then the most frequent.

        Findings of one law differ in where the agent crashed, or in what they say; those of one rule in the field.
        """
        return self._grouped(lambda finding: finding.state == state)

    @property
    def new_findings(self) -> Iterator[tuple[str, ReportedFinding]]:
        """Each with its case."""
        return ((case.case, finding) for case in self.cases for finding in case.findings if finding.state == "new")

    @property
    def first_new(self) -> CaseReport | None:
        """The first case of the first cause of new findings."""
        return next((self.reports[cause.cases[0]] for cause in self.causes("new")), None)

    def flaky(self, state: FindingState) -> set[str]:
        """The findings in this state that come and go, `<case id>#<finding id>`."""
        cases = self.reports.values()
        return {f"{case.case}#{f.id}" for case in cases for f in case.findings if f.state == state and f.is_flaky}

    def early_ends(self) -> list[CauseCases]:
        """What ended cases, so that nothing after it was judged."""
        return self._grouped(lambda finding: finding.ends_case)

    def tolerated(self) -> set[str]:
        """The rules that were broken and tolerated."""
        return {finding.code for report in self.reports.values() for finding in report.findings if finding.is_tolerated}

    def known_by_wide(self) -> set[str]:
        """The entries about many findings that were met, by what they name."""
        return {finding.entry for report in self.reports.values() for finding in report.findings if finding.entry}

    def _grouped(self, chosen: Callable[[ReportedFinding], bool]) -> list[CauseCases]:
        causes: dict[Root, list[tuple[str, ReportedFinding]]] = {}
        for report in self.cases:
            for finding in filter(chosen, report.findings):
                causes.setdefault(root_of(finding.code, finding.detail), []).append((report.case, finding))
        led = [sorted(found, key=lambda one: one[1].kind != "rule") for found in causes.values()]
        details = Counter(found[0][1].code for found in led)
        rows = []
        for found in led:
            _, first = found[0]
            name = label(first.kind, first.code, first.detail, details[first.code])
            rule = first.code if first.kind == "rule" else ""
            flaky = {case for case, finding in found if finding.is_flaky and finding.state == "new"}
            cases = tuple(dict.fromkeys(case for case, _ in found))
            rows.append(CauseCases(name, cases, rule, harm_of(first.kind, first.code, first.detail), len(flaky)))
        return sorted(rows, key=lambda row: (row.harm, -len(row.cases), row.label))

    def unverified(self) -> list[tuple[str, int]]:
        """What was missing, or why a case did not apply, with the number of cases; one case may count twice."""
        reasons = Counter(
            reason for report in self.with_outcome("not-verified") for reason in (report.missing or [report.why])
        )
        return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))

    def snapshots(self, state: SnapshotState) -> list[str]:
        return [report.case for report in self.cases if report.snapshot == state]

    def recorded(self, *, writes: bool) -> int:
        """How many cases have a recording, or have one when the run has written them."""
        states = ("same", "changed", "re-record", *(("new", "earlier") if writes else ()))
        return sum(report.snapshot in states for report in self.reports.values())

    def unused_snapshots(self) -> list[str]:
        """Recordings of cases that are not verified any more, or of examples that their scenario no longer has."""
        vanished = {f"{report.scenario}{name}" for report in self.reports.values() for name in report.vanished}
        return sorted({*self.snapshots("unused"), *vanished})

    def foreign_hosts(self) -> list[tuple[str, int]]:
        hosts = Counter(host for report in self.reports.values() for host in report.foreign_hosts)
        return sorted(hosts.items())

    def left_running(self) -> list[tuple[str, int]]:
        """Programs that agents have left running, by the number of cases."""
        programs = Counter(program for report in self.reports.values() for program in set(report.left_running))
        return sorted(programs.items())

    def findings(self, states: Iterable[FindingState]) -> dict[str, list[str]]:
        """The finding ids in these states of every case that was judged, empty where there are none."""
        wanted = set(states)
        return {
            report.case: [f.id for f in report.findings if f.state in wanted and not (f.is_tolerated or f.entry)]
            for report in self.with_outcome(*JUDGED)
        }

    def former_ids(self) -> dict[str, str]:
        """Old case ids with the ones they have now."""
        return {old: report.case for report in self.reports.values() for old in report.former_ids}

    def recordings(self) -> dict[str, dict[str, Recording]]:
        """What is to be written as snapshots: by scenario, then by case."""
        written: dict[str, dict[str, Recording]] = {}
        for report in self.reports.values():
            if report.recording:
                written.setdefault(report.scenario, {})[report.case] = report.recording
        return written

    def vanished(self) -> dict[str, set[str]]:
        gone: dict[str, set[str]] = {}
        for report in self.reports.values():
            if report.vanished:
                gone.setdefault(report.scenario, set()).update(report.vanished)
        return gone


def label(kind: FindingKind, code: str, detail: str, details: int) -> str:
    """A rule alone where all its findings are about one field; a law always with what it found."""
    if kind == "rule":
        return f"{code} at {detail}" if detail and details > 1 else code
    if detail.startswith(REFUSED):
        detail = detail.partition(" at ")[0]
    return f"{code}: {detail}" if detail else code
