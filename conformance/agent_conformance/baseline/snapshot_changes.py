"""The lines of a snapshot file, and what changed between two recordings of a case, in words.

Equal changes have equal words. The format is syrupy's amber, with a version of our own. The first case of a group is
the snapshot's name, and the other cases and the scenario's digest stand before the text. Behind the digest stands one
of it and the text together, so that an edited one is an error: it would turn a difference into a recording that is not
compared.

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
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from msgspec import Struct

from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.scenario.yaml_files.reading import read_data
from fake_providers.wire_neutral_lines import printable

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


# The lines of a recorded transcript as entries: where each stands, what it is about, and what it says.

_TURN = re.compile(r"turn (\d+)")
_REQUEST = re.compile(r"  request (\d+)([^:]*): (.*)")
_CALLS = re.compile(r"(.*) calls (\S+) (.*?)(?: \((id-\d+|no id)\))?")
_RESULT = re.compile(r"(result|error) for (id-\d+|no id): ?(.*)", re.DOTALL)
_RUN = re.compile(r"(ran|began to run|refused to run|asked to allow) (.*)")
_OF_REQUEST = re.compile(r"  (model|provider's|refused \S+/)")
"""What became of a request stands below it, at the depth of the turn's own lines."""
_LABELLED = re.compile(r"([^:{\"]{1,60}): ?(.*)", re.DOTALL)


class SnapshotEntry(Struct, frozen=True):
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


SHOWN, SHORT = 60, 30
"""So many characters of a text are quoted, for one case and for all that changed alike."""
MOST_KINDS = 3

Content = tuple[int, str, str]


