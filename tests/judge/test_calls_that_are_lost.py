"""A call that an agent leaves out is missed also where calls of other tools stand beside it."""

from typing import Any

from agent_conformance.gate.printing import facts_of
from tests.agents.plain import PlainAgent
from tests.trying import verdicts

TWO_TOOLS = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
  - {name: find, description: Finds a place., parameters: {word: string}, returns: in the garden}
conversation:
  - user: What is a pear, and where?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}]
      - calls: [{name: find, arguments: {word: pear}}]
      - text: A fruit, in the garden.
"""


class TellsWhatItFound(PlainAgent):
    """Wrong: writes the result of one tool as text of the user, and leaves out the call."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        ((_, name, text),) = results
        if name == "find":
            self.messages[-1:] = self.shape.user(f"It is {text}.")
        else:
            super().answer(results)


def test_call_that_is_left_out_beside_another_is_one_finding() -> None:
    (right,), (wrong,) = verdicts(PlainAgent, TWO_TOOLS), verdicts(TellsWhatItFound, TWO_TOOLS)

    assert right.findings == ()
    assert [finding.id for finding in wrong.findings] == ["paired"]
    facts = dict(facts_of(wrong.findings[0]))
    assert facts["expected"] == "the model's call of find, answered by a native result"
    assert facts["got"] == "a request in which the call is missing: calls: look_up; native results: 1"


DANGLING_AT_THE_END = """
wires: [ollama-chat]
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
history:
  - user: What is a pear?
  - assistant: {calls: [{id: call000001, name: look_up, arguments: {word: pear}}]}
conversation:
  - user: And a leek?
    model: [{text: A vegetable.}]
"""


class AnswersWhatIsOpen(PlainAgent):
    def restore(self, role: str, run: list[Any]) -> None:
        super().restore(role, run)
        for call in (call for message in run for call in message.tool_calls):
            self.answer([(call.id, call.name, "It never ran.")])


def test_last_request_of_a_case_is_looked_at_like_the_others() -> None:
    (right,), (wrong,) = (verdicts(agent, DANGLING_AT_THE_END) for agent in (AnswersWhatIsOpen, PlainAgent))

    assert right.findings == ()
    assert [finding.id for finding in wrong.findings] == ["paired"]
    assert str(wrong.findings[0].place) == "turn 1, request 1, messages[1]"
