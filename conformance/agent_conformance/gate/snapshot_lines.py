"""The lines of a snapshot file: what is one, what its line says, and what is wrong with others. Knows no file's cases.

The format is syrupy's amber, with a version of our own. The first case of a group is the snapshot's name, and the other
cases and the scenario's digest stand before the text. Behind the digest stands one of it and the text together, so that
an edited one is an error: it would turn a difference into a recording that is not compared.

    # serializer version: agent-conformance-3
    # name: anthropic-messages+plain
      same: anthropic-messages+stream
      digest: 3f2a9c1b04de7788 52d0b1c7a9e84f36
      turn 1
      ...
    # ---

Amber's reader passes over lines that it does not know. They are checked here first, so that a damaged file is an error.
"""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from agent_conformance.scenario.yaml_files.problems import shown_path
from agent_conformance.scenario.yaml_files.reading import read_data
from fake_providers.neutral_text import printable

VERSION = "agent-conformance-3"
EARLIER_VERSIONS = ("agent-conformance-1", "agent-conformance-2")
"""What they recorded is not compared: their transcripts are written in another way, or without a seal."""
VERSION_MARK, EARLIER_MARK = "# serializer version: ", "# agent-conformance snapshot: "
NAME, END, INDENT = "# name: ", "# ---", "  "
SAME, DIGEST = "same: ", "digest: "
EARLIER_DIGEST = "# digest: "


class BrokenSnapshot(Exception):
    """A snapshot file that was damaged, as one located line. It is never overwritten."""


class ForeignSnapshot(BrokenSnapshot):
    """A file that something else wrote, or another version of the suite. It is never overwritten."""


def plain(text: str) -> str:
    """A text as it is kept: whatever is not printable is escaped, so that a file shows what it holds."""
    return "\n".join(_plain_line(line) for line in text.split("\n")).rstrip("\n")


def _plain_line(line: str) -> str:
    return printable(line).rstrip()


def lines_of(path: Path) -> list[str]:
    try:
        content = read_data(path)
    except OSError as error:
        raise BrokenSnapshot(f"{shown_path(path)}: it cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise BrokenSnapshot(_no_line(path, number, repr(content[error.start : error.end]))) from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def is_earlier(first_line: str) -> bool:
    """Whether a file that begins with this line has an earlier format."""
    return first_line.startswith(EARLIER_MARK) or first_line.removeprefix(VERSION_MARK) in EARLIER_VERSIONS


def upgraded(lines: Iterable[str]) -> Iterator[str]:
    """Each line of an earlier format as today's line of the same number."""
    named = False
    for line in lines:
        if is_earlier(line):
            yield VERSION_MARK + VERSION
        elif line.startswith(NAME) and named:
            yield INDENT + SAME + line.removeprefix(NAME)
        elif line.startswith(EARLIER_DIGEST):
            yield INDENT + DIGEST + line.removeprefix(EARLIER_DIGEST)
        else:
            named = line.startswith(NAME) or (named and line != END)
            yield INDENT if named and not line else line


def text_starts(lines: list[str], path: Path) -> dict[str, int]:
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


def seal(digest: str, text: str) -> str:
    """What goes with a digest and a text, and with no others."""
    return hashlib.sha256(f"{digest}\n{text}".encode()).hexdigest()[:16]


def unsealed(path: Path, number: int) -> BrokenSnapshot:
    return BrokenSnapshot(_located(path, number, "this digest is not that of the text below: one of them was edited"))


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
