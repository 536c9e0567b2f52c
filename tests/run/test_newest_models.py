"""`--agent-models=newest`: the newest model of a wire, where a scenario names none."""

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.derived.routes import first_target
from fake_providers import WIRES
from fake_providers.models import default_model, latest_model
from tests.trying import ONE_CALL, scenario

NAMED = "model: {anthropic-messages: claude-haiku-4-5}\n" + ONE_CALL


def models(text: str, *, newest: bool) -> dict[str, str]:
    agent = checked_agent("reference", Adapter)
    return {
        case.wire: first_target(case.scenario, case.wire, case.provider).model
        for case in cases_of(scenario(text), agent, RunOptions(newest_models=newest))
    }


def test_each_wire_has_its_newest_model() -> None:
    assert models(ONE_CALL, newest=True) == {wire: latest_model(wire) for wire in WIRES}


def test_without_the_option_each_wire_has_its_default_model() -> None:
    assert models(ONE_CALL, newest=False) == {wire: default_model(wire) for wire in WIRES}


def test_a_model_that_the_scenario_names_stays() -> None:
    assert models(NAMED, newest=True)["anthropic-messages"] == "claude-haiku-4-5"


@pytest.mark.parametrize("wire", WIRES)
def test_newest_model_is_another_one(wire: str) -> None:
    assert latest_model(wire) != default_model(wire)
