"""Replies that can never be told apart: every request that one matches, another matches as well. Matches nothing."""

from collections.abc import Sequence
from typing import Any

from fakes.serving.when import When, conditions_of, pattern_of


def check_overlaps(replies: Sequence[When], places: Sequence[str]) -> None:
    """Raises `ValueError` for the first reply that gets no request which is not ambiguous."""
    for later in range(len(replies)):
        for earlier in range(later):
            message = _overlap(replies[earlier], replies[later], places[earlier], places[later])
            if message is not None:
                raise ValueError(message)


def _overlap(first: When, second: When, first_place: str, second_place: str) -> str | None:
    one, other = conditions_of(first), conditions_of(second)
    if not one or not other:
        return None if one or other else f"{second_place}: {first_place} is the default already. Keep one of them."
    if one == other:
        return (
            f"{second_place}: {first_place} has the same conditions. Put the replies into one list: "
            "they are sent in order within a conversation."
        )
    for wide, narrow, wide_place, narrow_place in (
        (one, other, first_place, second_place),
        (other, one, second_place, first_place),
    ):
        if _covers(wide, narrow):
            return (
                f"{narrow_place}: {wide_place} matches every request that this matches. Add a condition to "
                f"{wide_place}, such as `has_tool_result` or `turn`, or make it the default."
            )
    return None


def _covers(wide: dict[str, Any], narrow: dict[str, Any]) -> bool:
    return all(name in narrow and _implies(name, narrow[name], value) for name, value in wide.items())


def _implies(name: str, narrow: Any, wide: Any) -> bool:
    if narrow == wide:
        return True
    if name == "tools":
        return bool(wide <= narrow)
    if name in ("user", "system", "result") and isinstance(narrow, str) and isinstance(wide, str):
        return pattern_of(narrow) is None and pattern_of(wide) is None and wide in narrow
    return False
