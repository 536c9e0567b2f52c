"""The reference agent passes the long sessions on every wire, though a run plays each on one."""

from dataclasses import replace

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile
from tests.bundled import bundled_files
from tests.tables import rows

FILES = [file for file in bundled_files() if file.area == "long-sessions"]


def on_every_wire(file: ScenarioFile) -> ScenarioFile:
    """The file as if it had no `wires: first` and no `modes: first`."""
    freed = {
        row: scenario.changed({field: None for field in ("wires", "modes") if getattr(scenario, field) == "first"})
        for row, scenario in file.rows.items()
    }
    return replace(file, rows=freed)


@pytest.mark.weekly
@rows("file", FILES, ids=lambda file: file.id)
def test_reference_agent_has_no_finding_on_any_wire(file: ScenarioFile) -> None:
    agent = checked_agent("reference", Adapter)
    with CaseSession(agent) as runner:
        verdicts = [runner.run(case) for case in cases_of(on_every_wire(file), agent, RunOptions())]

    assert {verdict.case: [finding.id for finding in verdict.at_level("must")] for verdict in verdicts} == {
        verdict.case: [] for verdict in verdicts
    }
    assert {verdict.outcome for verdict in verdicts} == {"pass"}
