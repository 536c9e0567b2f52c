"""Parses a body once for all its readers: route, rules, view and answer. Knows no wire."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

KEPT = 16
LARGE = 1_000_000
"""Bytes beyond which only the last body is kept: its value takes up to ten times as much."""

_OF_LARGE: list[Callable[[], None]] = []


def forget_large_bodies() -> None:
    """Give back what was made of the last large ones: for whoever has answered one."""
    for forget in _OF_LARGE:
        forget()


def cached_by_body(read: Callable[..., Any]) -> Callable[..., Any]:
    """`read`, a pure function of a body and further arguments, with what it made of the last bodies kept.

    Its values are shared between callers, and never to be changed. What it raises is not kept.
    """
    small, large = lru_cache(maxsize=KEPT)(read), lru_cache(maxsize=1)(read)
    _OF_LARGE.append(large.cache_clear)
    last: tuple[bytes | None, Any] = (None, None)

    def find(body: bytes, **further: Any) -> Any:
        nonlocal last
        if further:
            return (small if len(body) <= LARGE else large)(body, **further)
        # A request is read ten times in a row: to compare identities is quicker than to look its body up.
        newest = last
        if newest[0] is body:
            return newest[1]
        if len(body) > LARGE:
            return large(body)
        value = small(body)
        last = (body, value)
        return value

    return find
