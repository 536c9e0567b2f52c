"""What a run has judged, for the file beside the baseline. A run is whole if nothing but a profile chose its cases."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.baseline.judged_cases_file import Judged, fewer
from agent_conformance.baseline.run_record import RunRecord
from agent_conformance.pytest.collection import Catalogue
from agent_conformance.pytest.options import Options


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
