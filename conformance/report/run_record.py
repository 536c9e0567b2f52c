"""The case reports of a run, gathered in the process that prints: counts, causes, what to write. The same with and
without xdist.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conformance.report.case_report import JUDGED, BrokenFile, CaseOutcome, CaseReport, FindingState, SnapshotState
from conformance.report.snapshot_file import Recording


@dataclass(slots=True)
class RunRecord:
    """The reports by case id, the scenario files that are broken, and files that are no scenarios."""

    reports: dict[str, CaseReport] = field(default_factory=dict)
    broken: set[BrokenFile] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)

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
    def has_errors(self) -> bool:
        return bool(self.broken) or self.count("error") > 0

    def causes(self, state: FindingState) -> list[tuple[str, list[str]]]:
        """Each cause of findings in this state with its cases, the most frequent first."""
        cases: dict[str, list[str]] = {}
        for report in self.cases:
            for cause in dict.fromkeys(finding.cause for finding in report.findings if finding.state == state):
                cases.setdefault(cause, []).append(report.case)
        return sorted(cases.items(), key=lambda item: (-len(item[1]), item[0]))

    def unverified(self) -> list[tuple[str, int]]:
        """What was missing, or why a case did not apply, with the number of cases; one case may count twice."""
        reasons = Counter(
            reason
            for report in self.with_outcome("not-verified")
            for reason in (report.missing or [report.reason.partition("\n")[0]])
        )
        return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))

    def snapshots(self, state: SnapshotState) -> list[str]:
        return [report.case for report in self.cases if report.snapshot == state]

    def unused_snapshots(self) -> list[str]:
        """Recordings of cases that are not verified any more, or of examples that their scenario no longer has."""
        vanished = {f"{report.scenario}{name}" for report in self.reports.values() for name in report.vanished}
        return sorted({*self.snapshots("unused"), *vanished})

    def foreign_hosts(self) -> list[tuple[str, int]]:
        hosts = Counter(host for report in self.reports.values() for host in report.foreign_hosts)
        return sorted(hosts.items())

    def findings(self, states: Iterable[FindingState]) -> dict[str, list[str]]:
        """The finding ids in these states of every case that was judged, empty where there are none."""
        wanted = set(states)
        return {
            report.case: [finding.id for finding in report.findings if finding.state in wanted]
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
