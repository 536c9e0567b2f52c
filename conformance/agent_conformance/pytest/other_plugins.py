"""Plugins of others: whether they take cases out of a run, and what they need to report one."""

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.pytest.items import CaseItem

REMOVED = "agent_removed_cases"
"""The key under which a worker of xdist says how many cases were removed."""

CHOOSING = frozenset(("_pytest", "agent_conformance"))
"""The packages that deselect because an option asks for it: `-k`, `-m`, `--deselect`, `--lf`, `--agent-shard`."""


class Removals:
    """Counts the cases that were collected, and are not to run although no option of pytest or ours left them out."""

    def __init__(self, record: RunRecord) -> None:
        self._record = record
        self._collected: set[str] = set()
        self._chosen_out: set[str] = set()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        if isinstance(item, CaseItem):
            self._collected.add(item.nodeid)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        if caller().partition(".")[0] in CHOOSING:
            self._chosen_out.update(item.nodeid for item in items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        left = {item.nodeid for item in session.items}
        self._record.removed = len(self._collected - self._chosen_out - left)
        if hasattr(session.config, "workerinput"):
            vars(session.config)["workeroutput"][REMOVED] = self._record.removed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Every worker collects all cases, and the process that prints none."""
        self._record.removed = max(self._record.removed, getattr(node, "workeroutput", {}).get(REMOVED, 0))


def caller() -> str:
    """The module that has called the hook."""
    frame = inspect.currentframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name != __name__ and not name.startswith("pluggy."):
            return name
        frame = frame.f_back
    return ""


def name_in_allure(config: pytest.Config) -> None:
    """allure-pytest takes what stands behind `::` in an id for the name of the test: without it, each case is an error.

    Two cases have the same history there if they have the same name.
    """
    utils = sys.modules.get("allure_pytest.utils")
    parsed = getattr(utils, "ParsedPytestNodeId", None)
    if utils is None or parsed is None:
        return

    def parsed_id(nodeid: str) -> object:
        return parsed(nodeid if "::" in nodeid else id_with_function(nodeid))

    vars(utils)["ParsedPytestNodeId"] = parsed_id
    config.add_cleanup(lambda: vars(utils).update(ParsedPytestNodeId=parsed))


def id_with_function(id: str) -> str:
    """`history/x[row]@gemini-generate+plain` as `history/x::row@gemini-generate+plain`: a `[` would end the name."""
    name, _, target = id.partition("@")
    scenario, _, row = name.partition("[")
    return f"{scenario}::{row.removesuffix(']')}@{target}"
