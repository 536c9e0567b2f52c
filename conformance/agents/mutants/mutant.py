"""What a mutant is. Knows the parts of the reference agent; knows no scenario, no case and no wire."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.agents.reference import Adapter, Parts

Change = Callable[[Parts], Parts]


@dataclass(frozen=True, slots=True)
class Mutant:
    """The reference agent with one historic bug put back.

    `breaks` is the defence, `source` the thread or behaviour, `kill` the pairs of globs, scenario and finding, of which
    each must come true. `change` replaces the defence. One that is not `reachable` says so in `reason`.
    """

    name: str
    breaks: str
    source: str
    kill: tuple[tuple[str, str], ...]
    change: Change
    reachable: bool = True
    reason: str = ""


def mutant_adapter(mutant: Mutant) -> type[Adapter]:
    """The adapter of this mutant: the reference agent's, with other parts and nothing shared."""

    class MutantAdapter(Adapter):
        parts: ClassVar[Parts] = mutant.change(Adapter.parts)

    MutantAdapter.__name__ = MutantAdapter.__qualname__ = mutant.name
    return MutantAdapter


def untouched(_: Any) -> Parts:
    """The change of a mutant that cannot be reached."""
    return Adapter.parts
