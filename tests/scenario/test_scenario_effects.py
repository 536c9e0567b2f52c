"""What a scenario may say with `effects`, and with `extends: prefix`."""

import pytest

from agent_conformance.scenario.model import Range
from tests.trying import ONE_CALL, scenario

MOST = ONE_CALL + "effects: {get_weather: {max: 1}}\n"
EXACTLY = ONE_CALL + "effects: {get_weather: 1}\n"
FAULT = "      - fault: {status: 503}\n"
PREFIX = ONE_CALL + "    expect:\n      should:\n        requests: [{at: 2, extends: prefix}]\n"
AS_DEMAND = ONE_CALL + "    expect:\n      requests: [{at: 2, extends: prefix}]\n"


def test_a_number_alone_is_exact() -> None:
    [most], [exactly] = (list(scenario(text).rows.values()) for text in (MOST, EXACTLY))

    assert most.effects == {"get_weather": Range(max=1)}
    assert exactly.effects == {"get_weather": Range(min=1, max=1)}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (MOST.replace("effects: {get_weather", "effects: {get_wether"), 16, "Did you mean `get_weather`?"),
        (MOST.replace("{max: 1}", "{max: -1}"), 16, "Give numbers from 0."),
        (MOST.replace("{max: 1}", "{min: 3, max: 1}"), 16, "has the minimum 3 above the maximum 1."),
        (MOST.replace("{max: 1}", "{most: 1}"), 16, "`most` is no field of a range"),
        (MOST.replace("{max: 1}", "often"), 16, "`get_weather`"),
        (EXACTLY.replace("      - text", FAULT + "      - text"), 17, "a reply with a `fault`. Give only a `max`."),
        (EXACTLY.replace("    model:", "    steer: {at: tool, user: Quickly.}\n    model:"), 17, "a turn with `steer`"),
        (EXACTLY.replace("    returns:", "    approval: ask\n    returns:"), 17, "a tool with `approval`"),
        (EXACTLY + "window: {tokens: 40000}\n", 16, "a `window`"),
    ],
)
def test_effects_that_make_no_sense_are_refused(text: str, line: int, message: str) -> None:
    assert_refused(text, line, message)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (AS_DEMAND, 17, "Put it under `should`."),
        (PREFIX.replace("at: 2", "at: 1"), 18, "the first request of the case."),
        (PREFIX + "limits: {requests: 3}\n", 18, "beside `limits`"),
        (PREFIX.replace("    model:", "    tools: [get_weather]\n    model:"), 19, "after `tools`"),
        (AS_DEMAND.replace("at: 2, extends: prefix", "at: 1, extends: previous"), 17, "nothing to extend"),
    ],
)
def test_a_beginning_that_cannot_be_expected_is_refused(text: str, line: int, message: str) -> None:
    assert_refused(text, line, message)


def test_what_leaves_the_number_to_the_agent_may_have_a_most() -> None:
    assert scenario(MOST.replace("      - text", FAULT + "      - text"))
    assert scenario(PREFIX)


def assert_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(AssertionError) as refused:
        scenario(text)

    assert message in str(refused.value)
    assert f"this.yaml:{line}: " in str(refused.value)
