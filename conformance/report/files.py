"""What a run writes: the baseline and the snapshots, of the cases that were judged, also where it was interrupted.
Knows the ledger, and the two files' formats through their modules.
"""

from dataclasses import dataclass
from pathlib import Path

from conformance.report.baseline import Baseline, load_baseline, updated, write_baseline
from conformance.report.run_record import Ledger
from conformance.report.snapshots import Recorded, name_of, record


@dataclass(frozen=True, slots=True)
class Written:
    """How many entries the baseline had and has, how many snapshot files changed; None where nothing was asked for."""

    entries: tuple[int, int] | None = None
    snapshot_files: int | None = None


def write(ledger: Ledger, *, baseline: Baseline | None, snapshots: Path | None) -> Written:
    """Write the baseline and the folder of snapshots, each unless it is None. Without a verdict no baseline changes."""
    return Written(
        _write_baseline(ledger, baseline) if baseline is not None and ledger.judged else None,
        _write_snapshots(ledger, snapshots) if snapshots is not None else None,
    )


def _write_baseline(ledger: Ledger, baseline: Baseline) -> tuple[int, int]:
    failing = ledger.findings(("new", "known"))
    text = updated(baseline, failing, advice=ledger.findings(("advice",)), former=ledger.former())
    if text != "".join(f"{line}\n" for line in baseline.lines):
        write_baseline(baseline.path, text)
    return len(baseline.entries), len(load_baseline(baseline.path).entries)


def _write_snapshots(ledger: Ledger, folder: Path) -> int:
    seen, gone = ledger.recorded(), ledger.vanished()
    written = 0
    for scenario in sorted({*seen, *gone}):
        cases = {
            name_of(case, scenario): Recorded(told["digest"], told["text"])
            for case, told in seen.get(scenario, {}).items()
        }
        written += record(folder, scenario, cases=cases, gone=gone.get(scenario, ()))
    return written
