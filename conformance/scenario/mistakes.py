"""What the checks of a scenario share: the shape of a mistake, and the expectations of a turn with their places."""

from collections.abc import Iterator

from conformance.scenario.model import Demands, Turn
from conformance.scenario.reading import KeyPath

Found = Iterator[tuple[KeyPath, str]]
"""The path and the sentence of each mistake."""


def demands_of(turn: Turn, number: int) -> Iterator[tuple[Demands, KeyPath]]:
    """`expect` of the turn with this number from 0, and `should` below it, each with its path."""
    path: KeyPath = ("conversation", number, "expect")
    yield turn.expect, path
    if turn.expect.should is not None:
        yield turn.expect.should, (*path, "should")
