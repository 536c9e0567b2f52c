"""What changed between two recordings of a case, in words: for one case, and so that equal changes have equal words.

Knows recorded transcripts as entries; no file and no finding.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from agent_conformance.report.snapshot_entries import SnapshotEntry, entries_of

SHOWN, SHORT = 60, 30
"""So many characters of a text are quoted, for one case and for all that changed alike."""
MOST_KINDS = 3

Content = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class SnapshotChange:
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
            old, new = _excerpts(self.old.text, self.new.text)
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
    """Of a whole request, the request alone."""
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


def _excerpts(old: str, new: str) -> tuple[str, str]:
    """Both around the first place where they differ."""
    start = 0
    if max(len(old), len(new)) > SHOWN:
        start = max(0, _common(old, new) - SHOWN // 3)
    return _quoted(old, start), _quoted(new, start)


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
