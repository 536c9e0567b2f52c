"""The laws about what an agent runs pass right agents, and name the one mistake of wrong ones."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import GHOST, ONE_CALL, WEATHER, verdicts

FOREVER = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - {calls: [{name: get_weather, arguments: {city: Oslo}}], forever: true}
"""
)

TWO_CITIES = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    results: [7 degrees and rain, 20 degrees and sun]
conversation:
  - user: What is the weather in Oslo and Rome?
    model:
      - calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_weather, arguments: {city: Rome}}
      - text: Rain in Oslo, sun in Rome.
"""


def optional(value: str) -> str:
    """A call with this value, in JSON, for an argument that need not be there."""
    schema = "{type: object, properties: {city: {type: string}, hour: {}}, required: [city]}"
    return ONE_CALL.replace("{city: string}", schema).replace("{city: Oslo}", f"{{city: Oslo, hour: {value}}}")


class RunsTheNearest(PlainAgent):
    """Runs another tool than the model called."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run("get_weather", arguments)


class InventsArguments(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {"city": "Bergen"})


class RunsTwice(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        super().run(name, arguments)
        return super().run(name, arguments)


class NeverStops(PlainAgent):
    def most(self) -> int:
        return 1_000


class LeavesOut(PlainAgent):
    """Hands on no optional argument with the `value` of a subclass."""

    value: Any = ""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {key: one for key, one in arguments.items() if one != self.value or key == "city"})


class LeavesOutNothing(LeavesOut):
    value = None


class LeavesOutAll(LeavesOut):
    def run(self, name: str, arguments: Any) -> str:
        return PlainAgent.run(self, name, {key: one for key, one in arguments.items() if one})


class LeavesOutFalse(LeavesOut):
    value = False


RIGHT = [
    (LeavesOutNothing, optional("null")),
    (LeavesOutNothing, optional('""')),
    (PlainAgent, optional("false")),
    (PlainAgent, ONE_CALL),
    (PlainAgent, GHOST),
    (PlainAgent, FOREVER),
    (PlainAgent, TWO_CITIES),
]

WRONG = [
    (LeavesOutFalse, optional("false"), "sent-arguments"),
    (RunsTheNearest, GHOST, "declared-only"),
    (InventsArguments, ONE_CALL, "sent-arguments"),
    (RunsTwice, ONE_CALL, "once"),
    (NeverStops, FOREVER, "bounded"),
]


@pytest.mark.parametrize(("agent", "text"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_no_law_accuses_a_right_agent(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text", "law"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_a_law_names_the_one_mistake_of_a_wrong_agent(agent: Any, text: str, law: str) -> None:
    assert_breaks_only(law, agent, text)


@pytest.mark.parametrize(("city", "level"), [("Oslo", "should"), ("", "must")])
def test_leaving_out_an_empty_text_is_advice_where_it_is_optional(city: str, level: str) -> None:
    text = optional('""').replace("city: Oslo", f'city: "{city}"')

    found = verdicts(LeavesOut if city else LeavesOutAll, text)

    assert {(finding.id, finding.level) for verdict in found for finding in verdict.findings} == {
        ("sent-arguments", level)
    }
