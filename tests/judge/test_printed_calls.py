"""`no-protocol-text` on calls that the agent shows: in words is right, as a program prints them is not."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, verdicts

NOT_OFFERED = """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - {text: I do not know., spare: true}
    expect: {outcome: either}
"""

QUOTED_BY_THE_MODEL = ONE_CALL.replace(
    "It is 7 degrees and raining in Oslo.", '"Run ToolCall(name=get_weather), that is [object Object]."'
)


@dataclass
class ToolCall:
    id: Any
    name: str
    arguments: Any


class Shows(PlainAgent):
    """An agent that shows its calls before its reply."""

    def begin(self, message: str) -> None:
        self.made: list[ToolCall] = []
        self.responses: list[Any] = []
        super().begin(message)

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        self.made += [ToolCall(*call) for call in calls]
        self.responses += [response] if calls else []
        return text, calls

    def reply(self, text: str) -> str:
        return "\n".join([*map(self.shown, self.made), text])

    def shown(self, call: ToolCall) -> str:
        raise NotImplementedError


class InWords(Shows):
    def shown(self, call: ToolCall) -> str:
        return f"I called {call.name} (with {json.dumps(call.arguments)})."


class AsCode(Shows):
    def shown(self, call: ToolCall) -> str:
        return f"Ran: {call.name}({', '.join(f'{key}={value!r}' for key, value in call.arguments.items())})"


class AsItsOwnJson(Shows):
    def shown(self, call: ToolCall) -> str:
        return json.dumps({"tool": call.name, "with": call.arguments})


class AsARepr(Shows):
    def shown(self, call: ToolCall) -> str:
        return repr(call)


class AsAnObjectOfJavaScript(Shows):
    def shown(self, call: ToolCall) -> str:
        return "[object Object]"


class AsTheResponse(Shows):
    def shown(self, call: ToolCall) -> str:
        return json.dumps(self.responses)


class AsAResponseWithinAString(Shows):
    def shown(self, call: ToolCall) -> str:
        return json.dumps({"content": json.dumps(self.responses)})


class ReprInsteadOfAnAnswer(PlainAgent):
    """What is left of a turn in which the model called what was not offered: its calls, made into a text."""

    def take(self, response: dict[str, Any]) -> Any:
        before = len(self.messages)
        text, calls = super().take(response)
        if not calls:
            return text, []
        del self.messages[before:]
        return str([ToolCall(*call) for call in calls]), []


class WithItsId(Shows):
    def shown(self, call: ToolCall) -> str:
        return f"I called {call.name} ({call.id})."


def found(agent: Any, text: str) -> dict[str, list[tuple[str, str]]]:
    return {
        verdict.case.partition("@")[2]: [(finding.id, finding.level) for finding in verdict.findings]
        for verdict in verdicts(agent, text)
    }


@pytest.mark.parametrize("agent", [InWords, AsCode, AsItsOwnJson])
def test_an_agent_that_lists_its_calls_in_words_is_right(agent: Any) -> None:
    findings = found(agent, ONE_CALL)

    assert len(findings) == 5
    assert {*map(tuple, findings.values())} == {()}


@pytest.mark.parametrize("agent", [AsARepr, AsAnObjectOfJavaScript, AsTheResponse, AsAResponseWithinAString])
def test_an_agent_that_prints_its_calls_breaks_one_law(agent: Any) -> None:
    findings = found(agent, ONE_CALL)

    assert len(findings) == 5
    assert {*map(tuple, findings.values())} == {(("no-protocol-text", "must"),)}


def test_a_call_that_was_not_offered_is_no_answer_as_a_repr() -> None:
    assert {*map(tuple, found(ReprInsteadOfAnAnswer, NOT_OFFERED).values())} == {(("no-protocol-text", "must"),)}


def test_what_the_model_itself_wrote_may_be_shown() -> None:
    assert {*map(tuple, found(PlainAgent, QUOTED_BY_THE_MODEL).values())} == {()}


def test_an_id_in_a_sentence_is_advice() -> None:
    assert found(WithItsId, "wires: [openai-chat]\n" + ONE_CALL) == {
        "openai-chat+plain": [("no-protocol-text", "should")]
    }


TWO_TOOLS = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
  - {name: find_place, description: Finds a place., parameters: {word: string}, returns: in the garden}
conversation:
  - user: What is a pear, and where?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}, {name: find_place, arguments: {word: pear}}]
      - text: A fruit, in the garden.
"""


class PrintsItsLastCall(AsARepr):
    def reply(self, text: str) -> str:
        return "\n".join([*map(self.shown, self.made[-1:]), text])


def test_a_call_that_is_printed_is_found_beside_one_that_is_not() -> None:
    assert found(PrintsItsLastCall, TWO_TOOLS) == {"openai-chat+plain": [("no-protocol-text", "must")]}
