"""Threads: a request that names a response is judged by its fields alone, and as a whole once that is filled in."""

import json
from typing import Any

import pytest
from anthropic_requests import TOOL, WIRE, context, judged, request, result, rule_of, user

from fakes import Call, Fault, Reply, Request, Response, wire_named
from fakes.serving.conversation_store import ConversationStore, ResumesConversations

CONTINUE = {"type": "continue", "previous_message_id": "msg_01x"}
CREATE = {"type": "create"}
REPLY = Reply(thinking="Hm.", text="So.", calls=(Call("f", {"a": "é"}, id="t1"), Call("f", {}, id="t2")))


def answered(reply: Reply = REPLY, **fields: Any) -> tuple[ConversationStore, Response]:
    """A provider that holds one conversation, and its response."""
    held = ConversationStore(WIRE)
    asked = request(tools=[TOOL], system="s", thread=CREATE, **fields)
    response = WIRE.encode(reply, context(sent=asked))
    held.keep(asked, response)
    return held, response


def following(response: Response, *messages: Any) -> Request:
    named = {"type": "continue", "previous_message_id": WIRE.response_id(response) or "msg_01x"}
    return request(*messages, thread=named)


def test_what_a_thread_holds_is_not_known_without_it() -> None:
    assert judged(user([result("t1")]), thread=CONTINUE) is None
    assert judged(tool_choice={"type": "any"}, thread=CONTINUE) is None
    assert rule_of(user([result("t1")]), thread=CREATE) == "anthropic/tool-result-without-use"
    assert rule_of(user() | {"bogus": 1}, thread=CONTINUE) == "anthropic/message-extra-key"


@pytest.mark.parametrize("stream", [False, True])
def test_whole_request_is_judged_and_viewed_with_what_was_held(stream: bool) -> None:
    held, response = answered(stream=stream)

    right = held.whole(following(response, user([result("t1"), result("t2")])))
    wrong = held.whole(following(response, user([result("t1")])))

    assert WIRE.judge(right, provider="anthropic") is None
    violation = WIRE.judge(wrong, provider="anthropic")
    assert violation is not None
    assert (violation.rule, violation.at) == ("anthropic/tool-use-unanswered", "messages.1")
    view = WIRE.view(right)
    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]
    assert (view.system, view.tools[0].name, view.messages[1].thinking) == ("s", "f", "Hm.")
    assert [call.arguments for call in view.messages[1].calls] == [{"a": "é"}, {}]


def test_thread_goes_on_from_request_to_request() -> None:
    held, response = answered(Reply(text="One."))
    second = held.whole(following(response, user("b")))
    again = WIRE.encode(Reply(text="Two."), context(sent=second, seed="later"))
    held.keep(second, again)

    third = held.whole(following(again, user("c")))

    assert [message.text for message in WIRE.view(third).messages] == ["a", "One.", "b", "Two.", "c"]


@pytest.mark.parametrize("fault", [Fault(cut_after=3), Fault(error_event="529"), Fault(status=529), Fault(body="x")])
@pytest.mark.parametrize("stream", [False, True])
def test_what_was_not_said_to_its_end_is_not_held(fault: Fault, stream: bool) -> None:
    if fault.error_event and not stream:
        return
    response = WIRE.encode(Reply(text="Yes.", fault=fault), context(stream=stream))

    assert WIRE.response_id(response) is None


def test_request_of_an_unknown_thread_stays_as_it_is() -> None:
    held, response = answered()
    unknown, alone = request(user("b"), thread=CONTINUE), request(user("b"))

    assert held.whole(unknown) is unknown
    assert held.whole(alone) is alone
    assert WIRE.continued(request(thread={"type": "continue"})) is None
    assert json.loads(held.whole(following(response, user("b"))).body).get("thread") is None


def test_wires_without_threads_hold_nothing() -> None:
    plain = wire_named("openai-chat")
    held = ConversationStore(plain)
    asked = request()

    held.keep(asked, WIRE.encode(Reply(text="x"), context()))

    assert not isinstance(plain, ResumesConversations)
    assert isinstance(WIRE, ResumesConversations)
    assert held.whole(asked) is asked
