"""One row for each law and each rule of the default run: what provoked it."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from agent_conformance.judge.laws import LAWS
from fake_providers import Rule
from fake_providers.provider_facts import own_provider
from fake_providers.registry import WIRES, wire_named
from tools.trace.provoked import Provoked, Trace

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Row:
    """`sources` are the threads and recordings of a rule."""

    id: str
    kind: Literal["law", "rule"]
    wire: str
    provider: str
    scenarios: tuple[str, ...]
    mutants: tuple[str, ...]
    agents: tuple[str, ...]
    sources: tuple[str, ...] = ()

    @property
    def is_provoked(self) -> bool:
        return bool(self.mutants or self.agents)


def default_rules() -> Iterator[tuple[str, Rule]]:
    """Wire and rule, in the order of the wires and of the provider's checks: the rules of each wire's own provider."""
    for wire in WIRES:
        yield from ((wire, rule) for rule in wire_named(wire).rules)


def rows_of(trace: Trace) -> list[Row]:
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
) -> Row:
    mutants, agents = tuple(sorted(provoked.mutants)), tuple(sorted(provoked.agents))
    return Row(id, kind, wire, provider, tuple(provoked.scenarios), mutants, agents, sources)


def wrong(rows: Iterable[Row]) -> Iterator[str]:
    """The laws that nothing breaks, a line each."""
    for row in rows:
        if row.kind == "law" and not row.is_provoked:
            yield f"{row.id}: no mutant and no agent breaks this law. Add a mutant that does."


def as_json(rows: Iterable[Row]) -> dict[str, Any]:
    """Equal runs give equal files."""
    return {"format": FORMAT, "rows": [asdict(row) for row in rows]}
