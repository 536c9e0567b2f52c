"""Whose models write a reply: `written_by`, the feature `open-models`, and the wire on which such a case is played."""

from dataclasses import replace

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.bundled import bundled_files
from tests.trying import ONE_CALL, scenario

WIRES = ("openai-chat", "gemini-generate", "ollama-chat")


def agent(*features: str, wires: tuple[str, ...] = WIRES) -> DeclaredAgent:
    declared = checked_agent("reference", Adapter)
    return replace(declared, wires=wires, features=(declared.features - {"open-models"}) | frozenset(features))


def played(makers: str, declared: DeclaredAgent, *, more: str = "", options: RunOptions | None = None) -> set[str]:
    """Where a scenario that these write runs, as `wire` or `wire:provider`."""
    file = scenario(f"written_by: [{makers}]\n{more}{ONE_CALL}")
    cases = cases_of(file, declared, options or RunOptions())
    assert all(case.missing <= {"open-models"} for case in cases)
    return {case.id.partition("@")[2].partition("+")[0] for case in cases if not case.missing}


def test_reply_of_open_models_is_played_where_a_provider_serves_them() -> None:
    assert played("open-models", agent()) == {"ollama-chat"}


def test_reply_of_a_provider_is_played_on_its_wire() -> None:
    assert played("gemini", agent()) == {"gemini-generate"}


def test_agent_of_open_models_gets_every_reply_on_each_wire() -> None:
    assert played("open-models", agent("open-models")) == set(WIRES)
    assert played("gemini", agent("open-models")) == set(WIRES)


@pytest.mark.parametrize(("provider", "serves"), [("vllm", True), ("openrouter", True), ("azure", False)])
def test_provider_that_is_imitated_decides(provider: str, serves: bool) -> None:
    options = RunOptions(wires=("openai-chat",), providers=(provider,))
    assert bool(played("open-models", agent(), options=options)) is serves


def test_first_wire_is_the_first_whose_models_write_it() -> None:
    assert played("gemini", agent(), more="wires: first\n") == {"gemini-generate"}
    assert played("gemini", agent("open-models"), more="wires: first\n") == {"openai-chat"}


def test_without_such_a_wire_the_case_is_not_verified_on_the_first() -> None:
    file = scenario(f"written_by: [anthropic]\nwires: first\n{ONE_CALL}")
    cases = cases_of(file, agent(), RunOptions())
    assert {case.wire for case in cases} == {"openai-chat"}
    assert {case.missing for case in cases} == {frozenset({"open-models"})}


@pytest.mark.parametrize(("chosen", "missing"), [((), {"open-models"}), (("deepseek",), set())])
def test_scenario_of_another_provider_needs_the_feature_or_that_provider_chosen(
    chosen: tuple[str, ...], missing: set[str]
) -> None:
    file = scenario(f"needs: [open-models]\nproviders: [deepseek]\n{ONE_CALL}")
    cases = cases_of(file, agent(wires=("openai-chat",)), RunOptions(providers=chosen))
    assert [case.missing for case in cases] == [frozenset(missing)] * len(cases) != []


def test_every_bundled_scenario_of_a_provider_needs_it_declared() -> None:
    files = bundled_files()
    named = [row for file in files for row in file.rows.values() if row.providers]
    assert named
    assert all("open-models" in row.needs for row in named)
