"""A plain answer reaches an agent as a call of its reply tool; a call that the model writes as text does not."""

from typing import Any

import pytest

from agent_conformance import Tool
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, only_findings

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


@pytest.mark.parametrize("text", [ONE_CALL, HIDDEN, SHOWN, QUOTED, CUT_OFF])
def test_right_agent_with_a_reply_tool_passes(text: str) -> None:
    assert only_findings(Finishes, text) == {"openai-chat+plain": []}


def test_text_in_place_of_a_call_reaches_the_agent_as_text() -> None:
    assert only_findings(ShowsText, HIDDEN) == {"openai-chat+plain": ["no-protocol-text"]}
    assert only_findings(ShowsText, SHOWN) == {"openai-chat+plain": ["no-protocol-text"]}
