"""What a run has judged, for the file beside the baseline, and plugins of others.

A run is whole if nothing but a profile chose its cases. Plugins may take cases out of it, and need something to report
one.
"""

import inspect
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.baseline.judged_cases_file import Judged, fewer
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.pytest.collection import Catalogue
from agent_conformance.pytest.items import CaseItem
from agent_conformance.pytest.options import Options

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


def judged_in(
    session: pytest.Session,
    record: RunRecord,
    *,
    agent: DeclaredAgent,
    options: Options,
    catalogue: Catalogue,
    folders: Iterable[Path],
    is_stopped: bool,
    fuzzed: int,
) -> Judged:
    """What is declared, and how many cases have a verdict, where nothing but a profile chose them. `fuzzed` of the
    judged ones are made up."""
    option, selected = session.config.option, catalogue.selection
    is_whole = (
        not (options.cases or options.wires or options.modes or options.providers or options.shard or options.version)
        and not (selected.patterns or selected.filters or option.keyword or option.markexpr or option.deselect)
        and set(folders).issubset(selected.paths)
        and not (getattr(option, "lf", False) or session.shouldstop or session.shouldfail or is_stopped)
        and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    )
    profiles = ", ".join(options.profiles or ("core", "hardened"))
    name = profiles if options.models == "default" else f"{profiles} with the newest models"
    if not (is_whole and record.judged):
        return Judged(tuple(sorted(agent.features)), agent.wires, agent.modes)
    recorded = record.recorded(writes=options.snapshot_update)
    counts = {name: record.judged - fuzzed}, {name: recorded} if recorded else {}
    return Judged(tuple(sorted(agent.features)), agent.wires, agent.modes, *counts)


def note_fewer(
    record: RunRecord, judged: Judged, before: Judged | None, *, options: Options, catalogue: Catalogue
) -> None:
    """What the baseline says was judged, and is not now, or of how many cases this run has a part."""
    if before is not None and not options.accept_fewer:
        record.fewer = fewer(before, judged, record.cases)
    if before is not None and not (options.cases or catalogue.selection.patterns):
        record.in_part = before.in_part(judged, record.judged)
