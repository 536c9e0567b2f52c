"""Which failed cases are shown in full, and which stand below them by their ids. Knows the run record, no terminal."""

from collections.abc import Iterable, Iterator, Sequence

from agent_conformance.gate.case_report import FindingState
from agent_conformance.gate.printing import Row
from agent_conformance.gate.run_record import RunRecord

SHOWN = 8
"""Rows below a case, unless all are asked for."""

Groups = dict[str, dict[str, list[str]]]
"""By case that is shown in full: its causes, each with the other cases that have no cause of their own."""


def failure_groups(record: RunRecord, failed: Iterable[str]) -> Groups:
    """A case is shown in full if it is the first of one of its causes, in order of ids, or has none."""
    # Of the new findings; where all are known, of those; else the first line of an error. None of stale
    # entries.
    errors = {report.case: [report.reason.partition("\n")[0]] for report in record.with_outcome("error")}
    stale = {report.case for report in record.with_outcome("stale")}
    known = {case: causes for case, causes in _of_state(record, "known").items() if case not in stale}
    causes = {**known, **_of_state(record, "new"), **errors}
    groups: Groups = {}
    first: dict[str, str] = {}
    for case in sorted(set(failed)):
        new = [cause for cause in causes.get(case, ()) if cause not in first]
        if new or case not in causes:
            groups[case] = {}
            first.update(dict.fromkeys(new, case))
        else:
            cause = causes[case][0]
            groups[first[cause]].setdefault(cause, []).append(case)
    return groups


def rest_rows(record: RunRecord, rest: dict[str, list[str]], *, every: bool) -> Iterator[Row]:
    """What stands below a case: for each cause, the other cases by id, or some of their scenarios with how many."""
    for cause, cases in rest.items():
        count = f"{len(cases)} more {'case' if len(cases) == 1 else 'cases'} of {cause}"
        yield Row("same", count, tuple(cases if every else _by_scenario(record, cases)))


def _of_state(record: RunRecord, state: FindingState) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cause in record.causes(state):
        for case in cause.cases:
            found.setdefault(case, []).append(cause.label)
    return found


def _by_scenario(record: RunRecord, cases: Sequence[str]) -> Iterator[str]:
    """A scenario with one case by the case's id; either is an argument that pytest takes."""
    scenarios: dict[str, list[str]] = {}
    for case in cases:
        scenarios.setdefault(record.reports[case].scenario, []).append(case)
    rows = [found[0] if len(found) == 1 else f"{name} · {len(found)} cases" for name, found in scenarios.items()]
    shown = rows if len(rows) <= SHOWN + 1 else rows[:SHOWN]
    yield from shown
    if len(shown) < len(rows):
        left = sum(map(len, list(scenarios.values())[SHOWN:]))
        yield f"... and {left} cases of {len(rows) - SHOWN} more scenarios; -v lists all, -vv shows all"
