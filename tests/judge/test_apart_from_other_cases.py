"""`apart` between cases: what an agent keeps in its class or module is found in whatever it sends, runs or says."""

from typing import Any, ClassVar

import pytest

from agent_conformance.judge.laws.apart import PIN
from tests.agents.plain import PlainAgent
from tests.trying import verdicts

TWO_CASES = """
wires: [openai-chat]
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
examples:
  oslo: {question: What is the weather in Oslo?, city: Oslo}
  rome: {question: What is the weather in Rome?, city: Rome}
conversation:
  - user: $question
    model:
      - calls: [{name: get_weather, arguments: {city: $city}}]
      - text: It is 7 degrees and raining.
"""


def findings(agent: Any) -> list[list[tuple[str, str]]]:
    """Of each case: the laws that are broken, and what was found."""
    return [[(finding.id, finding.got) for finding in verdict.findings] for verdict in verdicts(agent, TWO_CASES)]


class SharesMessages(PlainAgent):
    """Wrong: its messages belong to the class, so that each conversation goes on with all earlier ones."""

    shared: ClassVar[list[Any]] = []

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.messages = self.shared


class RemembersInModule(PlainAgent):
    """Wrong: what users said is remembered for everybody, and put in front of what the next one says."""

    remembered: ClassVar[list[str]] = []

    def send(self, message: str) -> Any:
        reply = super().send(" ".join([*self.remembered[-1:], message]))
        self.remembered.append(message)
        return reply


class AnswersForAnother(PlainAgent):
    """Wrong: a cache of replies that all share is read in the wrong place."""

    last: ClassVar[list[str]] = []

    def send(self, message: str) -> Any:
        reply = super().send(message)
        self.last.append(str(reply))
        return self.last[-2] if len(self.last) > 1 else reply


def test_right_agent_is_accused_of_nothing() -> None:
    assert findings(PlainAgent) == [[], []]


@pytest.mark.parametrize("agent", [SharesMessages, RemembersInModule])
def test_word_of_another_case_in_a_request_is_named(agent: Any) -> None:
    first, second = findings(agent)

    assert "apart" not in dict(first)
    assert PIN.search(dict(second)["apart"])
    assert "in its messages, which the user said at the end of another case" in dict(second)["apart"]


def test_word_of_another_case_in_a_reply_is_named() -> None:
    _, second = findings(AnswersForAnother)

    assert "in the reply, which the user said" in dict(second)["apart"]


def test_same_words_of_two_cases_are_one_finding() -> None:
    """The two cases say the same, so that what the first one said stands twice in the second."""

    class Shares(PlainAgent):
        shared: ClassVar[list[Any]] = []

        def __init__(self, setup: Any) -> None:
            super().__init__(setup)
            self.messages = self.shared

    text = TWO_CASES.replace("in Rome?, city: Rome", "in Oslo?, city: Oslo")
    found = [[finding.id for finding in verdict.findings] for verdict in verdicts(Shares, text)]

    assert found == [[], ["apart"]]
