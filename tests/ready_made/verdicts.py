"""Which failing pairs of agent and finding docs/verdicts covers."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

from tools.leaderboard.runs_of_verdicts import verdicts


def covers(verdict: dict[str, Any], agent: str, pair: str, *, field: str = "covers") -> bool:
    """Whether the verdict is about this agent's finding; `pair` is `area/scenario#finding`."""
    return agent in verdict["agents"] and any(matches(pair, pattern) for pattern in verdict.get(field, ()))


def matches(pair: str, pattern: str) -> bool:
    """Brackets are literal: `1.requests[0]` is an id, not a set of characters."""
    return fnmatchcase(pair, pattern.replace("[", "[[]"))


def without_verdict(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The failing pairs that no verdict covers, with the first case of each."""
    known = verdicts()
    return [
        f"{row['agent']}: {pair}, first in {failing['first']}"
        for row in rows
        for pair, failing in row["failing"].items()
        if not any(covers(verdict, row["agent"], pair) for verdict in known)
    ]
