"""Nothing in `core` accuses a right agent, whatever its style: the false alarm is as bad as the miss."""

from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.agents import right_anthropic, right_openai
from tests.agents.answering_by_a_tool import answering_by_a_tool
from tests.agents.asking import AskingAgent
from tests.agents.one_at_a_time import OneAtATime
from tests.agents.own_styles import STYLES
from tests.agents.plain import PlainAgent
from tests.bundled import bundled_files

AGENTS = {
    "openai": right_openai.Adapter,
    "anthropic": right_anthropic.Adapter,
    "plain": PlainAgent,
    "asking-for-more": AskingAgent,
}
TWINS = {f"{name}-by-a-tool": answering_by_a_tool(agent) for name, agent in AGENTS.items()}


def core_verdicts(adapter: Any) -> list[Verdict]:
    agent = checked_agent("right", adapter)
    files = bundled_files()
    with CaseSession(agent) as runner:
        return [runner.run(case) for file in files for case in cases_of(file, agent, RunOptions(profiles=("core",)))]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*AGENTS, *TWINS, *STYLES, "one-call-at-a-time"])
def test_no_core_case_accuses_a_right_agent(name: str) -> None:
    verdicts = core_verdicts((AGENTS | TWINS | STYLES | {"one-call-at-a-time": OneAtATime})[name])

    accused = {
        v.case: [v.outcome, v.reason, *(finding.id for finding in v.findings)]
        for v in verdicts
        if v.outcome not in ("pass", "not-verified")
    }
    judged = [v for v in verdicts if v.outcome == "pass"]
    assert accused == {}
    assert len(judged) > 40
    assert sum(v.executions for v in judged) > 40
