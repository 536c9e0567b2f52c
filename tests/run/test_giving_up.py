"""An agent that gives up on a model which calls unknown tools alone is right, in one reply as in five.

One that gives up at the first such call is not.
"""

from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_file
from tests.agents.plain import GaveUp, PlainAgent


class GivesUpOnTheThird(PlainAgent):
    """Right: after three unknown calls of a turn it raises what it declares, and nothing open stays behind."""

    patience = 3

    def begin(self, message: str) -> None:
        super().begin(message)
        self.unknown = 0

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.unknown += sum(text.startswith("There is no tool") for _, _, text in results)
        if self.unknown >= self.patience:
            raise GaveUp("the model calls tools that do not exist")


class GivesUpAtOnce(GivesUpOnTheThird):
    """Wrong: one unknown name ends the turn."""

    patience = 1


def findings(adapter: Any, name: str) -> dict[str, list[str]]:
    agent = checked_agent("trying", adapter)
    files = load_file(bundled_scenarios() / "tool-names" / f"{name}.yaml", root=None)
    with CaseSession(agent) as runner:
        verdicts = [runner.run(case) for case in cases_of(files, agent, RunOptions())]
    return {one.case: [found.id for found in one.at_level("must")] for one in verdicts}


@pytest.mark.parametrize("name", ["all-of-a-batch-invented", "invented-five-times", "invented-twice"])
def test_who_gives_up_after_three_unknown_calls_is_right(name: str) -> None:
    assert [case for case, found in findings(GivesUpOnTheThird, name).items() if found] == []


def test_who_gives_up_at_the_first_is_found() -> None:
    found = findings(GivesUpAtOnce, "invented-twice")

    assert found
    assert all("1.outcome" in ids for ids in found.values())
