"""What a mutant is. Knows the defences of the reference agent; knows no scenario, no case and no wire."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from conformance.agents.reference import Adapter, Defences

Change = Callable[[Defences], Defences]


@dataclass(frozen=True, slots=True)
class Mutant:
    """The reference agent with one historic bug put back.

    `breaks` is the defence that it lacks, `source` the report of the bug, `change` the function that replaces the
    defence. `caught_by` has pairs of globs, scenario and finding: each of these scenarios must have this finding. One
    that no scenario can reach has `reachable=False` and a `reason`.
    """

    name: str
    breaks: str
    source: str
    caught_by: tuple[tuple[str, str], ...]
    change: Change
    reachable: bool = True
    reason: str = ""


def mutant_adapter(mutant: Mutant) -> type[Adapter]:
    """The adapter of this mutant: the reference agent's, with other defences."""

    class MutantAdapter(Adapter):
        defences: ClassVar[Defences] = mutant.change(Adapter.defences)

    MutantAdapter.__name__ = MutantAdapter.__qualname__ = mutant.name
    return MutantAdapter


def unchanged(_: Any) -> Defences:
    """The change of a mutant that no scenario can reach."""
    return Adapter.defences
