"""For each relation, an agent that breaks no law and meets every expectation, and that the relation names with one
finding. The reference agent and right agents of other styles have none."""

import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance import Setup
from agent_conformance.baseline.case_report import facts_of
from agent_conformance.reference import Adapter as Reference
from tests.agents import right_anthropic, right_openai
from tests.agents.plain import PlainAgent
from tests.relations.trying_relations import findings, ids
from tests.trying import GHOST, ONE_CALL, TWO_CALLS

TWO_TOOLS = """
tools:
  - {name: get_weather, description: Current weather for a city., parameters: {city: string}, returns: 7 degrees}
  - {name: get_time, description: The time in a city., parameters: {city: string}, returns: noon}
"""
UNKNOWN = (
    TWO_TOOLS
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_wind, arguments: {city: Oslo}}]
      - text: I could not find out.
"""
)
AGAIN = """
tools:
  - {name: get_weather, description: Current weather for a city., parameters: {city: string}, returns: 7 degrees}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees.
"""
LONG_NAME = f"""
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{{name: {"ghost_" * 20}ghost, arguments: {{city: Oslo}}}}]
      - text: I could not find out.
    expect: {{outcome: either}}
waive:
  accepted: The name is longer than some providers allow.
  survives: It is refused again.
"""
ALL = (ONE_CALL, GHOST, TWO_CALLS, UNKNOWN, AGAIN)


class BriefWhereItStreams(Reference):
    """Has another prompt where it streams."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, system="Be brief." if setup.stream else setup.system))


async def without_repetitions(events: AsyncIterator[str]) -> AsyncIterator[str]:
    last = ""
    async for event in events:
        if event != last:
            yield event
        last = event


class DropsRepeatedEvents(Reference):
    """Takes an event of a stream that equals the one before it for a mistake of the network."""

    defences = replace(Reference.defences, stream_events=without_repetitions)


class GreetsOnGemini(PlainAgent):
    """Writes more on one wire than the user said."""

    def begin(self, message: str) -> None:
        super().begin(f"Please: {message}" if self.setup.wire == "gemini-generate" else message)


class RemembersGetters(PlainAgent):
    """Takes a tool whose name begins with `get_` for one that always returns the same."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.known: dict[str, str] = {}

    def run(self, name: str, arguments: Any) -> str:
        text = super().run(name, arguments)
        return f"{text} (cached)" if name.startswith("get_") else text


class SuggestsTheFirstTool(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        if name not in [tool.name for tool in self.tools()]:
            return f"There is no tool {name}. Did you mean {self.tools()[0].name}?"
        return super().run(name, arguments)


class CountsItsRuns(PlainAgent):
    """Has a number in its prompt that is another one in each conversation."""

    numbers = itertools.count()

    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, system=f"You are agent {next(self.numbers)}."))


def test_agent_that_streams_another_conversation_is_found() -> None:
    found = ids(BriefWhereItStreams, ONE_CALL, wires=("openai-chat",))

    assert found == {"openai-chat+stream": ["relation:stream"]}


def test_agent_that_depends_on_the_pieces_of_a_stream_is_found() -> None:
    found = ids(DropsRepeatedEvents, ONE_CALL, wires=("openai-chat",))

    assert found == {"openai-chat+stream": ["relation:cuts"]}


def test_agent_that_is_another_one_on_a_wire_is_found() -> None:
    found = ids(GreetsOnGemini, ONE_CALL)

    assert found == {"gemini-generate+plain": ["relation:wire"]}


def test_agent_that_reads_names_is_found() -> None:
    found = ids(RemembersGetters, AGAIN, wires=("openai-chat",))

    assert found == {"openai-chat+plain": ["relation:names"]}


def test_agent_that_takes_the_first_tool_is_found() -> None:
    found = ids(SuggestsTheFirstTool, UNKNOWN, wires=("openai-chat",))

    assert found == {"openai-chat+plain": ["relation:order"]}


def test_agent_that_is_another_one_each_time_is_advised_once() -> None:
    found = findings(CountsItsRuns, UNKNOWN)

    assert {case: [(one.id, one.level) for one in those] for case, those in found.items()} == {
        case: [("relation:repeat", "should")] for case in found
    }


def test_difference_that_is_there_in_each_run_is_not_held_against_another_relation() -> None:
    assert ids(CountsItsRuns, UNKNOWN, relations=("names", "order", "wire"), wires=("openai-chat",)) == {
        "openai-chat+plain": ["relation:repeat"]
    }


def test_refusal_of_one_provider_is_no_difference() -> None:
    assert ids(PlainAgent, LONG_NAME) == {}


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize(
    "adapter", [Reference, PlainAgent, right_openai.Adapter, right_anthropic.Adapter], ids=lambda one: one.__module__
)
def test_right_agent_has_no_finding(adapter: Any, text: str) -> None:
    assert ids(adapter, text) == {}


def test_finding_says_where_and_shows_both() -> None:
    (finding,) = findings(BriefWhereItStreams, ONE_CALL, wires=("openai-chat",))["openai-chat+stream"]

    facts = dict(facts_of(finding))
    assert finding.level == "must"
    assert facts["at"] == "turn 1, request 1"
    assert facts["expected"] == "plain: user: What is the weather in Oslo?"
    assert facts["got"] == "openai-chat+stream: system: Be brief."
    assert facts["diff"].splitlines()[:2] == ["--- plain", "+++ openai-chat+stream"]
    assert "+    system: Be brief." in facts["diff"].splitlines()
    assert "   reply: It is 7 degrees and raining in Oslo." in facts["diff"].splitlines()
    assert str(finding.scenario).endswith("this.yaml:2")
