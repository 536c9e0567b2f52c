"""Argument text that is no object may go to the tool as it came, which refuses it; nothing else may be made of it."""

import json
from typing import Any

import pytest

from agent_conformance import Tool
from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings


def calls_with(text: str) -> str:
    return (
        WEATHER
        + f"""
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{{name: get_weather, arguments_text: {json.dumps(text)}}}]
      - text: I could not find out.
"""
    )


class HandsOn(PlainAgent):
    """Lets the tool judge whatever was sent."""

    def run(self, name: str, arguments: Any) -> str:
        return Tool.text(self.tools()[0].call(arguments))


class TakesTheFirst(PlainAgent):
    """Makes something of a list, which the tool refuses as well."""

    def run(self, name: str, arguments: Any) -> str:
        return Tool.text(self.tools()[0].call({"place": arguments[0]}))


@pytest.mark.parametrize("text", ['["Oslo"]', "42", '{"city": "Osl', r'"{\"city\": \"Oslo\"}"'])
def test_text_that_the_tool_refuses_may_be_handed_on(text: str) -> None:
    assert only_findings(HandsOn, calls_with(text), wires=("openai-chat",)) == {"openai-chat+plain": []}


def test_what_was_made_of_it_may_not() -> None:
    found = only_findings(TakesTheFirst, calls_with('["Oslo"]'), wires=("openai-chat",))

    assert found == {"openai-chat+plain": ["sent-arguments"]}
