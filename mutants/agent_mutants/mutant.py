"""A mutant: the reference agent with one defence replaced, where the bug occurred, and what must catch it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar, TypeVar

from agent_conformance import mutants as shown
from agent_conformance.agents.reference import Adapter, Defences

RIGHT = Adapter.defences
"""The defences of the reference agent."""

Change = Callable[[Defences], Defences]
CaughtBy = Mapping[str, str | tuple[str, ...]]
"""Scenarios, and the finding or findings that each must have. All are globs."""


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


def replaced(right: Defences, replacements: Mapping[str, Any]) -> Defences:
    """These defences with others. A name is that of a defence, of a field of how it reads texts, or of a pass of its
    repairs, which None leaves out; `first_pass` and `last_pass` are one pass more. Raises `TypeError` for other names.
    """
    left = dict(replacements)
    passes = {one.__name__: one for one in right.repair_passes}
    passes = {name: left.pop(name, one) for name, one in passes.items()}
    repairs = (left.pop("first_pass", None), *passes.values(), left.pop("last_pass", None))
    reading = {name: left.pop(name) for name in [field.name for field in fields(right.reading)] if name in left}
    return replace(
        right,
        repair_passes=tuple(one for one in repairs if one is not None),
        reading=replace(right.reading, **reading),
        **left,
    )


Function = TypeVar("Function", bound=Callable[..., Any])


class Mutants(list[Mutant]):
    """A table of mutants, in the order in which they are written down. `reason` says why none can reach a mutant."""

    def row(
        self, name: str, breaks: str, source: str, caught_by: CaughtBy, *, reason: str = "", **replacements: Any
    ) -> None:
        """A mutant with these replacements, named as in `replaced`."""
        self._add(name, breaks, source, caught_by, lambda right: replaced(right, replacements), reason)

    def replaces(
        self,
        what: str,
        breaks: str,
        source: str,
        caught_by: CaughtBy,
        *,
        through: Callable[[Any], Any] = lambda function: function,
        reason: str = "",
        **more: Any,
    ) -> Callable[[Function], Function]:
        """A mutant with the name of the function below, which replaces `what`, or which `through` makes into it."""

        def added(function: Function) -> Function:
            replacements = {what: through(function), **more}
            self._add(function.__name__, breaks, source, caught_by, lambda right: replaced(right, replacements), reason)
            return function

        return added

    def changes(self, breaks: str, source: str, caught_by: CaughtBy) -> Callable[[Change], Change]:
        """A mutant with the name of the function below, which makes its defences: of several, or with a memory."""

        def added(change: Change) -> Change:
            self._add(change.__name__, breaks, source, caught_by, change, "")
            return change

        return added

    def shown(self, name: str, breaks: str, source: str, caught_by: CaughtBy) -> None:
        """A mutant that documents show to users: its agent is in `agent_conformance.mutants`."""
        defences: Defences = getattr(shown, name).defences
        self._add(name, breaks, source, caught_by, lambda right: defences, "")

    def _add(self, name: str, breaks: str, source: str, caught_by: CaughtBy, change: Change, reason: str) -> None:
        pairs = [
            (scenario, finding)
            for scenario, findings in caught_by.items()
            for finding in ((findings,) if isinstance(findings, str) else findings)
        ]
        self.append(Mutant(name, breaks, source, tuple(pairs), change, not reason, reason))


def mutant_adapter(mutant: Mutant) -> type[Adapter]:
    """The adapter of this mutant: the reference agent's, with other defences."""

    class MutantAdapter(Adapter):
        defences: ClassVar[Defences] = mutant.change(RIGHT)

    MutantAdapter.__name__ = MutantAdapter.__qualname__ = mutant.name
    return MutantAdapter
