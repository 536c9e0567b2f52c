"""A request that continues a stored response is judged with the whole conversation, as its provider reads it."""

from typing import Any

from tests.agents.plain import PlainAgent
from tests.trying import TWO_CALLS, only_findings


class Threaded(PlainAgent):
    """Correct: sends only what the provider does not store yet."""

    wires = ("anthropic-messages",)
    held: Any = None
    known = 0

    def body(self) -> dict[str, Any]:
        body = super().body()
        if self.held is None:
            return body | {"thread": {"type": "create"}}
        del body["tools"]
        new = [message for message in self.messages[self.known :] if message["role"] == "user"]
        return body | {"thread": {"type": "continue", "previous_message_id": self.held}, "messages": new}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = super().post(body)
        self.held, self.known = response["id"], len(self.messages)
        return response


class ThreadedAndForgetful(Threaded):
    """Wrong: answers one call of two, which only the calls that the provider stores can show."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results[:1])


def test_continued_request_is_read_with_the_stored_conversation() -> None:
    assert only_findings(Threaded, TWO_CALLS) == {"anthropic-messages+plain": []}


def test_unanswered_call_in_a_stored_conversation_is_found() -> None:
    found = only_findings(ThreadedAndForgetful, TWO_CALLS)

    assert found == {"anthropic-messages+plain": ["accepted:anthropic/tool-use-unanswered"]}
