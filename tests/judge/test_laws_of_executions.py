"""The laws about what an agent runs pass right agents, and name the one mistake of wrong ones."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import GHOST, ONE_CALL, WEATHER

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


RIGHT = [
    (PlainAgent, ONE_CALL),
    (PlainAgent, GHOST),
    (PlainAgent, FOREVER),
    (PlainAgent, TWO_CITIES),
]

WRONG = [
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
