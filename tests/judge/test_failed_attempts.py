"""What came of an answer before the connection failed: it is no answer, and nothing that the model has said."""

from dataclasses import replace
from typing import Any

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Entry
from tests.trying import verdicts

CUT = """
wires: [openai-chat]
modes: [stream]
conversation:
  - user: Where does the river end?
    model:
      - text: It ends in the Black Sea, in a delta between Romania and Ukraine.
        fault: $fault
      - {text: "It ends in the Black Sea, in a delta between Romania and Ukraine.", spare: true}
    expect: {outcome: either}
  - user: Thank you.
    model: [{text: You are welcome.}]
"""
FAULTS = ("{cut_after: 4}", "{error_event: overloaded, cut_after: 4}")


def half(words: str) -> Any:
    """An agent whose reply is the half that came, in these words."""

    def partial(error: Any, so_far: str) -> Answer:
        if not so_far.strip():
            raise error
        return Answer(words.format(so_far))

    right = Adapter.defences
    return type(
        "Half", (Adapter,), {"defences": replace(right, partial_answer=partial, is_passing=lambda error: False)}
    )


def found(agent: Any, text: str) -> list[str]:
    [verdict] = verdicts(agent, text, modes=("stream",))
    return [finding.id for finding in verdict.findings if finding.level == "must"]


@pytest.mark.parametrize("fault", FAULTS)
def test_half_an_answer_without_a_word_on_it_is_no_answer(fault: str) -> None:
    text = CUT.replace("$fault", fault)

    assert found(Adapter, text) == []
    assert found(half("{}"), text) == ["answers"]
    for words in ("{} [the connection was lost]", "{}...", "I could read no more than this: {}"):
        assert "answers" not in found(half(words), text)


def keeping(frame: str, *, drops_the_whole: bool = False) -> Any:
    """An agent that keeps what a failed attempt has said in its history, as the model's words."""

    class Keeps(Adapter):
        def __init__(self, setup: Any, **more: Any) -> None:
            super().__init__(setup, **more)

            def last(history: Any) -> Any:
                at = next((n for n, one in enumerate(history) if one.text.startswith("It ends")), None)
                if at is None:
                    return history
                begun = Entry("model", frame.format("It ends in the Bl"))
                return (*history[:at], begun, *history[at + drops_the_whole :])

            self.defences = replace(self.defences, repair_passes=(*self.defences.repair_passes, last))
            self._completions = self._client(setup)

    return Keeps


def test_failed_attempt_beside_the_whole_answer_is_said_twice() -> None:
    text = CUT.replace("$fault", "{cut_after: 4}")

    assert found(keeping("{}"), text) == ["said-once"]
    assert found(keeping("{} [interrupted]"), text) == []


FORCED = """
wires: [openai-chat]
tool_choice: {tool: look_up}
tools: [{name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}]
conversation:
  - user: What is a pear?
    model:
      - {fault: {status: 503, retry_after: 0}}
      - {calls: [{name: look_up, arguments: {word: pear}}], spare: true}
      - {text: A fruit., spare: true}
    expect: {outcome: either}
"""


def test_second_try_that_forces_nothing_breaks_the_choice_of_a_tool() -> None:
    failed: list[bool] = []

    class Frees(Adapter):
        defences = replace(
            Adapter.defences,
            is_passing=lambda error: not failed.append(True),
            full_request=lambda one: replace(one, offer=replace(one.offer, forced=None)) if failed else one,
        )

    assert {finding.id for verdict in verdicts(Frees, FORCED) for finding in verdict.findings} == {"tool-choice"}
    assert [verdict.findings for verdict in verdicts(Adapter, FORCED)] == [(), ()]
