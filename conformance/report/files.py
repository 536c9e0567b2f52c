"""What a run writes: the baseline and the snapshots, of the cases that were judged, also where it was interrupted.
Knows the run record, and the two files' formats through their modules.
"""

from dataclasses import dataclass
from pathlib import Path

from conformance.report.baseline import Baseline, load_baseline, updated, write_baseline
from conformance.report.run_record import RunRecord
from conformance.report.snapshot_file import path_of, record
from conformance.report.snapshots import name_of


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """How many entries the baseline had and has, how many snapshot files changed; None for what was not to change."""

    entries: tuple[int, int] | None = None
    snapshot_files: int | None = None


def write_files(run: RunRecord, *, baseline: Baseline | None, snapshots: Path | None) -> WrittenFiles:
    """Write the baseline and the folder of snapshots, each unless it is None. Without a verdict no baseline changes."""
    return WrittenFiles(
        _write_baseline(run, baseline) if baseline is not None and run.judged else None,
        _write_snapshots(run, snapshots) if snapshots is not None else None,
    )


def _write_baseline(run: RunRecord, baseline: Baseline) -> tuple[int, int]:
    failing = run.findings(("new", "known"))
    text = updated(
        baseline, failing, advice=run.findings(("advice",)), former=run.former_ids(), tolerated=run.tolerated()
    )
    if text != "".join(f"{line}\n" for line in baseline.lines):
        write_baseline(baseline.path, text)
    after = load_baseline(baseline.path)
    return len(baseline.entries) + len(baseline.tolerated), len(after.entries) + len(after.tolerated)


def _write_snapshots(run: RunRecord, folder: Path) -> int:
    recordings, gone = run.recordings(), run.vanished()
    written = 0
    for scenario in sorted({*recordings, *gone}):
        cases = {name_of(case, scenario): recording for case, recording in recordings.get(scenario, {}).items()}
        written += record(path_of(folder, scenario), cases=cases, gone=gone.get(scenario, ()))
    return written
