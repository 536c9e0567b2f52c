"""`whole-rounds`: texts beside calls and answered questions, on agents that keep one half."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_right
from tests.trying import verdicts

TEXT = """
wires: [openai-chat]
tools:
  - {name: read_page, description: Reads a page., parameters: {page: integer}, returns: ships at sea}
conversation:
  - user: What is page 1 about?
    model:
      - text: I open the page now.
        calls: [{name: read_page, arguments: {page: 1}}]
      - text: It is about ships.
  - user: Thank you very much.
    model:
      - text: You are welcome, of course.
  - user: Is that all?
    model:
      - text: That is all.
"""


class Sends(PlainAgent):
    """Sends what `kept` of a subclass leaves of earlier turns."""

    def body(self) -> dict[str, Any]:
        start = max(place for place, one in enumerate(self.messages) if one["role"] == "user")
        return self.shape.body(self.kept(self.messages[:start]) + self.messages[start:], self.tools())

    def kept(self, earlier: list[Any]) -> list[Any]:
        return earlier


class DropsCalls(Sends):
    """Advised: the text stays, and the call beside it goes with its result."""

    def kept(self, earlier: list[Any]) -> list[Any]:
        return [{k: v for k, v in one.items() if k != "tool_calls"} for one in earlier if one["role"] != "tool"]


class DropsRounds(Sends):
    """Right by this law: the text goes with its call."""

    def kept(self, earlier: list[Any]) -> list[Any]:
        return [one for one in earlier if one["role"] != "tool" and "tool_calls" not in one]


class TellsCalls(Sends):
    """Right by this law: the call stands in words."""

    def kept(self, earlier: list[Any]) -> list[Any]:
        return [
            {"role": "assistant", "content": f"{one['content']}\n(read_page was called.)"}
            if "tool_calls" in one
            else one
            for one in earlier
            if one["role"] != "tool"
        ]


class DropsAnswers(Sends):
    """Advised: the questions stay alone."""

    def kept(self, earlier: list[Any]) -> list[Any]:
        return [one for one in earlier if one["role"] != "assistant" or "tool_calls" in one]


class SumsUpAnswers(DropsAnswers):
    """Right by this law: words of the agent's own stand for the answers."""

    def kept(self, earlier: list[Any]) -> list[Any]:
        note = {"role": "assistant", "content": "[The answers were left out.]"}
        return [*super().kept(earlier), note] if earlier else []


@pytest.mark.parametrize("agent", [DropsCalls, DropsAnswers])
def test_half_of_what_belongs_together_is_advice(agent: Any) -> None:
    [verdict] = verdicts(agent, TEXT)

    assert ("whole-rounds", "should") in [(finding.id, finding.level) for finding in verdict.findings]
    assert verdict.outcome == "pass"


@pytest.mark.parametrize("agent", [DropsRounds, TellsCalls, SumsUpAnswers])
def test_both_halves_neither_or_words_in_their_place_are_right(agent: Any) -> None:
    [verdict] = verdicts(agent, TEXT)

    assert "whole-rounds" not in [finding.id for finding in verdict.findings]


def test_agent_that_keeps_all_has_no_finding() -> None:
    assert_right(PlainAgent, TEXT)
