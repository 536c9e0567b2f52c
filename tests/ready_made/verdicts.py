"""docs/verdicts as data, and which failing pairs of agent and finding it covers."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "docs" / "verdicts"


def verdicts() -> list[dict[str, Any]]:
    """Of all agents; `several.yaml` has those that are about more than one."""
    return [
        verdict
        for path in sorted(FOLDER.glob("*.yaml"))
        for verdict in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    ]


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
