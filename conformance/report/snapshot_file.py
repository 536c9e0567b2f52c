"""A snapshot file: the cases of one scenario, and cases of one text together. Knows no scenario and no pytest.

syrupy's amber serializer reads and writes it, under a version of our own. The first case of a group is the snapshot's
name, and the other cases and the scenario's digest stand before the text:

    # serializer version: agent-conformance-1
    # name: anthropic-messages+plain
      same: anthropic-messages+stream
      digest: 3f2a9c1b04de7788
      turn 1
      ...
    # ---

Amber's reader passes over lines that it does not know. They are checked here first, so that a damaged file is an error.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from conformance.report.printing import printable
from conformance.scenario.problems import shown_path

SUFFIX = ".ambr"
VERSION = "agent-conformance-1"
VERSION_MARK, EARLIER_MARK = "# serializer version: ", "# agent-conformance snapshot: "
NAME, END, INDENT = "# name: ", "# ---", "  "
SAME, DIGEST = "same: ", "digest: "
EARLIER_DIGEST = "# digest: "


class BrokenSnapshot(Exception):
    """A snapshot file that was damaged, as one located line. Recording writes the file anew."""


class ForeignSnapshot(BrokenSnapshot):
    """A file that something else wrote, or another version of the suite. It is never overwritten."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One case as it was recorded. `digest` is the scenario's at that time, `line` where the text begins."""

    digest: str
    text: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """The cases of one file by name. `is_earlier`: in the format before amber's, which recording replaces."""

    cases: Mapping[str, Recording] = field(default_factory=dict)
    is_earlier: bool = False


def path_of(folder: Path, scenario: str) -> Path:
    return folder / f"{scenario}{SUFFIX}"


def example_of(name: str) -> str:
    """The example in a case's name: `[pretty]`, or nothing."""
    return name.partition("@")[0] if name.startswith("[") else ""


def plain(text: str) -> str:
    """A text as it is kept: whatever is not printable is escaped, so that a file shows what it holds."""
    return "\n".join(_plain_line(line) for line in text.split("\n")).rstrip("\n")


def _plain_line(line: str) -> str:
    return printable(line).rstrip()


def read_file(path: Path) -> SnapshotFile:
    """No cases where there is no file. Raises `BrokenSnapshot` naming the line."""
    if not path.is_file():
        return SnapshotFile()
    lines = _lines(path)
    if not lines[0].startswith(EARLIER_MARK):
        return SnapshotFile(_read(path, _checked(lines, path)))
    lines = list(_upgraded(lines))
    starts = _checked(lines, path)
    with tempfile.TemporaryDirectory() as folder:
        upgraded = Path(folder, path.name)
        upgraded.write_text("\n".join(lines), encoding="utf-8")
        return SnapshotFile(_read(upgraded, starts), is_earlier=True)


def _lines(path: Path) -> list[str]:
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise BrokenSnapshot(_no_line(path, number, repr(content[error.start : error.end]))) from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _upgraded(lines: Iterable[str]) -> Iterator[str]:
    """Each line of the earlier format as today's line of the same number."""
    named = False
    for line in lines:
        if line.startswith(EARLIER_MARK):
            yield VERSION_MARK + VERSION
        elif line.startswith(NAME) and named:
            yield INDENT + SAME + line.removeprefix(NAME)
        elif line.startswith(EARLIER_DIGEST):
            yield INDENT + DIGEST + line.removeprefix(EARLIER_DIGEST)
        else:
            named = line.startswith(NAME) or (named and line != END)
            yield INDENT if named and not line else line


def _checked(lines: list[str], path: Path) -> dict[str, int]:
    """The line where each snapshot's text begins, by the snapshot's name. Raises `BrokenSnapshot`."""
    if lines[0].startswith(VERSION_MARK) and lines[0] != VERSION_MARK + VERSION:
        raise ForeignSnapshot(_foreign(path, lines[0]))
    if lines[0] != VERSION_MARK + VERSION:
        raise BrokenSnapshot(_no_line(path, 1, lines[0]))
    starts: dict[str, int] = {}
    names: set[str] = set()
    name, in_text = "", False
    for number, line in enumerate(lines[1:], 2):
        case = line.removeprefix(INDENT + SAME if name else NAME)
        if case != line and not in_text:
            if case in names or not case or case != case.strip():
                raise BrokenSnapshot(_no_line(path, number, line, "names no case, or one a second time"))
            names.add(case)
            name = name or case
        elif name and not in_text and line.startswith(INDENT + DIGEST):
            in_text, starts[name] = True, number + 1
        elif in_text and line == END:
            name, in_text = "", False
        elif not (in_text and line.startswith(INDENT)) and (line or number < len(lines)):
            raise BrokenSnapshot(_no_line(path, number, line))
    if name:
        raise BrokenSnapshot(_located(path, len(lines), "the file ends in the middle of a snapshot"))
    return starts


def _no_line(path: Path, number: int, line: str, why: str = "is no line of a snapshot") -> str:
    return _located(path, number, f"`{_plain_line(line)[:60]}` {why}")


def _located(path: Path, number: int, what: str) -> str:
    fix = "Restore the file, or delete it and record again with --snapshot-update"
    return f"{shown_path(path)}:{number}: {what}. {fix}"


def _foreign(path: Path, line: str) -> str:
    return (
        f"{shown_path(path)}:1: `{_plain_line(line)[:60]}` is not the version that this agent-conformance writes, "
        f"{VERSION}. Use the version that wrote the file, or keep snapshots elsewhere with --agent-snapshots=DIR"
    )


def _read(path: Path, starts: Mapping[str, int]) -> dict[str, Recording]:
    from conformance.report.amber import read_snapshots

    cases: dict[str, Recording] = {}
    for first, data in read_snapshots(path):
        header, _, rest = f"\n{data}".partition(f"\n{DIGEST}")
        digest, _, text = rest.partition("\n")
        recorded = Recording(digest, text, starts[first])
        others = [line.removeprefix(SAME) for line in header.split("\n")[1:]]
        cases |= dict.fromkeys((first, *others), recorded)
    return cases


def record(path: Path, *, cases: Mapping[str, Recording], gone: Iterable[str]) -> bool:
    """Merge recorded cases into one scenario's file and say whether it changed; `gone` leaves the file, all else stays.

    A damaged file is written anew. Raises `ForeignSnapshot`.
    """
    try:
        before = read_file(path)
    except ForeignSnapshot:
        raise
    except BrokenSnapshot:
        before = SnapshotFile(is_earlier=True)
    merged = {name: case for name, case in before.cases.items() if name not in set(gone)} | dict(cases)
    if path.is_file() and merged == before.cases and not before.is_earlier:
        return False
    from conformance.report.amber import write_snapshots

    write_snapshots(path, _groups(merged))
    return True


def _groups(cases: Mapping[str, Recording]) -> list[tuple[str, str]]:
    """The snapshots of a file: cases of one text together, the largest group of an example first."""
    groups: dict[Recording, list[str]] = {}
    for name in sorted(cases):
        groups.setdefault(cases[name], []).append(name)
    ordered = sorted(groups.items(), key=lambda group: (example_of(group[1][0]), -len(group[1]), group[1][0]))
    return [
        (names[0], "\n".join([*(SAME + name for name in names[1:]), DIGEST + case.digest, case.text]))
        for case, names in ordered
    ]
