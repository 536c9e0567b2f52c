"""The laws about how a turn ends and what the user is shown: right agents pass, wrong ones get one finding."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.agents.plain import GaveUp, PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import GHOST, ONE_CALL, WEATHER, only_findings

HIDDEN = """
wires: [openai-chat]
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: "<secret>"
        means: {handling: hide, never_show: ["<secret>"]}
      - {text: I do not know., spare: true}
    expect:
      outcome: either
"""

PROTOCOL_WITH_A_CALL = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: "<secret>"
        means: {handling: hide, never_show: ["<secret>"]}
        calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
"""
)

NARRATED = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - {text: Let me look., calls: [{name: get_weather, arguments: {city: Oslo}}]}
      - text: It is 7 degrees and raining in Oslo.
"""
)

OBSERVED = ONE_CALL + "    observer: true\n"

FAILING = """
conversation:
  - user: Say hello.
    model:
      - fault: {status: 400}
        times: 2
      - text: Hello.
        spare: true
    expect:
      outcome: either
"""

REASONED = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: <think>Oslo.</think>Let me look.
        means: {handling: hide, show: Let me look., never_show: ["think>"]}
        calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
"""
)


class HidesSecrets(PlainAgent):
    """Hides what the scenario `HIDDEN` must not show, as a right agent would."""

    def reply(self, text: str) -> str:
        return text.replace("<secret>", "I do not know.")


class ShowsResults(PlainAgent):
    """Puts the results it got in front of the reply, in their envelope."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.got = "".join(f"<tool_result>{text}</tool_result>" for _, _, text in results)

    def reply(self, text: str) -> str:
        return getattr(self, "got", "") + text


class ShowsItsFeedback(PlainAgent):
    def reply(self, text: str) -> str:
        return f"There is no tool get_wether. There are: get_weather. {text}" if "find out" in text else text


class StreamsAnotherText(PlainAgent):
    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:
        yield "Something else."
        return super().send(message)


class StreamsAndRepliesNothing(PlainAgent):
    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:
        text = super().send(message)
        yield text
        return "" if "Oslo" in text else text


class StreamsNarration(PlainAgent):
    """Right: yields what the model wrote with a call, and returns only the last text."""

    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:
        self.shown: list[str] = []
        final = super().send(message)
        yield from self.shown
        yield final
        return final

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        if calls and text:
            self.shown.append(text)
        return text, calls


class StreamsNarrationWithoutReasoning(StreamsNarration):
    """Right: yields what the model wrote with a call, less its reasoning."""

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        self.shown = [shown.rpartition("</think>")[2] for shown in self.shown]
        return text, calls


class QuotesItsHeaders(PlainAgent):
    """Ends in a controlled failure, whose words have all that it sent."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return super().post(body)
        except GaveUp as failure:
            raise GaveUp(f"{failure}: {self.shape.headers}") from None


class ReportsItsSetup(PlainAgent):
    def begin(self, message: str) -> None:
        super().begin(message)
        self.setup.observe({"event": "begin", "settings": [self.setup.model, {"key": self.setup.api_key}]})


class Silent(PlainAgent):
    def reply(self, text: str) -> str:
        return "" if "Oslo" in text else text


class Crashes(PlainAgent):
    def run(self, name: str, arguments: Any) -> str:
        return None.text  # type: ignore[attr-defined]


class LeavesACallOpen(PlainAgent):
    """Ends the turn on a call, and never answers it."""

    def send(self, message: str) -> Any:
        self.begin(message)
        text, _ = self.ask()
        return text or "I called a tool."


class Honest(PlainAgent):
    """Ends in a controlled failure; right where the scenario allows one."""

    def reply(self, text: str) -> str:
        if "find out" in text:
            raise GaveUp("no such tool")
        return text


RIGHT = [
    (PlainAgent, GHOST),
    (HidesSecrets, HIDDEN),
    (StreamsNarration, NARRATED),
    (StreamsNarrationWithoutReasoning, REASONED),
    (PlainAgent, FAILING),
    (PlainAgent, OBSERVED),
    (Honest, GHOST + "    expect:\n      outcome: either\n"),
]

WRONG = [
    (ShowsResults, ONE_CALL, "no-protocol-text"),
    (ShowsItsFeedback, GHOST, "no-protocol-text"),
    (PlainAgent, HIDDEN, "no-protocol-text"),
    (StreamsAnotherText, ONE_CALL, "stream-is-reply"),
    (StreamsAndRepliesNothing, ONE_CALL, "answers"),
    (StreamsNarration, PROTOCOL_WITH_A_CALL, "no-protocol-text"),
    (StreamsNarration, REASONED, "no-protocol-text"),
    (QuotesItsHeaders, "wires: [openai-chat]" + FAILING, "key-kept"),
    (ReportsItsSetup, OBSERVED, "key-kept"),
    (Silent, ONE_CALL, "answers"),
    (Crashes, ONE_CALL, "answers"),
    (LeavesACallOpen, ONE_CALL, "survives"),
    (Honest, GHOST, "1.outcome"),
]


@pytest.mark.parametrize(("agent", "text"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_no_law_accuses_a_right_agent(agent: Any, text: str) -> None:
    assert_right(agent, text)


@pytest.mark.parametrize(("agent", "text", "law"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_a_law_names_the_one_mistake_of_a_wrong_agent(agent: Any, text: str, law: str) -> None:
    assert_breaks_only(law, agent, text)


@pytest.mark.parametrize(
    ("feedback", "findings"), [("No tool get_wet.", ["no-protocol-text"]), ("No tool get_we.", [])]
)
def test_words_of_the_agent_that_anybody_would_use_may_be_shown(feedback: str, findings: list[str]) -> None:
    class ShowsFeedback(PlainAgent):
        def run(self, name: str, arguments: Any) -> str:
            return feedback

        def reply(self, text: str) -> str:
            return f"{feedback} {text}" if "find out" in text else text

    assert only_findings(ShowsFeedback, GHOST, wires=("openai-chat",)) == {"openai-chat+plain": findings}


class ListsItsTools(PlainAgent):
    """Puts the descriptions of all tools into a request, and shows the first one."""

    wires = ("openai-chat",)

    def begin(self, message: str) -> None:
        listed = "\n".join(tool.description for tool in self.tools())
        super().begin(f"{message}\n{listed}")

    def reply(self, text: str) -> str:
        return f"{text}\n{self.tools()[0].description}"


def test_words_of_every_tool_may_be_shown() -> None:
    two = """
wires: [openai-chat]
tools:
  - {name: look_up, description: Looks up a word in the dictionary., parameters: {}}
  - {name: find, description: Finds a place on the map of the town., parameters: {}}
conversation:
  - user: What can you do?
    model: [{text: This and that.}]
"""
    assert_right(ListsItsTools, two)
