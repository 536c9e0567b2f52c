"""A plain answer reaches an agent as a call of its reply tool; a call that the model writes as text does not."""

from typing import Any

import pytest

from agent_conformance import Tool
from tests.agents.answering_by_a_tool import answering_by_a_tool
from tests.agents.plain import PlainAgent
from tests.agents.session_styles import Messages, SumsUpBetweenTurns
from tests.trying import ONE_CALL, WEATHER, only_findings

HIDDEN = """
wires: [openai-chat]
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: "<secret>"
        means: {handling: hide, never_show: ["<secret>"]}
      - {text: I do not know., spare: true}
    expect: {reply: I do not know.}
"""

SHOWN = """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - text: "<secret>Hello."
        means: {handling: hide, show: Hello., never_show: ["<secret>"]}
    expect: {reply: Hello.}
"""

QUOTED = """
wires: [openai-chat]
conversation:
  - user: How is a call written?
    model:
      - text: "<call> is how."
        means: {handling: show}
    expect: {reply: <call> is how., request_count: 1}
"""

CUT_OFF = """
wires: [openai-chat]
conversation:
  - user: Tell me a story.
    model:
      - {text: Once upon a, finish: length}
      - {text: Once upon a time., spare: true}
    expect: {reply: Once upon a time.}
"""

NOTHING = """
wires: [openai-chat]
conversation:
  - user: What stands there?
    model: [{text: "null"}]
    expect: {reply: "null"}
"""

SEVERAL_TURNS = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: Rain in Oslo.
  - user: And in Rome?
    model: [{text: I have not looked.}]
    expect:
      requests:
        - {at: 1, roles: [user, assistant, tool, assistant, user], count: 5, in_order: [Rain in Oslo., And in Rome?]}
"""
)

FOR_EVER = (
    WEATHER
    + """
limits: {requests: 6}
conversation:
  - user: What is the weather in Oslo?
    model: [{calls: [{name: get_weather, arguments: {city: Oslo}}], forever: true}]
    expect: {outcome: either}
"""
)


class Finishes(PlainAgent):
    """Answers by a call of a tool of its own, and by nothing else. Asks again for text without a call."""

    wires = ("openai-chat",)
    features = PlainAgent.features | {"own-tools"}
    reply_tool = ("final_answer", "answer")

    def tools(self) -> list[Tool]:
        schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
        own = Tool("final_answer", "Ends the run.", schema, run=str, arun=self.never)
        return [*super().tools(), own]

    async def never(self, _: Any) -> Any:
        raise AssertionError

    def send(self, message: str) -> Any:
        self.begin(message)
        for _ in range(self.most()):
            text, calls = self.ask()
            for id, name, arguments in calls:
                if name == "final_answer":
                    self.answer([(id, name, "done")])
                    return arguments["answer"]
            if not calls:
                if (reply := self.without_call(text)) is not None:
                    return reply
                self.messages += self.shape.user("Call a tool.")
            else:
                self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
        return "I stopped."

    def without_call(self, text: str) -> str | None:
        return None


class ShowsText(Finishes):
    """Wrong: shows whatever the model writes."""

    def without_call(self, text: str) -> str | None:
        return text


class StopsRepetitions(Finishes):
    """A call that is the same as one before does not run and is not kept: the model is asked once more, for the answer
    alone."""

    only_answer = False

    def tools(self) -> list[Tool]:
        return super().tools()[-1:] if self.only_answer else super().tools()

    def begin(self, message: str) -> None:
        super().begin(message)
        self.only_answer, self.ran = False, []

    def take(self, response: dict[str, Any]) -> Any:
        before = list(self.messages)
        text, calls = super().take(response)
        made = [(name, arguments) for _, name, arguments in calls]
        if any(call in self.ran for call in made):
            self.messages, self.only_answer = before, True
            return self.ask()
        self.ran += made
        return text, calls


class ForgetsWhatItRan(StopsRepetitions):
    """Wrong: the first call runs, and is thrown away."""

    def take(self, response: dict[str, Any]) -> Any:
        before = list(self.messages)
        text, calls = Finishes.take(self, response)
        if calls and not self.only_answer:
            for _, name, arguments in calls:
                self.run(name, arguments)
            self.messages, self.only_answer = before, True
            return self.ask()
        return text, calls


class OffersTheAnswerAlone(Finishes):
    """Wrong: the tools are lost."""

    def tools(self) -> list[Tool]:
        return super().tools()[-1:]


IN_BLOCKS = """
wires: [anthropic-messages, openai-responses, gemini-generate]
conversation:
  - user: What do I take along?
    model:
      - {text: "It rains.\\n\\nTake an umbrella.", blocks: [It rains., "\\n\\nTake an umbrella."]}
    expect: {reply: "It rains.\\n\\nTake an umbrella."}
  - user: Thank you.
    model: [{text: You are welcome.}]
