"""Turns and requests of a transcript that are alike but for numbers that grow evenly: the first and the last are shown.

A session of thirty turns is read, and kept, in the lines of three. Nothing is lost: from the first, the last and their
number the others follow. Knows how `agent_conformance.record.narrative` writes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FEWEST = 4
"""Fewer alike are shown in full."""

_TURN = re.compile(r"turn \d")
_REQUEST = re.compile(r"  request \d")
_NUMBER = re.compile(r"(?<!\d)(?:0|[1-9]\d{0,8})(?!\d)")
"""Longer ones, and those with zeros before them, are compared as text."""


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    frame: str
    numbers: tuple[int, ...]


def folded(text: str) -> str:
    """The transcript with `... 13 alike` in place of what is between the first and the last part of a row."""
    lines: list[str] = []
    written = text.rstrip("\n")
    for turn in _parts(written.split("\n"), _TURN):
        lines += _folded(_parts(turn, _REQUEST), "  ")
    return "\n".join(_folded(_parts(lines, _TURN), "")) + text[len(written) :]


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
    return _Part(text, _NUMBER.sub("\0", text), tuple(map(int, _NUMBER.findall(text))))


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
