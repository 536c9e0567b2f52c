"""Threads: a request that names a response is checked by its fields alone, and completely once the thread is filled
in."""

import json
from typing import Any

import pytest
from anthropic_requests import TOOL, WIRE, broken_rule, context, request, tool_result, user, violation_of

from fake_providers import Call, Fault, Reply, Request, Response, wire_named
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wire import ResumesConversations

CONTINUE = {"type": "continue", "previous_message_id": "msg_01x"}
CREATE = {"type": "create"}
REPLY = Reply(thinking="Hm.", text="So.", calls=(Call("f", {"a": "é"}, id="t1"), Call("f", {}, id="t2")))


def answered_thread(reply: Reply = REPLY, **fields: Any) -> tuple[ConversationStore, Response]:
    """A conversation store with one request, and its response."""
    store = ConversationStore(WIRE)
    first_request = request(tools=[TOOL], system="s", thread=CREATE, **fields)
    response = WIRE.encode(reply, context(sent=first_request))
    store.keep(first_request, response)
    return store, response


def continuing(response: Response, *messages: Any) -> Request:
    previous = {"type": "continue", "previous_message_id": WIRE.response_id(response) or "msg_01x"}
    return request(*messages, thread=previous)


def test_request_of_a_thread_is_checked_by_its_fields_without_a_store() -> None:
    assert violation_of(user([tool_result("t1")]), thread=CONTINUE) is None
    assert violation_of(tool_choice={"type": "any"}, thread=CONTINUE) is None
    assert broken_rule(user([tool_result("t1")]), thread=CREATE) == "anthropic/tool-result-without-use"
    assert broken_rule(user() | {"bogus": 1}, thread=CONTINUE) == "anthropic/message-extra-key"


@pytest.mark.parametrize("stream", [False, True])
def test_full_request_is_judged_and_viewed_with_the_stored_messages(stream: bool) -> None:
    store, response = answered_thread(stream=stream)

    right = store.resolve(continuing(response, user([tool_result("t1"), tool_result("t2")])))
    wrong = store.resolve(continuing(response, user([tool_result("t1")])))

    assert WIRE.judge(right, provider="anthropic") is None
    violation = WIRE.judge(wrong, provider="anthropic")
    assert violation is not None
    assert (violation.rule, violation.at) == ("anthropic/tool-use-unanswered", "messages.1")
    view = WIRE.view(right)
    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]
    assert (view.system, view.tools[0].name, view.messages[1].thinking) == ("s", "f", "Hm.")
    assert [call.arguments for call in view.messages[1].calls] == [{"a": "é"}, {}]


def test_thread_continues_from_request_to_request() -> None:
    store, response = answered_thread(Reply(text="One."))
    second = store.resolve(continuing(response, user("b")))
    second_response = WIRE.encode(Reply(text="Two."), context(sent=second, seed="later"))
    store.keep(second, second_response)

    third = store.resolve(continuing(second_response, user("c")))

    assert [message.text for message in WIRE.view(third).messages] == ["a", "One.", "b", "Two.", "c"]


@pytest.mark.parametrize("fault", [Fault(cut_after=3), Fault(error_event="529"), Fault(status=529), Fault(body="x")])
@pytest.mark.parametrize("stream", [False, True])
def test_incomplete_response_is_not_stored(fault: Fault, stream: bool) -> None:
    if fault.error_event and not stream:
        return
    response = WIRE.encode(Reply(text="Yes.", fault=fault), context(stream=stream))

    assert WIRE.response_id(response) is None


def test_request_of_an_unknown_thread_is_unchanged() -> None:
    store, response = answered_thread()
    unknown, other = request(user("b"), thread=CONTINUE), request(user("b"))

    assert store.resolve(unknown) is unknown
    assert store.resolve(other) is other
    assert WIRE.continued(request(thread={"type": "continue"})) is None
    assert json.loads(store.resolve(continuing(response, user("b"))).body).get("thread") is None


def test_wires_without_threads_store_nothing() -> None:
    plain = wire_named("openai-chat")
    store = ConversationStore(plain)
    first_request = request()

    store.keep(first_request, WIRE.encode(Reply(text="x"), context()))

    assert not isinstance(plain, ResumesConversations)
    assert isinstance(WIRE, ResumesConversations)
    assert store.resolve(first_request) is first_request
