"""What each case looked like when it was last recorded: one readable file per scenario. A snapshot is data: it is
compared as text and nothing in it is run. Knows narratives as texts; knows no pytest and no finding.

A file has the transcript that most cases share once, under those cases' names, and then only the cases that differ:

    # agent-conformance snapshot: history/pruned-past-the-user
    # name: anthropic-messages+plain
    # name: anthropic-messages+stream
    # digest: 3f2a9c1b04de7788
      turn 1
      ...
    # ---
"""

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from conformance.report.printing import printable
from conformance.scenario.cases import Case
from conformance.scenario.problems import shown_path

SUFFIX = ".ambr"
TITLE = "# agent-conformance snapshot: "
NAME, DIGEST, END = "# name: ", "# digest: ", "# ---"

State = Literal["same", "changed", "new", "re-record"]


class BrokenSnapshot(Exception):
    """A snapshot file that was damaged, as one located line."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One case as it was recorded. `digest` is the scenario's at that time, `line` where the text begins."""

    digest: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class SnapshotComparison:
    """`place` and `diff` are given where the state is `changed`."""

    state: State
    place: str = ""
    diff: str = ""


@dataclass(slots=True)
class Snapshots:
    """The recordings in a folder, each file read once. Nothing is written here."""

    folder: Path
    _files: dict[str, dict[str, Recording]] = field(default_factory=dict)

    def compare(self, case: Case, narrative: str) -> SnapshotComparison:
        """Raises `BrokenSnapshot`."""
        recorded = self.recorded(case.file.id).get(name_of(case.id, case.file.id))
        if recorded is None:
            return SnapshotComparison("new")
        if recorded.digest != case.file.digest:
            return SnapshotComparison("re-record")
        text = plain(narrative)
        if text == recorded.text:
            return SnapshotComparison("same")
        path = path_of(self.folder, case.file.id)
        return SnapshotComparison("changed", f"{shown_path(path)}:{recorded.line}", _diff(recorded.text, text))

    def recorded(self, scenario: str) -> dict[str, Recording]:
        """The file's cases by name. Raises `BrokenSnapshot`."""
        if scenario not in self._files:
            self._files[scenario] = read_file(path_of(self.folder, scenario))
        return self._files[scenario]

    def vanished(self, scenario: str, rows: Iterable[str | None]) -> tuple[str, ...]:
        """The recorded cases of examples that the scenario no longer has."""
        names = {f"[{row}]" if row is not None else "" for row in rows}
        return tuple(name for name in self.recorded(scenario) if _row(name) not in names)


def name_of(case_id: str, scenario: str) -> str:
    """A case's name within its file: `gemini-generate+stream`, `[pretty]@openai-chat+plain`."""
    return case_id.removeprefix(scenario).removeprefix("@")


def path_of(folder: Path, scenario: str) -> Path:
    return folder / f"{scenario}{SUFFIX}"


def plain(narrative: str) -> str:
    """A narrative as it is kept: whatever is not printable is escaped, so that a file shows what it holds."""
    return "\n".join(_plain_line(line) for line in narrative.split("\n")).rstrip("\n")


def _plain_line(line: str) -> str:
    return printable(line).rstrip()


def _row(name: str) -> str:
    return name.partition("@")[0] if name.startswith("[") else ""


def _diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(old.split("\n"), new.split("\n"), "recorded", "got", lineterm="")
    return "\n".join(lines)


def read_file(path: Path) -> dict[str, Recording]:
    """The cases of one file, by name; none where there is no file. Raises `BrokenSnapshot` naming the line."""
    if not path.is_file():
        return {}
    cases: dict[str, Recording] = {}
    names: list[str] = []
    digest = ""
    text: list[str] = []
    start = 0
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="backslashreplace").split("\n"), 1):
        if line == END:
            cases.update({name: Recording(digest, "\n".join(text), start) for name in names})
            names, digest, text, start = [], "", [], 0
        elif line.startswith(NAME) and not text:
            names.append(line.removeprefix(NAME))
        elif line.startswith(DIGEST) and names and not text:
            digest, start = line.removeprefix(DIGEST), number + 1
        elif start and (line.startswith("  ") or not line):
            text.append(line[2:])
        elif line and not line.startswith(TITLE):
            problem = "is no line of a snapshot. Restore the file, or delete it and record again with --snapshot-update"
            raise BrokenSnapshot(f"{shown_path(path)}:{number}: `{_plain_line(line)[:60]}` {problem}")
    return cases


def rendered(scenario: str, cases: Mapping[str, Recording]) -> str:
    """The text of a file: cases of one text together, the largest group of an example first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(cases):
        groups.setdefault((cases[name].digest, cases[name].text), []).append(name)
    ordered = sorted(groups.items(), key=lambda group: (_row(group[1][0]), -len(group[1]), group[1][0]))
    blocks = [f"{TITLE}{scenario}\n"]
    for (digest, text), names in ordered:
        lines = [*(f"{NAME}{name}" for name in names), f"{DIGEST}{digest}"]
        lines += [f"  {line}" if line else "" for line in text.split("\n")]
        blocks.append("\n".join([*lines, END]) + "\n")
    return "".join(blocks)


def record(folder: Path, scenario: str, *, cases: Mapping[str, Recording], gone: Iterable[str]) -> bool:
    """Merge recordings into one scenario's file and say whether it changed; `gone` leaves the file, all else stays.

    A damaged file is written anew.
    """
    path = path_of(folder, scenario)
    try:
        merged = read_file(path)
    except BrokenSnapshot:
        merged = {}
    merged = {name: one for name, one in merged.items() if name not in set(gone)} | dict(cases)
    text = rendered(scenario, merged)
    if path.is_file() and path.read_text(encoding="utf-8", errors="backslashreplace") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8", newline="\n")
    os.replace(fresh, path)
    return True
