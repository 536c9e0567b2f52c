"""Half a character in a scenario: where it may stand, what it becomes, and which agents can get it."""

from typing import Any

import pytest
from scenario_mistakes import RIGHT

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.derived.half_characters import given_to_the_agent, sent_by_the_model, whole_part
from agent_conformance.scenario.loading import ScenarioFile

RETURNS = "returns: 7 degrees"
USER = "- user: What is the weather in Oslo?"
CALL = "{name: get_wether, arguments: {city: Oslo}}"
REPLY = 'text: It is 7 degrees in Oslo.\n        chunks: [It is 7, " degrees in Oslo."]'


class InProcess:
    pass


class OverAProtocol:
    takes_half_characters = False


@pytest.mark.parametrize(
    ("found", "put", "given", "sent"),
    [
        (RETURNS, "returns: {half: Oslo 😀}", True, False),
        (RETURNS, "returns: {places: [{half: 😀}]}", True, False),
        (USER, "- user: {half: Oslo? 😀}", True, False),
        ("result: 20 degrees", "result: {half: 20 degrees 😀}", True, False),
        ("user: Good morning.", "user: {half: Good morning 😀}", True, False),
        (CALL, "{name: get_wether, arguments: {city: {half: Oslo 😀}}}", False, True),
        (REPLY, "text: {half: It is 7 degrees 😀}", False, True),
        (RETURNS, "returns: Oslo 😀", False, False),
    ],
)
def test_half_a_character_may_stand_wherever_a_text_does(load, found: str, put: str, given: bool, sent: bool):
    scenario = only_row(load(RIGHT.replace(found, put)))

    assert (given_to_the_agent(scenario), sent_by_the_model(scenario)) == (given, sent)


def test_half_is_the_text_less_its_last_unit(load):
    scenario = only_row(load(RIGHT.replace(RETURNS, "returns: {half: {repeat: 😀, times: 2}}")))

    assert scenario.tools[0].returns == "😀\ud83d"
    assert whole_part("😀\ud83d!") == "😀"


@pytest.mark.parametrize("written", ["Oslo", '""', "7"])
def test_text_without_an_emoji_at_its_end_has_no_half(load, written: str):
    [problem] = load(RIGHT.replace(RETURNS, f"returns: {{half: {written}}}"))

    assert (problem.line, "expected a text that ends in an emoji" in problem.message) == (11, True)


@pytest.mark.parametrize(
    ("adapter", "missing"), [(InProcess, frozenset()), (OverAProtocol, frozenset({"half characters"}))]
)
def test_agent_over_a_protocol_is_not_verified(load, adapter: Any, missing: frozenset[str]):
    file = load(RIGHT.replace(RETURNS, "returns: {half: Oslo 😀}"))
    assert isinstance(file, ScenarioFile)
    features = frozenset({"history", "native-tools"})
    agent = DeclaredAgent("this", adapter, ("anthropic-messages",), ("plain",), features, ())

    assert [case.missing for case in cases_of(file, agent, RunOptions())] == [missing]


def only_row(loaded: Any) -> Any:
    assert isinstance(loaded, ScenarioFile), loaded
    return loaded.rows[None]
