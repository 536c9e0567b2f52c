"""What a served fake remembers: responses to go on from, items to name, and what was not stored."""

from typing import Any

import pytest
from responses_requests import USER, Served, asking, call, context, judged, posted, result

from fakes import Call, Fault, Reply
from fakes.wire import ResumesConversations, StoresResponses
from fakes.wires.openai_responses.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
THINKING = Reply(thinking="Oslo?", text="I look.", calls=(OSLO,))


def going_on(response: dict[str, Any], *items: Any, **fields: Any) -> dict[str, Any]:
    return asking(previous_response_id=response["id"], **fields) | {"input": list(items)}


@pytest.mark.parametrize("stream", [False, True])
def test_conversation_is_viewed_whole(stream: bool) -> None:
    served = Served()
    first = served.ask(asking(instructions="Be brief.", stream=stream), THINKING)
    second = served.ask(going_on(first, result("call_1"), stream=stream), Reply(text="Rain."))
    view = served.view(going_on(second, {**USER, "content": "Thanks."}))

    assert [(message.role, message.at) for message in view.messages] == [
        ("user", "previous_response_id"),
        ("assistant", "previous_response_id"),
        ("tool", "previous_response_id"),
        ("assistant", "previous_response_id"),
        ("user", "input[0]"),
    ]
    assert view.messages[1].calls[0].name == "get_weather"
    assert view.messages[2].results[0].text == "7 degrees"
    assert view.messages[3].text == "Rain."
    assert view.system == ""


def test_call_of_the_previous_response_must_be_answered() -> None:
    served = Served()
    first = served.ask(asking(), THINKING)
    violation = served.refused(going_on(first, USER))

    assert violation is not None
    assert violation.rule == "openai/responses-call-without-result"
    assert violation.at == "previous_response_id"
    assert violation.message == "No tool output found for function call call_1."
    assert served.refused(going_on(first, result("call_1"))) is None


def test_result_of_a_call_that_the_previous_response_does_not_have_is_refused() -> None:
    served = Served()
    first = served.ask(asking(), THINKING)
    violation = served.refused(going_on(first, result("call_1"), result("call_2")))

    assert violation is not None
    assert (violation.rule, violation.at) == ("openai/responses-result-without-call", "input[1]")


def test_empty_input_may_go_on_from_a_response() -> None:
    served = Served()
    first = served.ask(asking(), Reply(text="Hello"))

    assert served.refused(going_on(first)) is None


def test_response_of_nobody_is_refused_where_it_is_served_and_accepted_where_it_is_judged() -> None:
    body = going_on({"id": "resp_x"}, result("call_1"))
    violation = Served().refused(body)

    assert judged(body) is None
    assert violation is not None
    assert violation.rule == "openai/responses-previous-not-found"
    assert violation.body["error"] == {
        "message": "Previous response with id 'resp_x' not found.",
        "type": "invalid_request_error",
        "param": "previous_response_id",
        "code": "previous_response_not_found",
    }


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "reply", [Reply(text="It is", fault=Fault(cut_after=1)), Reply(text="It is", fault=Fault(body="<html>"))]
)
def test_response_that_was_not_told_to_its_end_is_not_kept(reply: Reply, stream: bool) -> None:
    served = Served()
    whole = served.conversations.whole
    body = asking(stream=stream)
    response = WIRE.encode(reply, context(body))
    served.conversations.keep(whole(posted(body)), response)
    told = WIRE.encode(Reply(text="It is"), context(body))

    assert served.refused(going_on({"id": _id(told.body)}, USER)) is not None
    served.conversations.keep(whole(posted(body)), told)
    assert served.refused(going_on({"id": _id(told.body)}, USER)) is None


def _id(body: bytes) -> str:
    start = body.index(b"resp_")
    return body[start : start + 55].decode()


def test_response_that_is_not_stored_cannot_be_gone_on_from() -> None:
    served = Served()
    first = served.ask(asking(store=False), Reply(text="Hello"))
    violation = served.refused(going_on(first, USER))

    assert first["store"] is False
    assert violation is not None
    assert violation.rule == "openai/responses-previous-not-found"


def test_item_can_be_named_instead_of_repeated() -> None:
    served = Served()
    first = served.ask(asking(), Reply(calls=(OSLO,)))
    reference = {"type": "item_reference", "id": first["output"][0]["id"]}
    body = asking(USER, reference, result("call_1"))

    assert served.refused(body) is None
    assert [message.role for message in served.view(body).messages] == ["user", "assistant", "tool"]
    assert served.view(body).messages[1].at == "input[1]"
    violation = served.refused(asking(USER, reference))
    assert violation is not None
    assert violation.rule == "openai/responses-call-without-result"


def test_item_that_was_not_stored_cannot_be_named() -> None:
    served = Served()
    first = served.ask(asking(store=False), Reply(calls=(OSLO,)))
    item_id = first["output"][0]["id"]
    body = asking(USER, {"type": "item_reference", "id": item_id}, result("call_1"))
    violation = served.refused(body)

    assert violation is not None
    assert (violation.rule, violation.status, violation.at) == ("openai/responses-item-not-persisted", 404, "input[1]")
    assert violation.message.startswith(f"Item with id '{item_id}' not found. Items are not persisted when `store` is")
    assert judged(body) is None


def test_item_of_the_previous_response_may_not_be_repeated() -> None:
    served = Served()
    first = served.ask(asking(), Reply(text="Hello"))
    violation = served.refused(going_on(first, first["output"][0], USER))

    assert violation is not None
    assert (violation.rule, violation.at) == ("openai/responses-duplicate-item", "input[0]")


def test_call_with_its_id_needs_the_thought_it_came_with() -> None:
    served = Served()
    thought, context = served.ask(asking(), Reply(thinking="Oslo?", calls=(OSLO,)))["output"]
    violation = served.refused(asking(USER, context, result("call_1")))
    without_id = {name: value for name, value in context.items() if name != "id"}

    assert violation is not None
    assert violation.rule == "openai/responses-item-without-thought"
    assert violation.message == (
        f"Item '{context['id']}' of type 'function_call' was provided without its required 'reasoning' item: "
        f"'{thought['id']}'."
    )
    assert served.refused(asking(USER, thought, context, result("call_1"))) is None
    assert served.refused(asking(USER, without_id, result("call_1"))) is None


def test_call_that_was_not_stored_needs_no_thought() -> None:
    served = Served()
    _, context = served.ask(asking(store=False), Reply(thinking="Oslo?", calls=(OSLO,)))["output"]

    assert served.refused(asking(USER, context, result("call_1"), store=False)) is None


def test_places_are_those_of_the_request_itself() -> None:
    served = Served()
    first = served.ask(asking(), Reply(text="Hello"))
    violation = served.refused(going_on(first, USER, call("call_1", id="call_1"), result("call_1")))

    assert violation is not None
    assert violation.at == "input[1].id"


def test_memories_are_apart() -> None:
    one, other = Served(), Served()
    first = one.ask(asking(), Reply(text="Hello"))

    assert one.refused(going_on(first, USER)) is None
    assert other.refused(going_on(first, USER)) is not None


def test_wire_remembers_in_its_own_way() -> None:
    assert isinstance(WIRE, StoresResponses)
    assert not isinstance(WIRE, ResumesConversations)
