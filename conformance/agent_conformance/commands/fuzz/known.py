"""What the reports and the baseline of an agent know already. Runs nothing."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from agent_conformance.fuzz.findings import Known, kind_without_numbers
from agent_conformance.report.baseline import Baseline, BrokenBaseline, load_baseline
from agent_conformance.results.causes import findings_by_cause
from agent_conformance.results.encoding import BrokenResults
from agent_conformance.results.folder import read_results


class CannotFuzz(Exception):
    """A file that an option names cannot be read."""


def baseline_of(path: Path | None) -> Baseline:
    """Empty where none is named. Raises `CannotFuzz`."""
    if path is None:
        return Baseline(Path(), {})
    if not path.is_file():
        raise CannotFuzz(f"--baseline={path}: no such file")
    try:
        return load_baseline(path)
    except BrokenBaseline as broken:
        raise CannotFuzz(str(broken)) from None


def known_of_baseline(baseline: Baseline) -> Known:
    """Its laws and rules, wherever they are broken. An entry about an expectation speaks of its own scenario alone."""
    today = date.today()
    entries = [entry for entry in baseline.entries.values() if not entry.expired(today)]
    laws = (entry.subject.code for entry in entries if entry.subject.law)
    rules = (rule for rule, entry in baseline.rules.items() if not entry.expired(today))
    return Known(causes=frozenset((*laws, *rules)))


def known_of_reports(folders: Iterable[Path]) -> Known:
    """All findings of these reports, by cause and detail. Raises `CannotFuzz`."""
    try:
        kinds = (kind for folder in folders for kind in findings_by_cause(read_results(folder)))
        return Known(frozenset(kind_without_numbers(*kind) for kind in kinds))
    except BrokenResults as broken:
        raise CannotFuzz(str(broken)) from None
