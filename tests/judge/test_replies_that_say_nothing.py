"""`answers`: what a program writes where it has no text is no reply, unless somebody has said it."""

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings

SAYS = """
wires: [openai-chat]
conversation:
  - user: What is in the list?
    model:
      - text: {said}
"""
SHOWS_A_RESULT = (
    WEATHER.replace("7 degrees and rain", "'[]'")
    + """
wires: [openai-chat]
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - {text: Nothing., spare: true}
    expect: {outcome: either}
"""
)


def replies_with(text: str) -> type[PlainAgent]:
    class Replies(PlainAgent):
        """Wrong where nobody has said it."""

        def reply(self, _: str) -> str:
            return text

    return Replies


def laws(agent: type[PlainAgent], text: str) -> set[str]:
    return {finding for found in only_findings(agent, text).values() for finding in found if finding != "survives"}


@pytest.mark.parametrize(
    "nothing",
    [
        "None", "null", " NULL\n", "undefined", "NaN", "{}", "[ ]", '""', "[object Object]", "[object Promise]",
        "<coroutine object Agent.answer at 0x7f02>", "<openai.types.Message object at 0x7f02>",
    ],
)  # fmt: skip
def test_reply_that_only_a_program_has_is_no_reply(nothing: str) -> None:
    assert "answers" in laws(replies_with(nothing), SAYS.replace("{said}", "Nothing is in it."))


@pytest.mark.parametrize("said", ["None of them.", "null is a value", "It is {}", "nano", "[see above]", "<b>Oslo</b>"])
def test_words_are_a_reply(said: str) -> None:
    assert "answers" not in laws(replies_with(said), SAYS.replace("{said}", "Nothing is in it."))


@pytest.mark.parametrize("said", ["null", "[]", "None", "The answer is {} today."])
def test_what_the_model_said_is_a_reply(said: str) -> None:
    text = SAYS.replace("{said}", f"'{said}'")

    assert laws(PlainAgent, text) == set()
    assert "answers" not in laws(replies_with("{}" if "{}" in said else said), text)


def test_result_of_a_tool_is_a_reply() -> None:
    class ShowsTheResult(PlainAgent):
        """Right: a tool whose result is shown as it is."""

        def send(self, message: str) -> str:
            self.begin(message)
            _, calls = self.ask()
            results = [(id, name, self.run(name, arguments)) for id, name, arguments in calls]
            if results:
                self.answer(results)
                return results[0][2]
            return super().reply(message)

    assert "answers" not in laws(ShowsTheResult, SHOWS_A_RESULT)
