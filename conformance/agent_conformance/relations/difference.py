"""Where two conversations differ that must be the same, and the finding that says so. Knows lines of text."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent_conformance.record.finding import Finding, Level, Place, ScenarioPlace
from agent_conformance.record.subject import Subject

SHOWN_WHOLE = 80
"""Lines of a conversation up to which both are shown from beginning to end."""
CONTEXT = 3
BRIEF = 200
"""Characters of a line."""

Opcode = tuple[str, int, int, int, int]
Ranges = Sequence[tuple[int, int]]

_TURN = re.compile(r"turn (\d+)")
_REQUEST = re.compile(r"  request (\d+)")
_ENDING = re.compile(r"  (?:reply|error|cancelled|parked|killed|crash|hang|flood):")
_KIND = re.compile(r"\s*([a-z]+)")


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs: what it is called, its lines, and the ranges of lines that are others in a second run of it."""

    name: str
    lines: Sequence[str]
    unsteady: Ranges = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two conversations differ, beginning at these lines."""

    expected: Side
    got: Side
    at: Opcode


def unsteady_lines(first: Sequence[str], second: Sequence[str]) -> tuple[tuple[Ranges, Ranges], bool]:
    """The ranges of lines in which two runs of the same differ, of each of the two; and whether there are any."""
    changes = _changes(first, second)
    of_first = [(change[1], change[2]) for change in changes]
    of_second = [(change[3], change[4]) for change in changes]
    return (of_first, of_second), bool(changes)


def first_difference(expected: Side, got: Side) -> Difference | None:
    """What is not steady in one of the two by itself is no difference between them."""
    for change in _changes(expected.lines, got.lines):
        _, first, end, new_first, new_end = change
        if not (_touches(expected.unsteady, first, end) or _touches(got.unsteady, new_first, new_end)):
            return Difference(expected, got, change)
    return None


def _changes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    if list(old) == list(new):
        return []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [change for change in matcher.get_opcodes() if change[0] != "equal"]


def _touches(ranges: Ranges, first: int, end: int) -> bool:
    """Also where one ends right where the other begins: a line that is missing has no place of its own."""
    return any(start <= end and first <= stop for start, stop in ranges)


def finding_of(difference: Difference, subject: Subject, *, level: Level, scenario: ScenarioPlace) -> Finding:
    _, first, _, new_first, _ = difference.at
    expected, got = difference.expected, difference.got
    return Finding(
        subject,
        level,
        place=_place(got.lines, new_first),
        expected=f"{expected.name}: {_line(expected.lines, first)}",
        got=f"{got.name}: {_line(got.lines, new_first)}",
        diff="\n".join(_diff(expected, got)),
        detail=_detail(difference),
        scenario=scenario,
    )


def _place(lines: Sequence[str], index: int) -> Place:
    """The turn and the request to which a line belongs; request 0 is what comes after the requests."""
    turn, request = 1, 0
    for line in lines[: index + 1]:
        if found := _TURN.match(line):
            turn, request = int(found[1]), 0
        elif found := _REQUEST.match(line):
            request = int(found[1])
        elif _ENDING.match(line):
            request = 0
    return Place(turn, request)


def _line(lines: Sequence[str], index: int) -> str:
    line = lines[index].strip() if index < len(lines) else "nothing more"
    return line if len(line) <= BRIEF else f"{line[:BRIEF]} ..."


def _detail(difference: Difference) -> str:
    """The kind of line that differs: `reply`, `ran`, `request`, `result`; it groups the cases of one cause."""
    _, first, end, new_first, _ = difference.at
    line = difference.expected.lines[first] if end > first else difference.got.lines[new_first]
    found = _KIND.match(line)
    return found[1] if found else ""


def _diff(expected: Side, got: Side) -> Iterator[str]:
    """Both conversations in one text; of long ones the parts around each difference."""
    longest = max(len(expected.lines), len(got.lines))
    context = longest if longest <= SHOWN_WHOLE else CONTEXT
    lines = difflib.unified_diff(expected.lines, got.lines, expected.name, got.name, n=context, lineterm="")
    for number, line in enumerate(lines):
        if number > 1 and line.startswith("@@") and context == longest:
            continue
        yield line
