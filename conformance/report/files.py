"""What a run writes: the baseline and the snapshots, of the cases that were judged, also where it was interrupted.
Knows the ledger, and the two files' formats through their modules.
"""

from dataclasses import dataclass

from conformance.pytest.options import Options
from conformance.report.baseline import Baseline, load_baseline, updated, write_baseline
from conformance.report.run_record import Ledger
from conformance.report.snapshots import Recorded, name_of, record


@dataclass(frozen=True, slots=True)
class Written:
    """How many entries the baseline had and has, how many snapshot files changed; None where nothing was asked for."""

    entries: tuple[int, int] | None = None
    snapshot_files: int | None = None


def write(ledger: Ledger, options: Options, baseline: Baseline) -> Written:
    return Written(
        _write_baseline(ledger, baseline) if options.baseline_update and ledger.judged else None,
        _write_snapshots(ledger, options) if options.snapshot_update else None,
    )


def _write_baseline(ledger: Ledger, baseline: Baseline) -> tuple[int, int]:
    failing = ledger.findings(("new", "known"))
    text = updated(baseline, failing, advice=ledger.findings(("advice",)), former=ledger.former())
    if text != "".join(f"{line}\n" for line in baseline.lines):
        write_baseline(baseline.path, text)
    return len(baseline.entries), len(load_baseline(baseline.path).entries)


def _write_snapshots(ledger: Ledger, options: Options) -> int:
    seen, gone = ledger.recorded(), ledger.vanished()
    written = 0
    for scenario in sorted({*seen, *gone}):
        cases = {
            name_of(case, scenario): Recorded(told["digest"], told["text"])
            for case, told in seen.get(scenario, {}).items()
        }
        written += record(options.snapshots, scenario, cases=cases, gone=gone.get(scenario, ()))
    return written
