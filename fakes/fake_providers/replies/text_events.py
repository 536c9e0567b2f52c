"""The events of a stream that differ in nothing but the piece of a text that each has, and what is kept of them."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from msgspec import Struct

from fake_providers.http import AS_ESCAPE, quoted
from fake_providers.reply import Split, pieces

LONGEST_KEPT = 4_000
"""Characters of a text beyond which it is encoded each time."""

_P = ParamSpec("_P")
_T = TypeVar("_T")


def kept_by_text(make: Callable[Concatenate[str, _P], _T]) -> Callable[Concatenate[str, _P], _T]:
    """`make`, a pure function of a text and more, with what it made of the last short ones kept: scripts repeat their
    last text for as long as somebody asks."""
    kept: Callable[..., _T] = lru_cache(maxsize=32)(make)

    def find(text: str, /, *args: _P.args, **named: _P.kwargs) -> _T:
        return (kept if len(text) <= LONGEST_KEPT else make)(text, *args, **named)

    return find


TIMES: Final = 2
"""How often a text is encoded before what is made of it is kept."""
FIRST_MARK: Final = 0xF0000
"""Of the characters for private use, which stand for those of ids in what is kept."""
_MARKS: Final = re.compile("([\U000f0000-\U000ffffd]+)")
SEAM: Final = "\0"
"""Between kept events: JSON has no such character unescaped."""


class _Spliced(Struct, frozen=True):
    """Events of which all is known but `cuts` of some ids. `parts` are in turn what is known and what is not."""

    parts: tuple[bytes, ...]
    cuts: tuple[tuple[int, slice], ...]
    holes: tuple[int, ...]
    """Which cut stands in each second part."""

    def filled(self, ids: tuple[str, ...]) -> tuple[bytes, ...]:
        texts = [ids[which][part].encode() for which, part in self.cuts]
        parts = list(self.parts)
        parts[1::2] = [texts[hole] for hole in self.holes]
        return tuple(b"".join(parts).split(SEAM.encode()))


def kept_but_for_ids(
    make: Callable[Concatenate[str, tuple[str, ...], _P], Iterable[str]],
) -> Callable[Concatenate[str, tuple[str, ...], _P], tuple[bytes, ...]]:
    """`make`, a pure function of a text, ids and more, as bytes and with what it made of the last short texts kept. The
    ids, or parts of them, stand in its events as they are."""

    def encoded(text: str, ids: tuple[str, ...], *args: _P.args, **named: _P.kwargs) -> tuple[bytes, ...]:
        return tuple([event.encode(errors=AS_ESCAPE) for event in make(text, ids, *args, **named)])

    def template(text: str, lengths: tuple[int, ...], *args: Any, **named: Any) -> _Spliced | None:
        """None where a text has marks of its own, or `make` does anything else with an id than to put it in."""
        marked: list[str] = []
        samples: list[str] = []
        for length in lengths:
            start = len("".join(marked))
            marked.append("".join(chr(FIRST_MARK + at) for at in range(start, start + length)))
            samples.append("".join(chr(ord("A") + at % 26) for at in range(start, start + length)))
        spliced = _spliced(SEAM.join(make(text, tuple(marked), *args, **named)), marked)
        wanted = encoded(text, tuple(samples), *args, **named)
        return spliced if spliced is not None and spliced.filled(tuple(samples)) == wanted else None

    @lru_cache(maxsize=32)
    def known(*_key: Any) -> list[_Spliced | None]:
        """Empty at first: most texts of tests are sent once."""
        return []

    def find(text: str, ids: tuple[str, ...], /, *args: _P.args, **named: _P.kwargs) -> tuple[bytes, ...]:
        lengths = tuple([len(id) for id in ids])
        templates = known(text, lengths, *args, *named.values()) if len(text) <= LONGEST_KEPT else []
        if len(templates) == TIMES:
            templates.append(template(text, lengths, *args, **named))
        elif len(templates) < TIMES:
            templates.append(None)
        found = templates[-1]
        return encoded(text, ids, *args, **named) if found is None else found.filled(ids)

    return find


def _spliced(text: str, marked: list[str]) -> _Spliced | None:
    parts = _MARKS.split(text)
    cuts: dict[str, tuple[int, slice]] = {}
    for run in dict.fromkeys(parts[1::2]):
        which = next((number for number, id in enumerate(marked) if run in id), None)
        if which is None:
            return None
        start = marked[which].index(run)
        cuts[run] = (which, slice(start, start + len(run)))
    places = {run: place for place, run in enumerate(cuts)}
    holes = tuple([places[run] for run in parts[1::2]])
    known = [b"" if number % 2 else part.encode(errors=AS_ESCAPE) for number, part in enumerate(parts)]
    return _Spliced(tuple(known), tuple(cuts.values()), holes)


@kept_by_text
def text_events(
    text: str, before: str, after: str, *, split: Split, size: int, given: tuple[str, ...] = ()
) -> tuple[bytes, ...]:
    """One for each piece, as JSON between `before` and `after`; `split`, `size` and `given` are those of `pieces`."""
    texts = pieces(text, split, given=given, size=size)
    return tuple([f"{before}{quoted(piece)}{after}".encode(errors=AS_ESCAPE) for piece in texts])
