"""One row for each law and each rule of the default run: what provoked it, or why nothing does."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agent_conformance.commands.trace.provoked import Provoked, Trace
from agent_conformance.commands.trace.reasons import Reason
from agent_conformance.judge.laws import LAWS
from fake_providers import Rule
from fake_providers.provider_facts import own_provider
from fake_providers.registry import WIRES, wire_named

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Row:
    """`sources` are the threads and recordings of a rule. `reason`: why nothing provokes it."""

    id: str
    kind: Literal["law", "rule"]
    wire: str
    provider: str
    scenarios: tuple[str, ...]
    mutants: tuple[str, ...]
    agents: tuple[str, ...]
    sources: tuple[str, ...] = ()
    reason: Reason | None = None

    @property
    def is_provoked(self) -> bool:
        return bool(self.mutants or self.agents)


def default_rules() -> Iterator[tuple[str, Rule]]:
    """Wire and rule, in the order of the wires and of the provider's checks: the rules of each wire's own provider."""
    for wire in WIRES:
        yield from ((wire, rule) for rule in wire_named(wire).rules)


def rows_of(trace: Trace, reasons: Mapping[str, Reason]) -> list[Row]:
    """The laws first."""
    nothing = Provoked()
    laws = [_row(law.id, "law", "", "", trace.get(law.id, nothing)) for law in LAWS]
    rules = [
        _row(
            rule.id,
            "rule",
            wire,
            own_provider(wire),
            trace.get(rule.id, nothing),
            tuple(citation.source for citation in rule.evidence),
            reasons.get(rule.id),
        )
        for wire, rule in default_rules()
    ]
    return [*laws, *rules]


def _row(
    id: str,
    kind: Literal["law", "rule"],
    wire: str,
    provider: str,
    provoked: Provoked,
    sources: tuple[str, ...] = (),
    reason: Reason | None = None,
) -> Row:
    mutants, agents = tuple(sorted(provoked.mutants)), tuple(sorted(provoked.agents))
    return Row(id, kind, wire, provider, tuple(provoked.scenarios), mutants, agents, sources, reason)


def wrong(rows: Iterable[Row]) -> Iterator[str]:
    """What is wrong, a line each: nothing provokes a law, or a rule without a reason; a reason is out of date."""
    for row in rows:
        if not row.is_provoked and row.kind == "law":
            yield f"{row.id}: no mutant and no agent breaks this law. Add a mutant that does."
        elif not row.is_provoked and row.reason is None:
            yield f"{row.id}: nothing provokes this rule. Add a mutant that does, or a reason to reasons.yaml."
        elif row.is_provoked and row.reason is not None:
            found = ", ".join((*row.mutants, *row.agents)[:2])
            yield f"{row.id}: {found} provoked it, and reasons.yaml says {row.reason!r}. Delete the reason."


def as_json(rows: Iterable[Row]) -> dict[str, Any]:
    """Equal runs give equal files."""
    return {"format": FORMAT, "rows": [asdict(row) for row in rows]}


def from_json(written: Mapping[str, Any]) -> list[Row]:
    """The rows of a document that `as_json` has written."""
    lists = ("scenarios", "mutants", "agents", "sources")
    return [Row(**{**row, **{name: tuple(row[name]) for name in lists}}) for row in written["rows"]]
