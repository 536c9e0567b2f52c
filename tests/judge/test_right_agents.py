"""Nothing in `core` accuses a right agent, whatever its style: the false alarm is as bad as the miss."""

from zlib import crc32

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


AGENTS |= TWINS | STYLES | {"one-call-at-a-time": OneAtATime}
PARTS = 3


def core_verdicts(name: str, part: int | None) -> list[Verdict]:
    """Of the cases of this part of core. A case is in another part for another agent, so each has its share of all."""
    agent = checked_agent("right", AGENTS[name])
    cases = [case for file in bundled_files() for case in cases_of(file, agent, RunOptions(profiles=("core",)))]
    with CaseSession(agent) as runner:
        return [runner.run(case) for case in cases if part in (None, crc32(f"{name} {case.id}".encode()) % PARTS)]


def check_nothing_is_accused(verdicts: list[Verdict], least: int) -> None:
    accused = {
        v.case: [v.outcome, v.reason, *(finding.id for finding in v.findings)]
        for v in verdicts
        if v.outcome not in ("pass", "not-verified")
    }
    judged = [v for v in verdicts if v.outcome == "pass"]
    assert accused == {}
    assert len(judged) > least
    assert sum(v.executions for v in judged) > least


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_no_core_case_accuses_a_right_agent(name: str) -> None:
    check_nothing_is_accused(core_verdicts(name, part=0), 40 // PARTS)


@pytest.mark.weekly
@pytest.mark.parametrize("name", AGENTS)
def test_none_of_all_core_cases_accuses_a_right_agent(name: str) -> None:
    check_nothing_is_accused(core_verdicts(name, part=None), 40)