"""


class SaysNothing(Finishes):
    """Wrong: what it shows is no answer of the model's."""

    def send(self, message: str) -> Any:
        super().send(message)
        return "null"


@pytest.mark.parametrize("wire", PlainAgent.wires)
@pytest.mark.parametrize("text", [SEVERAL_TURNS, NOTHING.replace("wires: [openai-chat]", "")])
def test_answer_by_a_tool_is_the_models_answer(text: str, wire: str) -> None:
    agent = answering_by_a_tool(PlainAgent)

    assert only_findings(agent, text, wires=(wire,)) == {f"{wire}+plain": []}


@pytest.mark.parametrize("wire", ["anthropic-messages", "openai-responses", "gemini-generate"])
def test_answer_of_several_blocks_comes_once_by_the_tool(wire: str) -> None:
    assert only_findings(answering_by_a_tool(PlainAgent), IN_BLOCKS, wires=(wire,)) == {f"{wire}+plain": []}


def test_last_request_that_offers_the_reply_tool_alone_is_one_without_tools() -> None:
    assert only_findings(StopsRepetitions, FOR_EVER, wires=("openai-chat",)) == {"openai-chat+plain": []}


def test_request_that_offers_the_reply_tool_alone_has_lost_its_tools() -> None:
    assert only_findings(OffersTheAnswerAlone, ONE_CALL)["openai-chat+plain"] == ["offered"]
    assert only_findings(ForgetsWhatItRan, FOR_EVER)["openai-chat+plain"] == ["paired"]


WITHOUT_TOOLS = """
wires: [openai-chat]
conversation:
  - {user: My first fact is 17., model: [{text: Noted as the first.}]}
  - {user: My second fact is 27., model: [{text: Noted as the second.}]}
  - {user: My third fact is 37., model: [{text: Noted as the third.}]}
"""


class SumsUpSoon(SumsUpBetweenTurns):
    most_messages = 2


class SumsUpTheNextMessageToo(SumsUpSoon):
    """Wrong: what the user says now is not sent on."""

    def sent(self) -> Messages:
        return self.messages[:-1] if len(self.messages) == 2 else self.messages


@pytest.mark.parametrize(("agent", "found"), [(SumsUpSoon, []), (SumsUpTheNextMessageToo, ["asked"])])
def test_request_for_a_summary_that_offers_the_reply_tool_alone_is_one_without_tools(
    agent: type, found: list[str]
) -> None:
    ids = only_findings(answering_by_a_tool(agent), WITHOUT_TOOLS)["openai-chat+stream"]

    assert [id for id in ids if id != "steady-prefix"] == found  # a summary begins in another way: advice


def test_word_that_the_model_has_not_answered_with_is_no_reply() -> None:
    assert only_findings(SaysNothing, ONE_CALL)["openai-chat+plain"] == ["answers", "survives"]


@pytest.mark.parametrize("text", [ONE_CALL, HIDDEN, SHOWN, QUOTED, CUT_OFF])
def test_right_agent_with_a_reply_tool_passes(text: str) -> None:
    assert only_findings(Finishes, text) == {"openai-chat+plain": []}


def test_text_in_place_of_a_call_reaches_the_agent_as_text() -> None:
    assert only_findings(ShowsText, HIDDEN) == {"openai-chat+plain": ["no-protocol-text"]}
    assert only_findings(ShowsText, SHOWN) == {"openai-chat+plain": ["no-protocol-text"]}


def test_case_that_offers_a_tool_of_the_same_name_is_not_verified() -> None:
    named = ONE_CALL.replace("get_weather", "final_answer")

    assert only_findings(Finishes, named) == {"openai-chat+plain": ["not-verified: needs a reply tool of another name"]}
