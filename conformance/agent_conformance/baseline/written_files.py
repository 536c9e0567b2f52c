"""What a run writes: the baseline and the snapshots, of the cases that were judged, also where it was interrupted."""

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from agent_conformance.baseline.baseline import (
    UNEXPLAINED,
    Baseline,
    BrokenBaseline,
    Entry,
    checks_relation,
    load_baseline,
    today,
)
from agent_conformance.baseline.judged_cases_file import Judged, write_judged
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.baseline.snapshot_changes import BrokenSnapshot
from agent_conformance.baseline.snapshot_file import path_of, record
from agent_conformance.baseline.snapshots import name_of
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.transcripts.finding import subject_of


class WrittenFiles(Struct, frozen=True):
    """How many entries the baseline had and has, how many snapshot files changed; None for what was not to change.

    `problems` says of each file that could not be written why; it is as it was before.
    """

    entries: tuple[int, int] | None = None
    snapshot_files: int | None = None
    problems: tuple[str, ...] = ()


def write_files(
    run: RunRecord, *, baseline: Baseline | None, snapshots: Path | None, judged: Judged | None = None
) -> WrittenFiles:
    """Write the baseline and the folder of snapshots, each unless it is None. Without a verdict no baseline changes.

    What cannot be written is a problem, and keeps nothing else from being written or reported.
    """
    problems: list[str] = []
    entries = files = None
    if baseline is not None and run.judged:
        with noted(baseline.path, problems):
            failing = run.findings(("new", "known"))
            text = updated(
                baseline,
                failing,
                advice=run.findings(("advice",)),
                former=run.former_ids(),
                tolerated=run.tolerated(),
                relations=run.relations,
                flaky={*run.flaky("new"), *run.flaky("known")},
            )
            if text != "".join(f"{line}\n" for line in baseline.lines):
                write_baseline(baseline.path, text)
            after = load_baseline(baseline.path)
            entries = (len(baseline.all_entries), len(after.all_entries))
            if judged is not None:
                write_judged(baseline.path, judged)
    if snapshots is not None:
        recordings, gone = run.recordings(), run.vanished()
        written = 0
        for scenario in sorted({*recordings, *gone}):
            cases = {name_of(case, scenario): recording for case, recording in recordings.get(scenario, {}).items()}
            path = path_of(snapshots, scenario)
            with noted(path, problems):
                written += record(path, cases=cases, gone=gone.get(scenario, ()))
        files = written
    return WrittenFiles(entries, files, tuple(problems))


@contextlib.contextmanager
def noted(what: Path | str, problems: list[str]) -> Iterator[None]:
    """Whatever this step raises is a problem, and keeps no other from being taken."""
    where = shown_path(what) if isinstance(what, Path) else what
    try:
        yield
    except OSError as error:
        problems.append(f"{where}: {error.strerror or error}")
    except (BrokenSnapshot, BrokenBaseline) as broken:
        problems.append(str(broken).partition("\n")[0])
    except Exception as error:
        problems.append(f"{where}: the suite failed, please report it: {type(error).__name__}: {error}")


FLAKY_DAYS = 90
"""How long an entry lasts that a run has written for a finding that came in one of two runs."""
HEADER = "# Findings known about this agent. Each fails again once it no longer occurs, or after `until`.\n"


def updated(
    baseline: Baseline,
    failing: Mapping[str, Collection[str]],
    *,
    advice: Mapping[str, Collection[str]],
    former: Mapping[str, str],
    tolerated: Collection[str] = (),
    relations: Collection[str] = (),
    flaky: Collection[str] = (),
) -> str:
    """The new text of the file. `failing` has, for each case that was judged, the ids of the findings to be known.
    `tolerated` are rules that this run tolerated, and that were broken; `flaky` are findings that come and go.

    Findings that were only `advice` keep an entry they have, and get none. Entries of cases that were not judged stay,
    unchanged, and so do those of relations that were not checked: `relations` were. `former` maps an old case id to the
    one it has now.
    """
    blocks: dict[str, str] = {}
    day = today()
    named = {rule.partition("/")[2] for rule in baseline.tolerated}  # at whatever provider
    rules = {
        rule: f"- tolerate: {_scalar(rule)}\n  reason: {UNEXPLAINED}\n"
        for rule in sorted({*tolerated} - {*baseline.rules})
        if rule.partition("/")[2] not in named
    }
    for entry, block in _blocks(baseline):
        if any(entry is given.get(entry.finding) for given in (baseline.tolerated, baseline.rules, baseline.wide)):
            rules[entry.finding] = block
            continue
        case = former.get(entry.case, entry.case)
        finding = f"{case}#{entry.id}"
        found = {*failing.get(case, ()), *advice.get(case, ())}
        may_stay_away = entry.flaky and not entry.expired(day)
        if case not in failing or entry.id in found or may_stay_away or _is_unchecked(entry, failing[case], relations):
            blocks[finding] = block.replace(entry.finding, finding)
    for case, ids in failing.items():
        for finding in (f"{case}#{id_}" for id_ in ids):
            comes_and_goes, end = "", ""
            if finding in flaky:
                comes_and_goes, end = "  flaky: true\n", f"  until: {day + timedelta(FLAKY_DAYS)}\n"
            blocks.setdefault(finding, f"- finding: {_scalar(finding)}\n{comes_and_goes}  reason: {UNEXPLAINED}\n{end}")
    ordered = [*(rules[rule] for rule in sorted(rules)), *(blocks[finding] for finding in sorted(blocks))]
    return _preamble(baseline) + "".join(ordered)


def _is_unchecked(entry: Entry, failing: Collection[str], relations: Collection[str]) -> bool:
    relation, others = entry.subject.relation, map(subject_of, failing)
    return bool(relation) and not checks_relation(relation, relations=relations, others=others)


def _preamble(baseline: Baseline) -> str:
    """What stands before the first entry and its own comments; a header where there is no file yet."""
    if not baseline.lines:
        return HEADER
    if not baseline.all_entries:  # `[]` would be a list of its own
        return "".join(f"{line}\n" for line in baseline.lines if line.startswith("#") or not line.strip())
    first = min(entry.first for entry in baseline.all_entries)
    end = _first_own_line(baseline.lines, first, 0)
    return "".join(f"{line}\n" for line in baseline.lines[: end - 1])


def _blocks(baseline: Baseline) -> list[tuple[Entry, str]]:
    """Each entry with its lines and the comments right above it, as they stand in the file."""
    blocks = []
    before = 0
    for entry in sorted(baseline.all_entries, key=lambda entry: entry.first):
        start = _first_own_line(baseline.lines, entry.first, before)
        blocks.append((entry, "".join(f"{line}\n" for line in baseline.lines[start - 1 : entry.last])))
        before = entry.last
    return blocks


def _first_own_line(lines: tuple[str, ...], first: int, before: int) -> int:
    """Comments right above an entry are its own, but not those on top of the file."""
    start = first
    while start - 1 > before and lines[start - 2].startswith("#"):
        start -= 1
    return first if start == 1 else start


def _scalar(text: str) -> str:
    """A plain YAML scalar where it can be one."""
    plain = re.fullmatch(r"[\w][\w./\[\]@+#:()*-]*", text) and not re.search(r": |\s#|:$", text)
    return text if plain else "'" + text.replace("'", "''") + "'"


def write_baseline(path: Path, text: str) -> None:
    """Replace the file at once, so that an interrupted run leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(text, encoding="utf-8", newline="\n")
        os.replace(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise
