"""Whether a server of tools was asked for them is known of an agent in a process of its own too."""

from pathlib import Path

import pytest

from agent_conformance.attach.isolated.eligible import load_isolated_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.trying import ONE_CALL, scenario

AGENTS = Path(__file__).with_name("agents_with_tool_servers.py")


@pytest.mark.parametrize(("name", "outcome"), [("Unasked", "error"), ("Asked", "fail")])
def test_server_that_nobody_asked_is_no_fault_of_an_isolated_agent(name: str, outcome: str) -> None:
    agent = load_isolated_agent(f"{AGENTS}:{name}", cwd=Path.cwd())
    with CaseSession(agent) as runner:
        [verdict] = [runner.run(case) for case in cases_of(scenario(ONE_CALL), agent, RunOptions())]
    agent.adapter.processes.close()  # type: ignore[attr-defined]

    assert verdict.outcome == outcome, verdict
    assert verdict.reason.startswith("nobody asked the MCP server of the case") == (name == "Unasked")
