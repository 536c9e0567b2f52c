"""Replies that can never be told apart: every request that one matches, another matches as well. Matches nothing."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any

from fake_providers.serving.when import When, conditions_of, pattern_of

MOST = 300
"""Replies of which each is compared with each. Of more, a request that two of them match says so."""

Placed = tuple[dict[str, Any], str]
"""The conditions of a reply, and where it is written."""


def check_overlaps(replies: Sequence[When], places: Sequence[str]) -> None:
    """Raises `ValueError` for a reply that gets no request which is not ambiguous."""
    placed = [(conditions_of(reply), place) for reply, place in zip(replies, places, strict=True)]
    _check_equal(placed)
    conditional = [one for one in placed if one[0]]
    if len(conditional) > MOST:
        return
    for (wide, wide_place), (narrow, narrow_place) in permutations(conditional, 2):
        if wide.keys() <= narrow.keys() and _covers(wide, narrow):
            raise ValueError(
                f"{narrow_place}: {wide_place} matches every request that this matches. Add a condition to "
                f"{wide_place}, such as `has_tool_result` or `turn`, or make it the default."
            )


def _check_equal(placed: Sequence[Placed]) -> None:
    """Raises `ValueError` for two replies with the same conditions."""
    earlier: dict[frozenset[tuple[str, Any]], str] = {}
    for conditions, place in placed:
        key = frozenset((name, id(value) if name == "predicate" else value) for name, value in conditions.items())
        first = earlier.get(key)
        if first is None:
            earlier[key] = place
            continue
        if not conditions:
            raise ValueError(f"{place}: {first} is the default already. Keep one of them.")
        raise ValueError(
            f"{place}: {first} has the same conditions. Put the replies into one list: "
            "they are sent in order within a conversation."
        )


def _covers(wide: dict[str, Any], narrow: dict[str, Any]) -> bool:
    return all(_implies(name, narrow[name], value) for name, value in wide.items())


def _implies(name: str, narrow: Any, wide: Any) -> bool:
    if narrow == wide:
        return True
    if name == "tools":
        return bool(wide <= narrow)
    if name in ("user", "system", "result") and isinstance(narrow, str) and isinstance(wide, str):
        return pattern_of(narrow) is None and pattern_of(wide) is None and wide in narrow
    return False
