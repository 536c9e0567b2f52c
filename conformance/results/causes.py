"""Findings grouped by what they have in common. Knows results alone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.report.case_report import FindingState
from conformance.report.run_record import label
from conformance.results.model import CaseRecord, FindingResult, Results


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings of one cause in one state: `cases` are in order of their ids, and `first` is of the first of them."""

    label: str
    cases: tuple[CaseRecord, ...]
    first: FindingResult


def causes(results: Results, states: Iterable[FindingState] = ("new",)) -> list[Cause]:
    """The most frequent first."""
    wanted = set(states)
    found: dict[tuple[str, str], list[tuple[CaseRecord, FindingResult]]] = {}
    for case in results.cases:
        chosen = {
            (finding.cause, finding.detail): finding for finding in reversed(case.findings) if finding.state in wanted
        }
        for key, finding in reversed(chosen.items()):
            found.setdefault(key, []).append((case, finding))
    fields = Counter(cause for cause, _ in found)
    rows = [
        Cause(label(cause, detail, fields[cause]), tuple(case for case, _ in pairs), pairs[0][1])
        for (cause, detail), pairs in found.items()
    ]
    return sorted(rows, key=lambda row: (-len(row.cases), row.label))


def _first_of_each(case: CaseRecord, states: set[FindingState]) -> dict[tuple[str, str], FindingResult]:
    first: dict[tuple[str, str], FindingResult] = {}
    for finding in case.findings:
        if finding.state in states:
            first.setdefault((finding.cause, finding.detail), finding)
    return first
