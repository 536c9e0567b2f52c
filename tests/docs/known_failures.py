"""What docs/coverage.yaml says of known failures, and the tables that docs/maintainers/coverage.md has of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import zip_longest

import yaml

from agent_mutants import MUTANTS, encoding
from tests.bundled import bundled_files
from tests.docs.documents import ROOT
from tests.wrong_agents.wrong import wrong_agents

MOST_AGENTS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """A failure or a behaviour; `scenarios` are ids or globs, `threads` are `owner/name#number`."""

    what: str
    area: str = ""
    threads: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    missing: str = ""


def incidents() -> list[Row]:
    return _rows("incidents")


def behaviours() -> list[Row]:
    return _rows("behaviours")


@cache
def scenario_ids() -> tuple[str, ...]:
    return tuple(file.id for file in bundled_files())


def scenarios_of(row: Row) -> list[str]:
    return [id for id in scenario_ids() if any(fnmatchcase(id, glob) for glob in row.scenarios)]


@cache
def mutants_of(scenario: str) -> tuple[str, ...]:
    """The mutants that this scenario must catch, but for those that fail wherever a request is sent."""
    known = [m for m in MUTANTS if m.reachable and m not in encoding.MUTANTS]
    return tuple(m.name for m in known if m.names(scenario))


def failing(scenario: str) -> tuple[str, ...]:
    """Mutants, then agents that are wrong otherwise."""
    return (*mutants_of(scenario), *(agent.name for agent in wrong_agents() if agent.names(scenario)))


def incident_lines(rows: Iterable[Row]) -> list[tuple[str, str, str, str]]:
    return [(row.area, f"{row.what} ({_links(row)})", _played(row), _failed_by(row)) for row in rows]


def behaviour_lines(rows: Iterable[Row]) -> list[tuple[str, str, str]]:
    return [(row.what, _played(row), _failed_by(row)) for row in rows]


def counts() -> str:
    played = [sum(bool(row.scenarios) for row in rows) for rows in (incidents(), behaviours())]
    return (
        f"Of {len(incidents())} kinds of incidents {played[0]} are played, and of {len(behaviours())} behaviours"
        f" {played[1]}. The others say why they are not.\n"
    )


def _rows(name: str) -> list[Row]:
    written = yaml.safe_load((ROOT / "docs" / "coverage.yaml").read_text(encoding="utf-8"))
    return [Row(**{key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}) for row in written[name]]


def _links(row: Row) -> str:
    return ", ".join(f"[{thread}](https://github.com/{thread.replace('#', '/issues/')})" for thread in row.threads)


def _played(row: Row) -> str:
    names = ", ".join(f"`{name}`" for name in row.scenarios)
    return "; ".join(part for part in (names, row.missing) if part)


def _failed_by(row: Row) -> str:
    """Some of the agents, each scenario's first before its second; with all, the page would change often."""
    turns = zip_longest(*map(failing, scenarios_of(row)))
    names = dict.fromkeys(name for turn in turns for name in turn if name)
    return ", ".join(f"`{name}`" for name in list(names)[:MOST_AGENTS])
