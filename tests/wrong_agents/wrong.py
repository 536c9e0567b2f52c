"""Wrong agents: each has one historic bug, the thread that reports it, and the finding that must name it.

They are written against the public API alone, as agents of users are. They know neither the reference agent nor laws.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class WrongAgent:
    """`found` has ids of scenarios, each maybe with a row, `area/name[row]`, and the finding that it must have there.

    `right` is the agent that it differs from in one method, which has no finding in any of them.
    """

    adapter: type[Any]
    right: type[Any]
    thread: str
    found: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return self.adapter.__name__

    def names(self, scenario: str) -> bool:
        """Whether a finding is demanded in this scenario, in any row."""
        return any(case.partition("[")[0] == scenario for case, _ in self.found)

    def names_row(self, scenario: str, row: str) -> bool:
        return any(fnmatchcase(f"{scenario}({row})", glob(case)) for case, _ in self.found)


_LISTED: list[WrongAgent] = []


@cache
def wrong_agents() -> tuple[WrongAgent, ...]:
    """Those of all modules `*_bugs`."""
    for path in sorted(Path(__file__).parent.glob("*_bugs.py")):
        importlib.import_module(f"tests.wrong_agents.{path.stem}")
    return tuple(_LISTED)


def wrong(thread: str, *found: tuple[str, str]) -> Callable[[type[Any]], type[Any]]:
    """Lists a class whose base is the right agent."""

    def listed(adapter: type[Any]) -> type[Any]:
        _LISTED.append(WrongAgent(adapter, adapter.__bases__[0], f"https://github.com/{thread}", found))
        return adapter

    return listed


def glob(case: str) -> str:
    """Brackets would be a set of characters."""
    return case.replace("[", "(").replace("]", ")")
