"""What a run says of its baseline besides findings: entries that had no effect, and days that have passed. Knows the
run record; decides nothing.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date

from agent_conformance.report.baseline import Baseline, Entry
from agent_conformance.report.run_record import RunRecord

Notes = tuple[tuple[str, tuple[str, ...]], ...]
"""Titles, and what is listed below each."""


def baseline_notes(
    baseline: Baseline,
    run: RunRecord,
    tolerated: Collection[str],
    unknown: Callable[[Iterable[str]], Collection[str]],
) -> Notes:
    """`tolerated` are the rules that this run tolerates, `unknown` says which of some cases do not exist."""
    broken = run.known_by_rule()
    nowhere = unknown({entry.case for entry in baseline.entries.values()} - {*run.reports})
    sections = {
        "tolerated, and not broken in this run": sorted({*tolerated} - run.tolerated()),
        "tolerated no longer, the day has passed": _placed(baseline, _expired(baseline.tolerated, tolerated)),
        "rules of the baseline that were not broken in this run": _placed(
            baseline, (entry for rule, entry in baseline.rules.items() if rule not in broken)
        ),
        "in the baseline, of cases that do not exist: delete the lines": [
            f"{baseline.place_of(entry)}: {finding}"
            for finding, entry in baseline.entries.items()
            if entry.case in nowhere
        ],
    }
    return tuple((title, tuple(rows)) for title, rows in sections.items())


def _expired(entries: Mapping[str, Entry], tolerated: Collection[str]) -> Iterator[Entry]:
    today = date.today()
    return (entry for rule, entry in entries.items() if rule not in tolerated and entry.expired(today))


def _placed(baseline: Baseline, entries: Iterator[Entry]) -> list[str]:
    return [f"{baseline.place_of(entry)}: {entry.finding}" for entry in entries]
