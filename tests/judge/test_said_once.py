"""`said-once`: agents that quote, remind and summarise are right, and those that send something twice are wrong."""

from typing import Any

import pytest

from tests.agents.plain import GaveUp, PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right

TURNS = """
tools:
  - {name: add, description: Adds two numbers., parameters: {a: integer, b: integer}, returns: forty-two}
conversation:
  - user: Add 20 and 22 for me.
    model:
      - calls: [{name: add, arguments: {a: 20, b: 22}}]
      - text: That makes 42.
  - user: |
      Now tell me two things:
      whether it is even, and whether it is prime.
    model:
      - text: It is even, and it is not prime.
"""
SAID_AGAIN = """
conversation:
  - user: Say it again.
    model: [{text: I said it.}]
  - user: Say it again.
    model: [{text: I said it.}]
  - user: |
      Say it again.
      Say it again.
    model: [{text: I said it.}]
"""
CALLED_THREE_TIMES = TURNS.replace(
    "      - text: That",
    "      - calls: [{name: add, arguments: {a: 20, b: 22}}]\n" * 2 + "      - text: That",
)
CALLED_AGAIN = TURNS.replace(
    "      - text: It is even",
    "      - calls: [{name: add, arguments: {a: 20, b: 22}}]\n      - text: It is even",
)
FAILED = """
conversation:
  - user: What is the capital of Peru?
    model:
      - fault: {status: 529, retry_after: 0}
      - text: It is Lima.
"""


class Reminds(PlainAgent):
    """After each result, so that the same reminder is there more than once."""

    def begin(self, message: str) -> None:
        self.said = message
        super().begin(message)

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.messages += self.shape.user(f"Do not forget what the user asked:\n{self.said}\nGo on.")


