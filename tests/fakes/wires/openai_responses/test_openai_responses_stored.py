"""What a served fake stores: responses to continue, items to refer to, and what was not stored."""

from typing import Any

import pytest
from responses_requests import USER, FakeProvider, call, context, http_request, responses_body, result, violation_of

from fake_providers import Call, Fault, Reply
from fake_providers.wire import ResumesConversations, StoresResponses
from fake_providers.wires.openai_responses.wire import WIRE

OSLO = Call("get_weather", {"city": "Oslo"}, id="call_1")
THINKING = Reply(thinking="Oslo?", text="I look.", calls=(OSLO,))


def continuing(response: dict[str, Any], *items: Any, **fields: Any) -> dict[str, Any]:
    return responses_body(previous_response_id=response["id"], **fields) | {"input": list(items)}


@pytest.mark.parametrize("stream", [False, True])
def test_whole_conversation_is_viewed(stream: bool) -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(instructions="Be brief.", stream=stream), THINKING)
    second = fake_provider.ask(continuing(first, result("call_1"), stream=stream), Reply(text="Rain."))
    view = fake_provider.view(continuing(second, {**USER, "content": "Thanks."}))

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


def test_reasoning_that_the_provider_has_stored_is_viewed() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), THINKING)
    reasoning, *others = first["output"]
    repeated = responses_body() | {"input": [USER, reasoning, *others, result("call_1")]}
    dropped = responses_body() | {"input": [USER, call("call_1"), result("call_1")]}
    unknown = responses_body() | {"input": [USER, {**reasoning, "id": "rs_0"}, *others, result("call_1")]}

    def has_thoughts(body: Any) -> bool:
        return any(message.thinking for message in fake_provider.view(body).messages)

    assert has_thoughts(continuing(first, result("call_1")))
    assert has_thoughts(repeated)
    assert not has_thoughts(dropped)
    assert not has_thoughts(unknown)


def test_call_of_the_previous_response_must_have_a_result() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), THINKING)
    violation = fake_provider.refused(continuing(first, USER))

    assert violation is not None
    assert violation.rule == "openai/responses-call-without-result"
    assert violation.at == "previous_response_id"
    assert violation.message == "No tool output found for function call call_1."
    assert fake_provider.refused(continuing(first, result("call_1"))) is None


def test_result_of_a_call_that_the_previous_response_does_not_have_is_refused() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), THINKING)
    violation = fake_provider.refused(continuing(first, result("call_1"), result("call_2")))

    assert violation is not None
    assert (violation.rule, violation.at) == ("openai/responses-result-without-call", "input[1]")


def test_empty_input_may_continue_a_response() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), Reply(text="Hello"))

    assert fake_provider.refused(continuing(first)) is None


def test_unknown_response_is_refused_only_with_a_store() -> None:
    body = continuing({"id": "resp_x"}, result("call_1"))
    violation = FakeProvider().refused(body)

    assert violation_of(body) is None
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
def test_incomplete_response_is_not_stored(reply: Reply, stream: bool) -> None:
    fake_provider = FakeProvider()
    resolve = fake_provider.conversations.resolve
    body = responses_body(stream=stream)
    response = WIRE.encode(reply, context(body))
    fake_provider.conversations.keep(resolve(http_request(body)), response)
    incomplete = WIRE.encode(Reply(text="It is"), context(body))

    assert fake_provider.refused(continuing({"id": _id(incomplete.body)}, USER)) is not None
    fake_provider.conversations.keep(resolve(http_request(body)), incomplete)
    assert fake_provider.refused(continuing({"id": _id(incomplete.body)}, USER)) is None


def _id(body: bytes) -> str:
    start = body.index(b"resp_")
    return body[start : start + 55].decode()


def test_response_that_is_not_stored_cannot_be_continued() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(store=False), Reply(text="Hello"))
    violation = fake_provider.refused(continuing(first, USER))

    assert first["store"] is False
    assert violation is not None
    assert violation.rule == "openai/responses-previous-not-found"


def test_item_can_be_referred_to_instead_of_repeated() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), Reply(calls=(OSLO,)))
    reference = {"type": "item_reference", "id": first["output"][0]["id"]}
    body = responses_body(USER, reference, result("call_1"))

    assert fake_provider.refused(body) is None
    assert [message.role for message in fake_provider.view(body).messages] == ["user", "assistant", "tool"]
    assert fake_provider.view(body).messages[1].at == "input[1]"
    violation = fake_provider.refused(responses_body(USER, reference))
    assert violation is not None
    assert violation.rule == "openai/responses-call-without-result"


def test_item_that_was_not_stored_cannot_be_referred_to() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(store=False), Reply(calls=(OSLO,)))
    item_id = first["output"][0]["id"]
    body = responses_body(USER, {"type": "item_reference", "id": item_id}, result("call_1"))
    violation = fake_provider.refused(body)

    assert violation is not None
    assert (violation.rule, violation.status, violation.at) == ("openai/responses-item-not-persisted", 404, "input[1]")
    assert violation.message.startswith(f"Item with id '{item_id}' not found. Items are not persisted when `store` is")
    assert violation.body["error"]["param"] == "input"
    assert violation_of(body) is None


def test_item_of_the_previous_response_may_not_be_repeated() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), Reply(text="Hello"))
    violation = fake_provider.refused(continuing(first, first["output"][0], USER))

    assert violation is not None
    assert (violation.rule, violation.at) == ("openai/responses-duplicate-item", "input[0]")


def test_call_with_its_id_needs_its_reasoning_item() -> None:
    fake_provider = FakeProvider()
    thought, context = fake_provider.ask(responses_body(), Reply(thinking="Oslo?", calls=(OSLO,)))["output"]
    violation = fake_provider.refused(responses_body(USER, context, result("call_1")))
    without_id = {name: value for name, value in context.items() if name != "id"}

    assert violation is not None
    assert violation.rule == "openai/responses-item-without-thought"
    assert violation.message == (
        f"Item '{context['id']}' of type 'function_call' was provided without its required 'reasoning' item: "
        f"'{thought['id']}'."
    )
    assert fake_provider.refused(responses_body(USER, thought, context, result("call_1"))) is None
    assert fake_provider.refused(responses_body(USER, without_id, result("call_1"))) is None


def test_call_that_was_not_stored_needs_no_reasoning_item() -> None:
    fake_provider = FakeProvider()
    _, context = fake_provider.ask(responses_body(store=False), Reply(thinking="Oslo?", calls=(OSLO,)))["output"]

    assert fake_provider.refused(responses_body(USER, context, result("call_1"), store=False)) is None


def test_places_are_in_the_request_itself() -> None:
    fake_provider = FakeProvider()
    first = fake_provider.ask(responses_body(), Reply(text="Hello"))
    violation = fake_provider.refused(continuing(first, USER, call("call_1", id="call_1"), result("call_1")))

    assert violation is not None
    assert violation.at == "input[1].id"


def test_stores_are_separate() -> None:
    one, other = FakeProvider(), FakeProvider()
    first = one.ask(responses_body(), Reply(text="Hello"))

    assert one.refused(continuing(first, USER)) is None
    assert other.refused(continuing(first, USER)) is not None


def test_wire_has_a_store_of_its_own() -> None:
    assert isinstance(WIRE, StoresResponses)
    assert not isinstance(WIRE, ResumesConversations)
