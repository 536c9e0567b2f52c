"""A snapshot file: the snapshots of one scenario; cases with the same text share one entry.

syrupy's amber serializer reads and writes it. It is imported where there is something to read or write.
"""

import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent_conformance.baseline.snapshot_changes import (
    DIGEST,
    SAME,
    is_earlier,
    lines_of,
    seal,
    text_starts,
    unsealed,
    upgraded,
)

SUFFIX = ".ambr"
EARLIER = "earlier-format"
"""In place of the digest of a text that an earlier format has, also once the file has today's format: not compared."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One case as it was recorded. `digest` is the scenario's at that time, `line` where the text begins."""

    digest: str
    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The cases of one file by name. `is_earlier`: the file has an earlier format, which recording replaces."""

    cases: Mapping[str, Recording] = field(default_factory=dict)
    is_earlier: bool = False


def path_of(folder: Path, scenario: str) -> Path:
    return folder / f"{scenario}{SUFFIX}"


def example_of(name: str) -> str:
    """The example in a case's name: `[pretty]`, or nothing."""
    return name.partition("@")[0] if name.startswith("[") else ""


def read_file(path: Path) -> SnapshotFile:
    """No cases where there is no file. Raises `BrokenSnapshot` naming the line."""
    if not path.is_file():
        return SnapshotFile()
    lines = lines_of(path)
    if not is_earlier(lines[0]):
        return SnapshotFile(_read(path, text_starts(lines, path), sealed_in=path))
    lines = list(upgraded(lines))
    starts = text_starts(lines, path)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        copy.write_text("\n".join(lines), encoding="utf-8")
        cases = {name: replace(case, digest=EARLIER) for name, case in _read(copy, starts).items()}
        return SnapshotFile(cases, is_earlier=True)


def _read(path: Path, starts: Mapping[str, int], *, sealed_in: Path | None = None) -> dict[str, Recording]:
    from agent_conformance.baseline.syrupy_files import read_snapshots

    cases: dict[str, Recording] = {}
    for first, data in read_snapshots(path):
        header, _, rest = f"\n{data}".partition(f"\n{DIGEST}")
        digest, _, text = rest.partition("\n")
        digest, _, given = digest.partition(" ")
        if sealed_in is not None and given != seal(digest, text):
            raise unsealed(sealed_in, starts[first] - 1)
        recorded = Recording(digest, text, starts[first])
        others = [line.removeprefix(SAME) for line in header.split("\n")[1:]]
        cases |= dict.fromkeys((first, *others), recorded)
    return cases


def record(path: Path, *, cases: Mapping[str, Recording], gone: Iterable[str]) -> bool:
    """Merge recorded cases into one scenario's file and say whether it changed; `gone` leaves the file, all else stays.

    Raises `BrokenSnapshot`: a damaged file has recordings that a run of some cases does not have.
    """
    before = read_file(path)
    merged = {name: case for name, case in before.cases.items() if name not in set(gone)} | dict(cases)
    if path.is_file() and merged == before.cases and not before.is_earlier:
        return False
    from agent_conformance.baseline.syrupy_files import write_snapshots

    # Cases with the same text share an entry; of each example, the entry with the most cases comes first.
    groups: dict[Recording, list[str]] = {}
    for name in sorted(merged):
        groups.setdefault(merged[name], []).append(name)
    ordered = sorted(groups.items(), key=lambda group: (example_of(group[1][0]), -len(group[1]), group[1][0]))
    write_snapshots(
        path,
        [
            (names[0], "\n".join([*(SAME + name for name in names[1:]), _digest_line(case), case.text]))
            for case, names in ordered
        ],
    )
    return True


def _digest_line(case: Recording) -> str:
    """A text of an earlier format keeps the word in place of its digest."""
    return f"{DIGEST}{case.digest} {seal(case.digest, case.text)}"
