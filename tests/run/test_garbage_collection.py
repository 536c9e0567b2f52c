"""A session leaves little to garbage collection: neither what is loaded, nor case runs that are over."""

import gc
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.run.case_run import CaseRun
from agent_conformance.run.case_session import MANY_MODULES, CaseSession
from agent_conformance.run.provider.case_provider import CaseProvider
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.transcript import RecordedRequest, Transcript, TurnRecord
from tests.agents.plain import PlainAgent
from tests.run.end_of_test import OVER
from tests.trying import ONE_CALL, scenario

OURS = (CaseRun, CaseProvider, RunningTurn, Toolbox, Transcript, TurnRecord, RecordedRequest)
NAMES = [f"an_sdk_{number}" for number in range(MANY_MODULES)]


@pytest.fixture(autouse=True)
def _none_loaded() -> Iterator[None]:
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


def alive() -> set[int]:
    return {id(thing) for thing in gc.get_objects() if isinstance(thing, OURS)}


def test_case_run_that_is_over_is_freed_without_a_collection() -> None:
    known = checked_agent("trying", PlainAgent)
    [case] = cases_of(scenario(f"wires: [openai-chat]\n{ONE_CALL}"), known, RunOptions())
    with CaseSession(known) as runner:
        runner.run(case)
        gc.collect()
        before = alive()
        gc.disable()
        try:
            assert runner.run(case).outcome == "pass"
            assert alive() <= before
        finally:
            gc.enable()


class Hangs(PlainAgent):
    def send(self, message: str) -> Any:
        super().send(message)
        OVER.wait()


def test_agent_that_is_left_behind_keeps_nothing_that_was_recorded() -> None:
    known = checked_agent("trying", Hangs)
    [case] = cases_of(scenario(f"wires: [openai-chat]\n{ONE_CALL}"), known, RunOptions())
    with CaseSession(known, timeout=0.5) as runner:
        before = alive()
        verdict = runner.run(case)
        gc.collect()

        assert verdict.outcome == "fail"
        recorded = [thing for thing in gc.get_objects() if isinstance(thing, TurnRecord | RecordedRequest)]
        assert {id(thing) for thing in recorded} <= before


class ImportsAnSdk(PlainAgent):
    modules = NAMES

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        for name in self.modules:
            sys.modules.setdefault(name, types.ModuleType(name))


class ImportsLittle(ImportsAnSdk):
    modules = NAMES[:-1]


@pytest.mark.parametrize(("agent", "kept"), [(ImportsAnSdk, True), (ImportsLittle, False)])
def test_sdk_imported_on_first_use_is_frozen(agent: type[PlainAgent], kept: bool) -> None:
    known = checked_agent("trying", agent)
    [case] = cases_of(scenario(f"wires: [openai-chat]\n{ONE_CALL}"), known, RunOptions())
    with CaseSession(checked_agent("trying", PlainAgent)) as runner:
        runner.run(case)  # what the suite and the client import on first use
    with CaseSession(known) as runner:
        first = gc.get_freeze_count()
        runner.run(case)
        second = gc.get_freeze_count()
        runner.run(case)

        assert (second > first) is kept
        assert gc.get_freeze_count() <= second  # a frozen object may die, and a second freeze would add thousands
