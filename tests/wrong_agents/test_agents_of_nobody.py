"""Each wrong agent has the finding that it names, and the right agent that it is made from has none there."""

import ast
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_file
from tests.tables import rows
from tests.wrong_agents.wrong import WrongAgent, glob, wrong_agents


def cases(adapter: type[Any], named: str) -> list[Case]:
    """In the first mode that there is, and on each wire."""
    scenario = named.partition("[")[0]
    agent = checked_agent(adapter.__name__, adapter)
    file = load_file(bundled_scenarios() / f"{scenario}.yaml", root=bundled_scenarios())
    found = cases_of(file, agent, RunOptions(brief=True))
    return [case for case in found if fnmatchcase(glob(case.id.partition("@")[0]), glob(named))]


def found_by(adapter: type[Any], named: str) -> dict[str, set[str]]:
    """By case: the ids of its findings."""
    with CaseSession(checked_agent(adapter.__name__, adapter)) as runner:
        return {case.id: {one.id for one in runner.run(case).findings} for case in cases(adapter, named)}


def pairs() -> list[tuple[WrongAgent, str, str]]:
    return [(agent, scenario, finding) for agent in wrong_agents() for scenario, finding in agent.found]


@rows("pair", pairs(), ids=lambda pair: f"{pair[0].name} {pair[1]}")
def test_wrong_agent_has_the_finding_that_names_its_bug(pair: tuple[WrongAgent, str, str]) -> None:
    agent, scenario, finding = pair

    found = found_by(agent.adapter, scenario)

    assert found
    assert {
        case: ids for case, ids in found.items() if not any(fnmatchcase(glob(id), glob(finding)) for id in ids)
    } == {}


@rows(
    "pair",
    sorted({(agent.right, scenario) for agent, scenario, _ in pairs()}, key=str),
    ids=lambda pair: f"{pair[0].__name__} {pair[1]}",
)
def test_right_agent_has_no_finding_there(pair: tuple[type[Any], str]) -> None:
    found = found_by(*pair)

    assert {case: ids for case, ids in found.items() if ids} == {}


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*_*.py")), ids=lambda path: path.stem)
def test_wrong_agents_know_the_public_api_alone(path: Path) -> None:
    imported = {
        node.module
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
    }

    inside = {module for module in imported if module.startswith(("agent_conformance.", "fake_providers"))}
    assert path == Path(__file__) or inside == set()


def test_each_bug_has_its_thread_and_one_name() -> None:
    names = [agent.name for agent in wrong_agents()]

    assert len(set(names)) == len(names)
    assert [agent.name for agent in wrong_agents() if agent.thread.count("/") < 6] == []