class ReadsTwice(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(f"{message}\nRead the question again:\n{message}")


class SaysTheTime(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(f"<context>\nIt is noon.\n</context>\n{message}")


class Quotes(PlainAgent):
    def begin(self, message: str) -> None:
        quoted = "\n".join(f"> {line}" for line in message.splitlines())
        super().begin(f"{message}\n\n{quoted}")


class Retries(PlainAgent):
    """As it is, it asks again with the messages as they are."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp:
            return super().post(self.again())

    def again(self) -> dict[str, Any]:
        return self.body()


class AddsTheQuestion(Retries):
    def again(self) -> dict[str, Any]:
        self.messages.append(self.messages[-1])
        return self.body()


class DoublesTheText(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(f"{message}\n\n{message}")


class DoublesInOneLine(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(f"{message} {message}")


class DoublesWithContext(SaysTheTime):
    def begin(self, message: str) -> None:
        super().begin(message)
        PlainAgent.begin(self, message)


class StoresTheReplyTwice(PlainAgent):
    def reply(self, text: str) -> str:
        self.messages.append(self.messages[-1])
        return text


class StoresTheRoundTwice(PlainAgent):
    """Under other ids, so that no provider sees it."""

    wires = ("openai-chat",)

    def reply(self, text: str) -> str:
        for message in [one for one in self.messages if "tool_calls" in one or one["role"] == "tool"]:
            copy = {**message, "tool_call_id": "call_again01"} if message["role"] == "tool" else {**message}
            if "tool_calls" in message:
                copy["tool_calls"] = [{**message["tool_calls"][0], "id": "call_again01"}]
            self.messages.append(copy)
        return text


@pytest.mark.parametrize("agent", [PlainAgent, Reminds, ReadsTwice, SaysTheTime, Quotes])
@pytest.mark.parametrize("text", [TURNS, SAID_AGAIN, CALLED_AGAIN, CALLED_THREE_TIMES])
def test_agents_that_say_it_once_are_right(agent: type[PlainAgent], text: str) -> None:
    assert_right(agent, text)


def test_retry_with_the_messages_as_they_are_is_right() -> None:
    assert_right(Retries, FAILED)


def test_retry_that_adds_the_question_is_wrong() -> None:
    assert_breaks_only("said-once", AddsTheQuestion, FAILED)


@pytest.mark.parametrize("agent", [DoublesTheText, DoublesWithContext])
@pytest.mark.parametrize("text", [TURNS, SAID_AGAIN])
def test_text_that_is_there_twice_is_wrong(agent: type[PlainAgent], text: str) -> None:
    assert_breaks_only("said-once", agent, text)


def test_text_that_is_there_twice_in_one_line_is_wrong() -> None:
    assert_breaks_only(
        "said-once", DoublesInOneLine, FAILED.replace("      - fault: {status: 529, retry_after: 0}\n", "")
    )


def test_reply_that_is_stored_twice_is_wrong() -> None:
    agent = type("StoresTheReplyTwice", (StoresTheReplyTwice,), {"wires": ("openai-chat",)})

    assert_breaks_only("said-once", agent, "wires: [openai-chat]" + TURNS)


def test_round_that_is_stored_twice_under_other_ids_is_wrong() -> None:
    assert_breaks_only("said-once", StoresTheRoundTwice, "wires: [openai-chat]" + TURNS)


class CleansNames(PlainAgent):
    """The model's name of a tool goes back in small letters, as the tool is called."""

    wires = ("openai-chat",)

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        for call in response["choices"][0]["message"].get("tool_calls") or []:
            call["function"]["name"] = call["function"]["name"].lower()
        return super().take(response)


class CleansNamesAndStoresTheRoundTwice(StoresTheRoundTwice, CleansNames):
    pass


MISNAMED = "wires: [openai-chat]" + CALLED_THREE_TIMES.replace(
    "{name: add, arguments: {a: 20, b: 22}}", "{name: Add, arguments: {a: 20, b: 22}, may_run: [add]}", 1
)


def test_call_that_goes_back_under_the_tools_name_is_none_of_those_that_had_it() -> None:
    assert_right(CleansNames, MISNAMED)


def test_round_that_is_stored_twice_is_wrong_also_where_names_are_cleaned() -> None:
    assert_breaks_only("said-once", CleansNamesAndStoresTheRoundTwice, MISNAMED)


COMPACTED = "needs: [compaction]" + TURNS.replace("  - user: |", "  - compact: true\n    user: |")


class SumsUp(PlainAgent):
    """With `times` of the summary in its place."""

    wires = ("openai-chat",)
    features = PlainAgent.features | {"compaction"}
    times = 1

    def compact(self) -> None:
        asked = {"role": "user", "content": f"Sum it up: {self.messages}"}
        _, text, _ = self.shape.read(self.post(self.shape.body([asked], [])))
        self.messages = [{"role": "user", "content": f"Before: {text}"}] * self.times


class SumsUpTwice(SumsUp):
    times = 2


def test_summary_in_the_place_of_what_it_sums_up_is_right() -> None:
    assert_right(SumsUp, "wires: [openai-chat]\n" + COMPACTED)


def test_summary_that_is_there_twice_is_wrong() -> None:
    assert_breaks_only("said-once", SumsUpTwice, "wires: [openai-chat]\n" + COMPACTED)


HIDDEN = """
wires: [openai-chat]
conversation:
  - user: What is a pear?
    model:
      - text: "<secret>A pear is a fruit."
        means: {handling: hide, show: A pear is a fruit., never_show: ["<secret>"]}
      - {text: A pear is a fruit., spare: true}
    expect: {reply: A pear is a fruit.}
  - user: And a quince?
    model: [{text: Another fruit.}]
"""


class AsksAgain(PlainAgent):
    """Keeps an answer without what is hidden in it, and asks whether it is the answer."""

    copies = 1

    def take(self, response: dict[str, Any]) -> Any:
        text, _ = super().take(response)
        if not text.startswith("<secret>"):
            return text, []
        self.messages[-1]["content"] = text.removeprefix("<secret>")
        self.messages += [self.messages[-1]] * (self.copies - 1) + self.shape.user("Is that your answer?")
        return self.ask()


class KeepsItTwice(AsksAgain):
    copies = 2


def test_answer_that_was_given_with_something_hidden_and_again_was_said_twice() -> None:
    assert_right(AsksAgain, HIDDEN)
    assert_breaks_only("said-once", KeepsItTwice, HIDDEN)
