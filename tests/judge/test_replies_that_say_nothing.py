"""`answers`: what a program writes where it has no text is no reply, unless somebody has said it."""

from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings, verdicts

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


@pytest.mark.parametrize("claim", ["Done.", "ok", "Task completed successfully!", "The task is finished."])
def test_success_that_nobody_has_said_is_advised_against(claim: str) -> None:
    (verdict,) = verdicts(replies_with(claim), SAYS.replace("{said}", "I cannot do that."))

    assert ("answers", "should") in {(finding.id, finding.level) for finding in verdict.findings}


@pytest.mark.parametrize("said", ["Done.", "OK"])
def test_success_that_the_model_says_is_a_reply(said: str) -> None:
    assert laws(PlainAgent, SAYS.replace("{said}", said)) == set()


AGAIN = """
wires: [openai-chat]
conversation:
  - user: What time is it?
    model:
      - text: It is ten.
  - user: What time is it?
    model:
      - text: It is eleven.
"""


class AnswersFromMemory(PlainAgent):
    """Wrong where it has asked nothing."""

    asks = False

    def send(self, message: str) -> Any:
        if self.asks and self.messages:
            super().send(message)
        self.answer_of_before = getattr(self, "answer_of_before", None) or super().send(message)
        return self.answer_of_before


class AsksAndAnswersFromMemory(AnswersFromMemory):
    asks = True


def test_answer_of_an_earlier_turn_without_a_request_is_no_reply() -> None:
    assert laws(AnswersFromMemory, AGAIN) == {"answers"}
    assert laws(AsksAndAnswersFromMemory, AGAIN) == set()


def advice(agent: type[PlainAgent], text: str) -> str:
    """What `answers` advises against in the first turn; empty where nothing."""
    [verdict] = verdicts(agent, text)
    said = [finding.got for finding in verdict.findings if (finding.id, finding.level) == ("answers", "should")]
    return said[0] if said else ""


@pytest.mark.parametrize("answer", ["{text: ''}", "{text: I cannot do that., finish: refusal}"])
@pytest.mark.parametrize(
    ("reply", "is_advised_against"),
    [
        ("I have completed your request.", True),
        ("Everything you asked for has been processed.", True),
        ("The model declined to answer; nothing was done.", False),
        ("I could not finish this.", False),
        ("Completed without a word of the model.", False),
        ("The answer was empty. Please try again.", False),
    ],
)
def test_success_in_other_words_is_advised_against_after_an_empty_or_declined_answer(
    answer: str, reply: str, is_advised_against: bool
) -> None:
    text = SAYS.replace("text: {said}", answer) + "    expect: {outcome: either}\n"

    assert bool(advice(replies_with(reply), text)) == is_advised_against


def test_such_words_are_a_reply_where_the_model_has_answered() -> None:
    text = SAYS.replace("{said}", "It is in the cellar.")

    assert advice(replies_with("Your request has been processed."), text) == ""


EMPTY_AFTER_A_TOOL = SHOWS_A_RESULT.replace("'[]'", "7 degrees and rain").replace("text: Nothing.", "text: ''")


@pytest.mark.parametrize("reply", ["7 degrees and rain", "get_weather has finished with: 7 degrees and rain"])
def test_result_may_be_shown_in_place_of_an_empty_answer(reply: str) -> None:
    assert advice(replies_with(reply), EMPTY_AFTER_A_TOOL) == ""


@pytest.mark.parametrize(
    ("said", "reply", "is_advised_against"),
    [
        ("I cannot help with that.", "that.", True),
        ("Oslo is wet. Rome is dry.", "Oslo is wet.", True),
        ("I cannot help with that.", "I cannot help with that.", False),
        ("I cannot help with that.", "The model declined.", False),
        ("**Oslo** is wet.", "Oslo", False),
        ("Here is the answer:\\nOslo", "Oslo", False),
    ],
)
def test_part_of_the_answer_is_advised_against_where_nothing_was_to_be_taken_out(
    said: str, reply: str, is_advised_against: bool
) -> None:
    text = SAYS.replace("{said}", f'"{said}"')

    assert bool(advice(replies_with(reply), text)) == is_advised_against
    assert advice(replies_with(reply), f"{text}    expect: {{reply: {{contains: [o]}}}}\n") == ""
