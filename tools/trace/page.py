"""The page `traceability.md`. Runs nothing."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from tools.trace.rows import Row

SHOWN = 3

HEAD = """# Traceability

Written by `python -m tools trace --out DIR`, from runs: each mutant over the scenarios that it names, and what the
agents of the leaderboard did.
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
    yield "## Rules that only their own samples provoke"
    yield ""
    yield ", ".join(f"`{row.id}`" for row in rules if not row.is_provoked)
    yield ""


def counts(rows: Iterable[Row]) -> str:
    """One sentence on what laws and rules are provoked by."""
    known = list(rows)
    rules = [row for row in known if row.kind == "rule"]
    provoked = [row for row in rules if row.is_provoked]
    laws = [row for row in known if row.kind == "law"]
    by_agents = sum(bool(row.agents) for row in provoked)
    return (
        f"{sum(row.is_provoked for row in laws)} of {len(laws)} laws and {len(provoked)} of {len(rules)} rules of the "
        f"default run are provoked by a mutant or an agent, {by_agents} of the rules by an agent. "
        "The others only by their own samples."
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
