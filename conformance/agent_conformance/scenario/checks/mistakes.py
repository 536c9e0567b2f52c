"""What the checks of a scenario share: the shape of a mistake, and the expectations of a turn with their places."""

from collections.abc import Iterable, Iterator

from agent_conformance.scenario.model import Demands, Turn
from agent_conformance.scenario.yaml_files.problems import did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath

Found = Iterator[tuple[KeyPath, str]]
"""The path and the sentence of each mistake."""


def demands_of(turn: Turn, number: int) -> Iterator[tuple[Demands, KeyPath]]:
    """`expect` of the turn with this number from 0, and `should` below it, each with its path."""
    path: KeyPath = ("conversation", number, "expect")
    yield turn.expect, path
    if turn.expect.should is not None:
        yield turn.expect.should, (*path, "should")


def undeclared(name: str, path: KeyPath, names: Iterable[str]) -> Found:
    """The mistake that a tool of this name is not among `names`, if it is not."""
    known = list(dict.fromkeys(names))
    if name not in known:
        allowed = f"Declared: {listed(known)}." if known else "The scenario declares no tools."
        yield path, f"`{name}` is no tool of this scenario.{did_you_mean(name, known)} {allowed}"
