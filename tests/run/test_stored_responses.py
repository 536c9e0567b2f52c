"""An agent that leaves its conversation to OpenAI is judged with all of it, case by case."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import TWO_CALLS, WEATHER, only_findings

CASE = "openai-responses+plain"


class Stored(PlainAgent):
    """Correct: continues the response before, and sends only what is new."""

    wires = ("openai-responses",)
    previous: Any = None
    known = 0

    def body(self) -> dict[str, Any]:
        body = super().body() | {"store": True}
        if self.previous is None:
            return body
        return body | {"previous_response_id": self.previous, "input": self.messages[self.known :]}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = super().post(body)
        self.previous, self.known = response["id"], len(self.messages) + len(response["output"])
        return response


class StoredAndForgetful(Stored):
    """Wrong: answers one call of two, which only the calls that the provider stores can show."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results[:1])


class SaysItTwice(Stored):
    """Wrong: continues the response before, and sends all of it again."""

    def body(self) -> dict[str, Any]:
        body = super().body()
        return body | {"input": self.messages}


class NeverStored(Stored):
    """Wrong: has nothing stored, and continues the response all the same."""

    def body(self) -> dict[str, Any]:
        return super().body() | {"store": False}


class ByReference(Stored):
    """Correct: references the items that the provider stores instead of repeating them."""

    def body(self) -> dict[str, Any]:
        body = super().body()
        body.pop("previous_response_id", None)
        named = [{"type": "item_reference", "id": item["id"]} if item.get("id") else item for item in self.messages]
        return body | {"input": named}


class DropsReasoning(Stored):
    """Wrong: nothing is stored, and the reasoning does not go back."""

    def body(self) -> dict[str, Any]:
        return PlainAgent.body(self) | {"input": [one for one in self.messages if one.get("type") != "reasoning"]}


THOUGHTS = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo?
    model:
      - thinking: The user wants Oslo. The tool knows it.
        thoughts: [The user wants Oslo., " The tool knows it."]
        calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
    expect:
      should: {requests: [{at: 2, thinking: kept, in_order: [The user wants Oslo., The tool knows it.]}]}
"""
)


def test_reasoning_that_the_provider_stores_is_in_its_place() -> None:
    assert only_findings(Stored, THOUGHTS) == {CASE: []}
    assert only_findings(ByReference, THOUGHTS) == {CASE: []}
    assert only_findings(DropsReasoning, THOUGHTS) == {CASE: ["1.should.requests[0]"]}


def test_request_that_continues_a_response_is_read_with_it() -> None:
    assert only_findings(Stored, TWO_CALLS) == {CASE: []}


def test_referenced_items_are_read_as_if_they_were_repeated() -> None:
    assert only_findings(ByReference, TWO_CALLS) == {CASE: []}


def test_unanswered_call_of_a_stored_response_is_found() -> None:
    assert only_findings(StoredAndForgetful, TWO_CALLS) == {CASE: ["accepted:openai/responses-call-without-result"]}


def test_item_that_the_provider_stores_may_not_be_sent_again() -> None:
    assert only_findings(SaysItTwice, TWO_CALLS) == {CASE: ["accepted:openai/responses-duplicate-item"]}


def test_response_that_was_not_stored_cannot_be_continued() -> None:
    assert only_findings(NeverStored, TWO_CALLS) == {CASE: ["accepted:openai/responses-previous-not-found"]}
