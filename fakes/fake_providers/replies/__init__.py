"""What scripted replies share on every wire: their calls, pieces, timing, faults and limits."""

from collections.abc import Callable
from functools import lru_cache
from typing import Concatenate, ParamSpec, TypeVar

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


@kept_by_text
def text_events(
    text: str, before: str, after: str, *, split: Split, size: int, given: tuple[str, ...] = ()
) -> tuple[bytes, ...]:
    """One for each piece, as JSON between `before` and `after`; `split`, `size` and `given` are those of `pieces`."""
    texts = pieces(text, split, given=given, size=size)
    return tuple([f"{before}{quoted(piece)}{after}".encode(errors=AS_ESCAPE) for piece in texts])
