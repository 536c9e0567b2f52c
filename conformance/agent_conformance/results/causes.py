"""Findings grouped by what they have in common."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from agent_conformance.gate.case_report import FindingState
from agent_conformance.gate.run_record import label
from agent_conformance.results.model import CaseRecord, FindingResult, Results


@dataclass(frozen=True, slots=True)
class Cause:
    """Findings of one cause in one state: `cases` are in order of their ids, and `first` is of the first of them."""

    label: str
    cases: tuple[CaseRecord, ...]
    first: FindingResult


def causes(results: Results, states: Iterable[FindingState] = ("new",)) -> list[Cause]:
    """The most harmful first, then the most frequent."""
    found = findings_by_cause(results, states)
    details = Counter(code for code, _ in found)
    rows = []
    for (code, detail), pairs in found.items():
        first = pairs[0][1]
        name = label(first.kind, code, detail, details[code])
        rows.append(Cause(name, tuple({case.id: case for case, _ in pairs}.values()), first))
    return sorted(rows, key=lambda row: (row.first.harm, -len(row.cases), row.label))


def findings_by_cause(
    results: Results, states: Iterable[FindingState] = get_args(FindingState)
) -> dict[tuple[str, str], list[tuple[CaseRecord, FindingResult]]]:
    """Every finding in these states with its case, by its cause and its detail, in the order of the cases."""
    wanted = set(states)
    found: dict[tuple[str, str], list[tuple[CaseRecord, FindingResult]]] = {}
    for case in results.cases:
        for finding in case.findings:
            if finding.state in wanted:
                found.setdefault((finding.cause, finding.detail), []).append((case, finding))
    return found
