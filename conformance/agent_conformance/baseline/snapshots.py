"""What each case looked like when it was last recorded, compared as text. A snapshot is data: nothing in it is run."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from agent_conformance.baseline.snapshot_changes import BrokenSnapshot, SnapshotChange, changes_between, plain
from agent_conformance.baseline.snapshot_file import EARLIER, Recording, SnapshotFile, example_of, path_of, read_file
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.yaml_files import shown_path

State = Literal["same", "changed", "new", "re-record", "earlier"]
"""Neither `re-record`, whose scenario has changed since, nor `earlier`, of an earlier format, is compared."""


class SnapshotComparison(Struct, frozen=True):
    """`place`, `diff` and `changes` are given where the state is `changed`."""

    state: State
    place: str = ""
    diff: str = ""
    changes: tuple[SnapshotChange, ...] = ()


class Snapshots(Struct):
    """The recordings in a folder, each file read once. Nothing is written here. Findings show paths from `project`."""

    folder: Path
    project: Path
    _files: dict[str, SnapshotFile] = field(default_factory=dict)

    def compare(self, case: Case, narrative: str) -> SnapshotComparison:
        """Raises `BrokenSnapshot`."""
        recorded = self.recorded(case.file.id).get(name_of(case.id, case.file.id))
        if recorded is None:
            return SnapshotComparison("new")
        if recorded.digest == EARLIER:
            return SnapshotComparison("earlier")
        if recorded.digest != case.file.digest:
            return SnapshotComparison("re-record")
        text, before = kept_text(narrative), folded(recorded.text)
        if text == before:
            return SnapshotComparison("same")
        place = f"{shown_path(path_of(self.folder, case.file.id), self.project)}:{recorded.line}"
        lines = difflib.unified_diff(before.split("\n"), text.split("\n"), "recorded", "got", lineterm="")
        return SnapshotComparison("changed", place, "\n".join(lines), changes_between(before, text))

    def has_recorded(self, case: Case) -> bool:
        """Whether a file has a recording of this case, or cannot be read, which `compare` reports."""
        try:
            cases = self.recorded(case.file.id)
            return bool(cases) and name_of(case.id, case.file.id) in cases
        except BrokenSnapshot:
            return True

    def recorded(self, scenario: str) -> Mapping[str, Recording]:
        """The file's cases by name. Raises `BrokenSnapshot`."""
        return self._file(scenario).cases

    def is_earlier(self, scenario: str) -> bool:
        """Whether the file has an earlier format, which the next recording replaces. Raises `BrokenSnapshot`."""
        return self._file(scenario).is_earlier

    def _file(self, scenario: str) -> SnapshotFile:
        if scenario not in self._files:
            self._files[scenario] = read_file(path_of(self.folder, scenario))
        return self._files[scenario]

    def vanished(self, scenario: str, rows: Iterable[str | None]) -> tuple[str, ...]:
        """The recorded cases of examples that the scenario no longer has."""
        recorded = self.recorded(scenario)
        names = {f"[{row}]" if row is not None else "" for row in rows} if recorded else ()
        return tuple(name for name in recorded if example_of(name) not in names)


def kept_text(narrative: str) -> str:
    """The transcript of a case as a snapshot has it."""
    return folded(plain(narrative))


def name_of(case_id: str, scenario: str) -> str:
    """A case's name within its file: `gemini-generate+stream`, `[pretty]@openai-chat+plain`."""
    return case_id.removeprefix(scenario).removeprefix("@")


# What a transcript repeats is written once: turns and requests that are alike but for numbers that grow evenly, lines,
# and what a long line says over and over.

FEWEST = 4
"""Fewer alike are shown in full."""

LONG, SHORTEST = 400, 200
"""Characters of a line from which on it is looked at, and of a repetition that is worth a line's words."""

_REPEATED = re.compile(r"(.{1,80}?)\1{9,}")
"""At most 80 characters that stand ten times or more in a row."""
_TURN = re.compile(r"turn \d")
_REQUEST = re.compile(r"  request \d")
_DIGITS = re.compile(r"([0-9]+)")
_LONGEST_NUMBER = 9
"""Longer ones, and those with zeros before them, are compared as text."""


class _Part(Struct, frozen=True):
    text: str
    frame: str
    numbers: tuple[int, ...]


def folded(text: str) -> str:
    """The transcript with `... 13 alike` in place of what is between the first and the last part of a row."""
    lines: list[str] = []
    written = text.rstrip("\n")
    for turn in _parts([*_lines_once(written.split("\n"))], _TURN):
        lines += _folded(_parts(turn, _REQUEST), "  ")
    return "\n".join(_folded(_parts(lines, _TURN), "")) + text[len(written) :]


def _lines_once(lines: Sequence[str]) -> Iterator[str]:
    shorter: dict[str, str] = {}  # a long session has the same long texts behind the ids of many calls
    for line, equal in groupby(lines):
        count, once = sum(1 for _ in equal), line
        if len(line) >= LONG:
            head, colon, text = line.partition(": ")
            if text not in shorter:
                shorter[text] = _REPEATED.sub(_repeat, text)
            once = f"{_REPEATED.sub(_repeat, head)}{colon}{shorter[text]}"
        if count < FEWEST:
            yield from [once] * count
        else:
            begin = re.match(r" *(?:\| ?)?", line)
            yield from (once, f"{begin[0] if begin else ''}... {count - 1} more lines like this")


def _repeat(found: re.Match[str]) -> str:
    unit, count = found[1], len(found[0]) // len(found[1])
    if len(found[0]) < SHORTEST:
        return found[0]
    return f'{{repeat: "{unit}", times: {count}}}'


def _parts(lines: Sequence[str], begins: re.Pattern[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for line in lines:
        if part and begins.match(line):
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def _folded(parts: Iterator[list[str]], indent: str) -> Iterator[str]:
    read = [_read("\n".join(part)) for part in parts]
    place = 0
    while place < len(read):
        count = _alike(read, place)
        yield read[place].text
        if count >= FEWEST:
            yield f"{indent}... {count - 2} alike"
            yield read[place + count - 1].text
            place += count
        else:
            place += 1


def _read(text: str) -> _Part:
    pieces, numbers = _DIGITS.split(text), []
    for place in range(1, len(pieces), 2):
        digits = pieces[place]
        if len(digits) <= _LONGEST_NUMBER and (digits[0] != "0" or digits == "0"):
            pieces[place] = "\0"
            numbers.append(int(digits))
    return _Part(text, "".join(pieces), tuple(numbers))


def _alike(parts: Sequence[_Part], place: int) -> int:
    """How many from this one on have its words, and numbers that grow by the same steps."""
    first, *following = parts[place : place + 2]
    if not following or first.frame != following[0].frame:
        return 1
    steps = [after - before for before, after in zip(first.numbers, following[0].numbers, strict=True)]
    count = 2
    while place + count < len(parts) and parts[place + count].frame == first.frame:
        wanted = tuple(number + count * step for number, step in zip(first.numbers, steps, strict=True))
        if parts[place + count].numbers != wanted:
            break
        count += 1
    return count
