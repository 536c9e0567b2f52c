"""Calls with another reason than theirs, and their reason without calls: what right and wrong agents make of them."""

from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance import Reply
from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import WEATHER, only_findings

CALLS = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
        finish: stop
      - text: Rain.
    expect:
      outcome: either
"""
)
ANNOUNCED = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: I will look.
        finish: tool_calls
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
        spare: true
      - text: Rain.
        spare: true
    expect:
      outcome: either
"""
)


class EndsInWords(PlainAgent):
    """Right enough: believes that the model stopped, and says so."""

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        if response["choices"][0]["finish_reason"] == "stop":
            text = response["choices"][0]["message"].get("content") or "The model stopped without an answer."
            self.messages.append({"role": "assistant", "content": text})
            return text, []
        return super().take(response)


class GivesUp(EndsInWords):
    def reply(self, text: str) -> str:
        if text.startswith("The model stopped"):
            raise GaveUp(text)
        return text


class EndsInSilence(EndsInWords):
    """Wrong: the turn is over, and nobody hears of it."""

    def reply(self, text: str) -> str:
        return "" if text.startswith("The model stopped") else text


class RequestsOnce(PlainAgent):
    """Right: streams what the model says, and requests a call that was announced and did not come once more."""

    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:  # type: ignore[override]
        self.begin(message)
        announced = False
        while True:
            response = self.post(self.body())
            text, calls = self.take(response)
            if text:
                yield text
            if calls:
                self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
            elif is_announced(response) and not announced:
                announced = True
                self.messages.append({"role": "user", "content": "You announced a call, and there was none."})
            else:
                yield Reply(text)  # type: ignore[misc]
                return


def is_announced(response: dict[str, Any]) -> bool:
    if "choices" in response:
        return bool(response["choices"][0]["finish_reason"] == "tool_calls")
    return response["stop_reason"] == "tool_use"


@pytest.mark.parametrize("agent", [PlainAgent, EndsInWords, GivesUp])
def test_calls_with_stop_run_or_the_turn_ends_in_words(agent: Any) -> None:
    assert only_findings(agent, CALLS, open_models=True) == {"openai-chat+plain": []}


def test_calls_with_stop_that_end_in_silence_are_one_finding() -> None:
    assert only_findings(EndsInSilence, CALLS, open_models=True) == {"openai-chat+plain": ["answers"]}


@pytest.mark.parametrize("agent", [PlainAgent, RequestsOnce])
def test_announced_call_ends_the_turn_or_is_requested_again(agent: Any) -> None:
    assert only_findings(agent, ANNOUNCED, open_models=True) == {
        "openai-chat+plain": [],
        "anthropic-messages+plain": [],
    }


ROUNDS = (
    WEATHER
    + """
limits: {requests: 3}
conversation:
  - user: What is the weather in Oslo, Rome and Cairo?
    model:
      - {text: I look at Oslo., calls: [{name: get_weather, arguments: {city: Oslo}}]}
      - {text: I look at Rome., calls: [{name: get_weather, arguments: {city: Rome}}]}
      - {text: I look at Cairo., calls: [{name: get_weather, arguments: {city: Cairo}}]}
      - {text: Rain everywhere., spare: true}
    expect: {outcome: either}
"""
)


class SaysThatItStops(PlainAgent):
    """Right: at the limit it says so, with the newest result."""

    form = "I stopped after too many rounds. The last result: {}"

    def send(self, message: str) -> str:
        reply = super().send(message)
        if reply.startswith("I stopped after too many rounds"):
            return self.form.format(self.last())
        return reply

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        self.result = results[-1][2]

    def last(self) -> str:
        return self.result


class RepliesWithTheLastWords(SaysThatItStops):
    """Right: what the model said when it was asked last."""

    form = "{}"

    def last(self) -> str:
        return "I look at Cairo."


class RepliesWithTheResult(SaysThatItStops):
    form = "{}"


class RepliesWithOlderWords(RepliesWithTheResult):
    def last(self) -> str:
        return "I look at Rome."


def test_turn_that_was_ended_has_a_word_of_the_agents_on_it() -> None:
    for right in (SaysThatItStops, RepliesWithTheLastWords):
        assert set(map(tuple, only_findings(right, ROUNDS).values())) == {()}
    for agent in (RepliesWithTheResult, RepliesWithOlderWords):
        assert set(map(tuple, only_findings(agent, ROUNDS).values())) == {("answers",)}
