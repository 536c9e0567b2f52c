"""The page `traceability.md`. Runs nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from agent_conformance.commands.trace.rows import Row

SHOWN = 3

HEAD = """# Traceability

Written by `agent-conformance trace --out docs`, from runs: each mutant over the scenarios that it names, and what the
agents of the [leaderboard](leaderboard.md) did. `agent-conformance trace ID` shows everything about one law or rule.
"""

UNPROVOKED = """## Rules that nothing provokes

*Out of an agent's reach*: an agent would have to send what no loop of messages and tools has. *Duplicate of another
rule*: an earlier check, or the same check on another endpoint, answers first.
"""


def page(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the page, the last one empty."""
    laws = [row for row in rows if row.kind == "law"]
    rules = [row for row in rows if row.kind == "rule"]
    yield HEAD
    yield counts(rows)
    yield ""
    yield "## Laws"
    yield ""
    yield from _table(laws)
    for wire, on_wire in groupby((row for row in rules if row.is_provoked), key=lambda row: row.wire):
        yield f"## Rules of {wire}"
        yield ""
        yield from _table(on_wire)
    yield UNPROVOKED
    yield "| rule | reason |"
    yield "|---|---|"
    yield from (f"| `{row.id}` | {row.reason or '**none**'} |" for row in rules if not row.is_provoked)
    yield ""


def counts(rows: Iterable[Row]) -> str:
    """One sentence each on laws, rules and what nothing provokes."""
    known = list(rows)
    rules = [row for row in known if row.kind == "rule"]
    provoked = [row for row in rules if row.is_provoked]
    laws = [row for row in known if row.kind == "law"]
    by_agents = sum(bool(row.agents) for row in provoked)
    left = Counter(row.reason or "no reason" for row in rules if not row.is_provoked)
    because = "; ".join(f"{count} {reason}" for reason, count in left.most_common())
    return (
        f"{sum(row.is_provoked for row in laws)} of {len(laws)} laws and {len(provoked)} of {len(rules)} rules of the "
        f"default run are provoked by a mutant or an agent, {by_agents} of the rules by an agent. "
        f"The others: {because or 'none'}."
    )


def in_full(row: Row) -> Iterator[str]:
    """Everything about one row, a line each."""
    yield row.id
    for label, values in (
        ("scenario", row.scenarios),
        ("mutant", row.mutants),
        ("agent", row.agents),
        ("source", row.sources),
    ):
        yield from (f"  {label:10}{value}" for value in values)
    if row.reason:
        yield f"  {'reason':10}{row.reason}"


def _table(rows: Iterable[Row]) -> Iterator[str]:
    yield "| id | scenarios | mutants | agents |"
    yield "|---|---|---|---|"
    for row in rows:
        cells = (f"`{row.id}`", _some(row.scenarios), _some(row.mutants), _some(row.agents))
        yield "| " + " | ".join(cells) + " |"
    yield ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"`{name}`" for name in names[:SHOWN]) + more
