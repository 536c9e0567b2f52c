"""The lines of a recorded transcript as entries: where each stands, what it is about, and what it says.

Knows how `agent_conformance.record.narrative` writes; no file and no finding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TURN = re.compile(r"turn (\d+)")
_REQUEST = re.compile(r"  request (\d+)([^:]*): (.*)")
_CALLS = re.compile(r"(.*) calls (\S+) (.*?)(?: \((id-\d+|no id)\))?")
_RESULT = re.compile(r"(result|error) for (id-\d+|no id): ?(.*)", re.DOTALL)
_RUN = re.compile(r"(ran|began to run|refused to run|asked to allow) (.*)")
_OF_REQUEST = re.compile(r"  (model|provider's|refused \S+/)")
"""What became of a request stands below it, at the depth of the turn's own lines."""
_LABELLED = re.compile(r"([^:{\"]{1,60}): ?(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """One line with those that continue it. `subject` says in words what it is, `kind` does so without names and
    numbers. `is_request`: it begins a request. `is_flag`: the whole line is its subject.
    """

    place: str
    depth: int
    kind: str
    subject: str
    text: str
    is_request: bool = False
    is_flag: bool = False

    @property
    def content(self) -> tuple[int, str, str]:
        """What of it is compared: not its place, since requests move."""
        return (self.depth, self.kind, self.text)


def entries_of(text: str) -> tuple[SnapshotEntry, ...]:
    """Turns are places and no entries; a turn that is not in both texts shows by what is in it."""
    several = sum(_TURN.match(line) is not None for line in text.split("\n")) > 1
    turn = place = ""
    tools: dict[str, str] = {}
    entries = []
    for line in _joined(text):
        if found := _TURN.match(line):
            place = turn = f"turn {found[1]}" if several else ""
        elif found := _REQUEST.fullmatch(line):
            place = ", ".join(part for part in (turn, f"request {found[1]}{found[2]}") if part)
            offer = found[3].removeprefix("offers ")
            entries.append(SnapshotEntry(place, 2, "tools offered", "tools offered", offer, is_request=True))
        else:
            depth = len(line) - len(line.lstrip(" "))
            within = place if depth >= 4 or _OF_REQUEST.match(line) else turn
            entries.append(_entry(within, depth, line.strip(), tools))
    return tuple(entries)


def _joined(text: str) -> Iterator[str]:
    """Each line with those that continue it: they begin with `|`, deeper than the first."""
    pending = ""
    for line in text.split("\n"):
        if pending and line.lstrip(" ").startswith("|") and line.startswith("  "):
            pending += "\n" + line.lstrip(" ")[1:].removeprefix(" ")
            continue
        if pending:
            yield pending
        pending = line
    if pending:
        yield pending


def _entry(place: str, depth: int, line: str, tools: dict[str, str]) -> SnapshotEntry:
    """`tools` has the tool of each call's id, for the results that follow."""
    if found := _RESULT.fullmatch(line):
        name = f" of `{tools[found[2]]}`" if found[2] in tools else ""
        return SnapshotEntry(place, depth, "result", f"{found[1]}{name}", found[3])
    if found := _CALLS.fullmatch(line):
        if found[4]:
            tools[found[4]] = found[2]
        return SnapshotEntry(place, depth, f"{found[1]} calls", f"call of the {found[1]}", f"{found[2]} {found[3]}")
    if found := _RUN.fullmatch(line):
        return SnapshotEntry(place, depth, found[1], f"what it {found[1]}", found[2])
    if found := _LABELLED.fullmatch(line):
        return SnapshotEntry(place, depth, found[1], found[1], found[2])
    return SnapshotEntry(place, depth, re.sub(r"\d+", "N", line), line, "", is_flag=True)
