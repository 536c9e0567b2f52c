"""A mutant: the reference agent with one defence replaced, where the bug occurred, and what must catch it."""

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from agent_conformance.agents.reference import Adapter, Defences

Change = Callable[[Defences], Defences]


@dataclass(frozen=True, slots=True)
class NamedPair:
    """One entry of `caught_by`: globs of scenarios, of the rows of their examples, and of findings."""

    scenario: str
    rows: tuple[str, ...]
    finding: str

    def names(self, scenario: str) -> bool:
        return fnmatchcase(scenario, self.scenario)

    def names_row(self, scenario: str, row: str | None) -> bool:
        """Whether to run this row; without `rows`, any row of the scenario may have the finding."""
        fits = not self.rows or (row is not None and any(fnmatchcase(row, glob) for glob in self.rows))
        return fits and self.names(scenario)


@dataclass(frozen=True, slots=True)
class Mutant:
    """The reference agent with one historic bug put back.

    `breaks` is the defence that it lacks, `source` the report of the bug, `change` the function that replaces the
    defence. `caught_by` has pairs of globs, scenario and finding: each of these scenarios must have this finding. The
    glob of a scenario may be followed by rows of its examples, as in `area/name[row, row]`: then each of these rows
    must have it. A mutant that no scenario can reach has `reachable=False` and a `reason`.
    """

    name: str
    breaks: str
    source: str
    caught_by: tuple[tuple[str, str], ...]
    change: Change
    reachable: bool = True
    reason: str = ""

    @property
    def pairs(self) -> tuple[NamedPair, ...]:
        return tuple(_pair(scenario, finding) for scenario, finding in self.caught_by)

    def names(self, scenario: str) -> bool:
        """Whether this scenario must catch it."""
        return any(pair.names(scenario) for pair in self.pairs)

    def names_row(self, scenario: str, row: str | None) -> bool:
        """Whether this row, or None for a scenario without examples, is one of those to run."""
        return any(pair.names_row(scenario, row) for pair in self.pairs)


def _pair(scenario: str, finding: str) -> NamedPair:
    glob, _, rows = scenario.removesuffix("]").partition("[")
    return NamedPair(glob, tuple(row.strip() for row in rows.split(",")) if rows else (), finding)


class Mutants(list[Mutant]):
    """The mutants of one kind, in the order in which they are written down."""

    def add(
        self,
        name: str,
        breaks: str,
        source: str,
        caught_by: tuple[tuple[str, str], ...],
        *,
        reachable: bool = True,
        reason: str = "",
    ) -> Callable[[Change], Change]:
        """A decorator of the change that puts the bug back."""

        def added(change: Change) -> Change:
            self.append(Mutant(name, breaks, source, caught_by, change, reachable, reason))
            return change

        return added


def mutant_adapter(mutant: Mutant) -> type[Adapter]:
    """The adapter of this mutant: the reference agent's, with other defences."""

    class MutantAdapter(Adapter):
        defences: ClassVar[Defences] = mutant.change(Adapter.defences)

    MutantAdapter.__name__ = MutantAdapter.__qualname__ = mutant.name
    return MutantAdapter


def unchanged(_: Any) -> Defences:
    """The change of a mutant that no scenario can reach."""
    return Adapter.defences