class SnapshotChange(Struct, frozen=True):
    """One entry that is new, gone or another."""

    old: SnapshotEntry | None
    new: SnapshotEntry | None

    @property
    def words(self) -> str:
        """For people: ``request 2: result of `hello` was "x", is "Result: x"``."""
        entry = self.new or self.old
        assert entry is not None
        place = f"{entry.place}: " if entry.place else ""
        if entry.is_request and not (self.old and self.new):
            return f"{entry.place} is {'new' if self.new else 'gone'}"
        if self.old and self.new:
            # Both around the first place where they differ
            start = 0
            if max(len(self.old.text), len(self.new.text)) > SHOWN:
                start = max(0, _common(self.old.text, self.new.text) - SHOWN // 3)
            old, new = (_quoted(self.old.text, start), _quoted(self.new.text, start))
            return f"{place}{entry.subject} was {old}, is {new}"
        said = "" if entry.is_flag else f" {_quoted(entry.text)}"
        return f"{place}{entry.subject}{said} is {'new' if self.new else 'gone'}"

    @property
    def kind(self) -> str:
        """What it shares with the same change in other cases."""
        entry = self.new or self.old
        assert entry is not None
        if self.old and self.new:
            return f"{entry.kind}: {_edit(self.old.text, self.new.text)}"
        state = "new" if self.new else "gone"
        if entry.is_request:
            return f"a request is {state}"
        return f"{entry.kind} is {state}" if entry.is_flag else f"{entry.kind}: {_short(entry.text)} is {state}"


def changes_between(recorded: str, got: str) -> tuple[SnapshotChange, ...]:
    """In order. Of a request that is new or gone, what is in it is not listed."""
    old, new = entries_of(recorded), entries_of(got)
    matcher: SequenceMatcher[Content] = SequenceMatcher(
        None, [entry.content for entry in old], [entry.content for entry in new], autojunk=False
    )
    changes: list[SnapshotChange] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            changes += _paired(old[a:b], new[c:d])
    return tuple(changes)


def shared_words(changes: Sequence[SnapshotChange]) -> str:
    """The kinds of changes, each once: the same for all cases that one change of the agent altered alike."""
    kinds = list(dict.fromkeys(change.kind for change in changes))
    more = f"; and {len(kinds) - MOST_KINDS} more" if len(kinds) > MOST_KINDS else ""
    return "; ".join(kinds[:MOST_KINDS]) + more


def scrub_example(changes: Sequence[SnapshotChange]) -> str:
    """A pattern for the first text that differs in a number or an id alone, as what changes from run to run does."""
    for change in changes:
        if change.old and change.new and (pattern := _pattern(change.old.text, change.new.text)):
            return pattern
    return ""


def _paired(old: Sequence[SnapshotEntry], new: Sequence[SnapshotEntry]) -> Iterator[SnapshotChange]:
    """Entries of one kind are one that changed; what is left of the others is gone, or new."""
    gone: list[SnapshotEntry] = []
    left = list(new)
    for entry in old:
        alike = (place for place, other in enumerate(left) if (other.depth, other.kind) == (entry.depth, entry.kind))
        place = next(alike, None)
        if place is None:
            gone.append(entry)
            continue
        yield from _unpaired(gone, left[:place])
        yield SnapshotChange(entry, left[place])
        gone, left = [], left[place + 1 :]
    yield from _unpaired(gone, left)


def _unpaired(gone: Sequence[SnapshotEntry], new: Sequence[SnapshotEntry]) -> Iterator[SnapshotChange]:
    yield from (SnapshotChange(entry, None) for entry in _outermost(gone))
    yield from (SnapshotChange(None, entry) for entry in _outermost(new))


def _outermost(entries: Sequence[SnapshotEntry]) -> Iterator[SnapshotEntry]:
    """The entries, but of a whole request the request alone."""
    whole_request = False
    for entry in entries:
        whole_request = entry.is_request or (whole_request and entry.depth > 2)
        if entry.is_request or not whole_request:
            yield entry


def _edit(old: str, new: str) -> str:
    """How one text became the other, without what stayed."""
    old, new = old.strip(), new.strip()
    for longer, shorter, done in ((new, old, "added"), (old, new, "removed")):
        if longer.endswith(shorter):
            return f"{_short(longer[: len(longer) - len(shorter)])} {done} at its start"
        before, found, after = longer.partition(shorter)
        if found and not before:
            return f"{_short(after)} {done} at its end"
        if found:
            return f"{_short(before)} and {_short(after)} {done} around it"
    if _DIGITS.sub("0", old) == _DIGITS.sub("0", new):
        return "numbers in it are others"
    first, last = _common_words(old, new)
    return f"{_short(old[first : len(old) - last])} became {_short(new[first : len(new) - last])}"


_DIGITS = re.compile(r"\d+")
_WITH_DIGITS = re.compile(r"\w*\d\w*")
"""What short ids look like."""
_WORDS = re.compile(r"\w+|\W")


def _common_words(old: str, new: str) -> tuple[int, int]:
    """How many characters both begin and end with, by whole words."""
    a, b = _WORDS.findall(old), _WORDS.findall(new)
    first = _common(a, b)
    last = _common(a[first:][::-1], b[first:][::-1])
    return len("".join(a[:first])), len("".join(a[len(a) - last :]))


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = enumerate(zip(old, new, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(old), len(new)))


def _quoted(text: str, start: int = 0, *, limit: int = SHOWN) -> str:
    cut = text[start : start + limit].replace("\n", "\\n")
    return f'"{"..." if start else ""}{cut}{"..." if len(text) > start + limit else ""}"'


def _short(text: str) -> str:
    return _quoted(text.strip(), limit=SHORT)


def _pattern(old: str, new: str) -> str:
    """The word before the first number or id that differs, that, and what stands behind it. It can stand in r"...".

    None where there is no word: a pattern of numbers alone would hide too much.
    """
    for varying, pattern in ((_DIGITS, r"\d+"), (_WITH_DIGITS, r"\w+")):
        if varying.sub("0", old) == varying.sub("0", new):
            pairs = zip(varying.finditer(old), varying.finditer(new), strict=True)
            return next((_around(new, other, pattern) for one, other in pairs if one[0] != other[0]), "")
    return ""


def _around(text: str, found: re.Match[str], pattern: str) -> str:
    before = re.search(r"\w*\W*$", text[: found.start()].rpartition("\n")[2])
    after = re.match(r"[\W_]?[A-Za-z]*", text[found.end() :])
    assert before is not None
    assert after is not None
    context = before[0] + after[0]
    if '"' in context or not re.search(r"[A-Za-z]{2}", context):
        return ""
    return f"{re.escape(before[0])}{pattern}{re.escape(after[0])}".replace("\\ ", " ")
