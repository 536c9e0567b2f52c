"""Half a character in a call reaches the agent as the script has it, or the wire cannot say it."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings

HALF = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments_text: '{"city": "Os\\ud83d"}'}]
      - text: I do not know.
"""
)


class Replaces(PlainAgent):
    """Right: written in a language whose texts have no half character."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {"city": arguments["city"].replace("\ud83d", "\ufffd")})


class Drops(PlainAgent):
    """Wrong: loses what it cannot read."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, {"city": "Os"})


@pytest.mark.parametrize(("agent", "found"), [(PlainAgent, []), (Replaces, []), (Drops, ["sent-arguments"])])
def test_half_a_character_is_sent_as_it_is_or_not_at_all(agent: Any, found: list[str]) -> None:
    assert only_findings(agent, HALF) == {
        "openai-chat+plain": found,
        "openai-responses+plain": found,
    }
