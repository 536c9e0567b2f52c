"""What a run writes: the baseline and the snapshots, of the cases that were judged, also where it was interrupted.
Knows the run record, and the two files' formats through their modules.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.report.baseline import Baseline, BrokenBaseline, load_baseline
from agent_conformance.report.baseline_update import updated, write_baseline
from agent_conformance.report.run_record import RunRecord
from agent_conformance.report.snapshot_file import path_of, record
from agent_conformance.report.snapshot_lines import BrokenSnapshot
from agent_conformance.report.snapshots import name_of
from agent_conformance.scenario.problems import shown_path


@dataclass(frozen=True, slots=True)
class WrittenFiles:
    """How many entries the baseline had and has, how many snapshot files changed; None for what was not to change.

    `problems` says of each file that could not be written why; it is as it was before.
    """

    entries: tuple[int, int] | None = None
    snapshot_files: int | None = None
    problems: tuple[str, ...] = ()


def write_files(run: RunRecord, *, baseline: Baseline | None, snapshots: Path | None) -> WrittenFiles:
    """Write the baseline and the folder of snapshots, each unless it is None. Without a verdict no baseline changes.

    What cannot be written is a problem, and keeps nothing else from being written or reported.
    """
    problems: list[str] = []
    entries = files = None
    if baseline is not None and run.judged:
        with _noted(baseline.path, problems):
            entries = _write_baseline(run, baseline)
    if snapshots is not None:
        files = _write_snapshots(run, snapshots, problems)
    return WrittenFiles(entries, files, tuple(problems))


@contextlib.contextmanager
def _noted(path: Path, problems: list[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        problems.append(f"{shown_path(path)}: {error.strerror or error}")
    except (BrokenSnapshot, BrokenBaseline) as broken:
        problems.append(str(broken).partition("\n")[0])


def _write_baseline(run: RunRecord, baseline: Baseline) -> tuple[int, int]:
    failing = run.findings(("new", "known"))
    text = updated(
        baseline,
        failing,
        advice=run.findings(("advice",)),
        former=run.former_ids(),
        tolerated=run.tolerated(),
        relations=run.relations,
    )
    if text != "".join(f"{line}\n" for line in baseline.lines):
        write_baseline(baseline.path, text)
    after = load_baseline(baseline.path)
    return len(baseline.all_entries), len(after.all_entries)


def _write_snapshots(run: RunRecord, folder: Path, problems: list[str]) -> int:
    recordings, gone = run.recordings(), run.vanished()
    written = 0
    for scenario in sorted({*recordings, *gone}):
        cases = {name_of(case, scenario): recording for case, recording in recordings.get(scenario, {}).items()}
        path = path_of(folder, scenario)
        with _noted(path, problems):
            written += record(path, cases=cases, gone=gone.get(scenario, ()))
    return written
