"""The features a scenario needs follow from what it does."""

import pytest
from scenario_mistakes import RIGHT

from agent_conformance.scenario.derived.routes import demands_no_tools, features_needed

PLAIN = "description: a fact\nprofile: core\nconversation:\n  - user: Hello.\n    model: [{text: Hi.}]\n"
TOOL = "tools: [{name: look, description: Looks.}]\n"


def test_plain_scenario_needs_nothing(load):
    assert features_needed(load(PLAIN).rows[None]) == frozenset()


def test_history_and_waiting_for_a_result_need_both(load):
    assert features_needed(load(RIGHT).rows[None]) == {"history", "native-tools"}


@pytest.mark.parametrize(
    ("added", "feature"),
    [
        ("  - user: Again.\n", "conversation"),
        ("    restart: true\n", "restart"),
        ("    cancel: {at: request}\n", "cancel"),
        ("    observer: true\n", "observer"),
        ("    tools: []\n", "tool-filter"),
        ("    expect: {requests: [{at: last, results: []}]}\n", "native-tools"),
        ("    expect: {should: {requests: [{at: last, calls: []}]}}\n", "native-tools"),
        ("limits: {requests: 3}\n", "request-limit"),
        ("limits: {context_tokens: 300}\n", "context-limit"),
        ("needs: [deltas]\n", "deltas"),
        ("tools: [{name: look, description: Looks., enabled: false}]\n", "tool-filter"),
    ],
)
def test_feature_follows_from_the_field(load, added: str, feature: str):
    assert features_needed(load(PLAIN + added).rows[None]) == {feature}


def test_response_that_falls_silent_needs_a_limit_for_silence_if_there_is_one(load):
    text = PLAIN.replace("Hi.}", "Hi., fault: {connection: silent}}") + "limits: {idle_seconds: 2}\n"

    assert features_needed(load(text).rows[None]) == {"idle-limit"}


def test_enabled_tool_needs_nothing(load):
    assert features_needed(load(PLAIN + TOOL).rows[None]) == frozenset()


@pytest.mark.parametrize("selector", ["tools: none", "without: [tools]"])
def test_request_without_tools_is_no_matter_for_agents_with_their_own(load, selector: str):
    demanding = load(PLAIN + f"    expect: {{requests: [{{at: each, {selector}}}]}}\n").rows[None]

    assert demands_no_tools(demanding)
    assert not demands_no_tools(load(PLAIN).rows[None])
