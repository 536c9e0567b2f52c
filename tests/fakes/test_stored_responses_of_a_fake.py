"""A served fake stores its responses, for itself alone: the SDK continues one by its id."""

import json
from typing import Any
from unittest import mock

import anthropic
import openai
import pytest

from fake_providers import Call, Reply, Request, Response
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.values.bounded_store import Unread

CALLING = Reply(calls=(Call("weather", {"city": "Oslo"}),))


def answered(client: openai.OpenAI, first: Any, **more: Any) -> Any:
    output = {"type": "function_call_output", "call_id": first.output[0].call_id, "output": "7 degrees"}
    return client.responses.create(model="gpt-5.4", input=[output], previous_response_id=first.id, **more)


def served(fake: ScriptedFake) -> openai.OpenAI:
    return openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0)


def test_response_can_be_continued() -> None:
    with serve("openai", [CALLING, Reply(text="Rain.")], wire="openai-responses") as fake, served(fake) as client:
        first = client.responses.create(model="gpt-5.4", input="How is the weather?")
        second = answered(client, first)

    assert second.output_text == "Rain."
    assert fake.violations == []
    assert [message.role for message in fake.views[1].messages] == ["user", "assistant", "tool"]
    assert b"How is the weather?" not in fake.requests[1].body


def test_streamed_response_can_be_continued() -> None:
    with serve("openai", [CALLING, Reply(text="Rain.")], wire="openai-responses") as fake, served(fake) as client:
        with client.responses.stream(model="gpt-5.4", input="How is the weather?") as stream:
            first = stream.get_final_response()
        answered(client, first)

    assert fake.violations == []


def test_call_left_open_is_refused() -> None:
    with serve("openai", [CALLING], wire="openai-responses") as fake, served(fake) as client:
        first = client.responses.create(model="gpt-5.4", input="How is the weather?")
        with pytest.raises(openai.BadRequestError, match="No tool output found for function call"):
            client.responses.create(model="gpt-5.4", input="Well?", previous_response_id=first.id)

    assert [violation.rule for violation in fake.violations] == ["openai/responses-call-without-result"]


def test_responses_that_nobody_named_are_all_there_when_one_is_named() -> None:
    replies = [Reply(text=f"Reply {number}.") for number in range(5)]
    with serve("openai", replies, wire="openai-responses") as fake, served(fake) as client:
        made = [client.responses.create(model="gpt-5.4", input=str(number)) for number in range(4)]
        second = client.responses.retrieve(made[1].id)
        client.responses.create(model="gpt-5.4", input="And?", previous_response_id=made[2].id)

    assert second.output_text == "Reply 1."
    assert [message.text for message in fake.views[-1].messages] == ["2", "Reply 2.", "And?"]


def test_responses_that_wait_to_be_read_are_bounded() -> None:
    request, response = Request("POST", "/", {}, b"x" * 10), Response(200, (), (b"y" * 10, b"z" * 10))
    unread = Unread(most=3)
    for _ in range(5):
        unread.put(request, response)
    with mock.patch("fake_providers.values.bounded_store.MOST_BYTES", 60):
        unread.put(request, response)

    assert len(list(unread.taken())) == 2
    assert list(unread.taken()) == []


def test_one_fake_knows_nothing_of_another() -> None:
    with serve("openai", [CALLING], wire="openai-responses") as one, served(one) as client:
        first = client.responses.create(model="gpt-5.4", input="How is the weather?")
    with (
        serve("openai", [Reply(text="Rain.")], wire="openai-responses") as other,
        served(other) as client,
        pytest.raises(openai.BadRequestError, match=f"Previous response with id '{first.id}' not found"),
    ):
        answered(client, first)


def test_anthropic_threads_are_stored() -> None:
    with serve("anthropic", [Reply(text="Hello.")]) as fake:
        client = anthropic.Anthropic(api_key="k", base_url=fake.base_url, max_retries=0)
        create: Any = client.messages.create
        context: dict[str, Any] = {"model": "claude-opus-4-6", "max_tokens": 99}
        first = create(
            **context, messages=[{"role": "user", "content": "hi"}], extra_body={"thread": {"type": "create"}}
        )
        thread = {"type": "continue", "previous_message_id": first.id}
        create(**context, messages=[{"role": "user", "content": "and?"}], extra_body={"thread": thread})
        client.close()

    assert [message.text for message in fake.views[1].messages] == ["hi", "Hello.", "and?"]
    assert b"Hello." not in fake.requests[1].body


def test_rules_come_before_a_conversation_that_is_not_there() -> None:
    fake = ScriptedFake("openai", wire="openai-responses")
    headers = {"authorization": "Bearer any", "content-type": "application/json"}
    body = {"model": "gpt-5.4", "input": "Hi.", "conversation": "conv_1"}

    def status(body: dict[str, object]) -> int:
        return fake.handle(Request("POST", "/v1/responses", headers, json.dumps(body).encode())).status

    assert [status(body), status({**body, "model": ["gpt-5.4"]})] == [404, 400]
    assert [one.rule for one in fake.violations] == [
        "openai/responses-conversation-not-found",
        "openai/responses-model-type",
    ]


THOUGHTFUL = Reply(thinking="Look it up.", calls=CALLING.calls)
USER: Any = {"type": "message", "role": "user", "content": "And?"}


def after_a_thought(then: str, **more: Any) -> tuple[int, str]:
    """Status and sentence for a history that has `then` of what the fake sent: thought, call, result, or a user."""
    with serve("openai", [THOUGHTFUL, Reply(text="Rain.")], wire="openai-responses") as fake, served(fake) as client:
        thought, call = client.responses.create(model="gpt-5.4", input=[USER], **more).output
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "x"}  # type: ignore[union-attr]
        sent = {
            "thought": thought.model_dump(exclude_none=True),
            "reference": {"type": "item_reference", "id": thought.id},
            "call": call.model_dump(exclude_none=True),
            "result": result,
            "user": USER,
        }
        try:
            client.responses.create(model="gpt-5.4", input=[USER, *(sent[name] for name in then.split())], **more)
        except openai.BadRequestError as refused:
            return 400, refused.body["message"].replace(str(thought.id), "rs_1")  # type: ignore[index]
    return 200, ""


@pytest.mark.parametrize("then", ["thought user", "thought", "thought user call result", "reference user"])
def test_stored_thought_without_what_followed_it_is_refused(then: str) -> None:
    told = "Item 'rs_1' of type 'reasoning' was provided without its required following item."

    assert after_a_thought(then) == (400, told)


@pytest.mark.parametrize("then", ["thought call result", "reference call result", "user"])
def test_stored_thought_with_what_followed_it_is_accepted(then: str) -> None:
    assert after_a_thought(then) == (200, "")


def test_thought_that_was_not_stored_may_stand_alone() -> None:
    assert after_a_thought("thought user", store=False) == (200, "")


def test_thought_after_which_nothing_came_may_stand_alone() -> None:
    replies = [Reply(thinking="Look", finish="length"), Reply(text="Rain.")]
    with serve("openai", replies, wire="openai-responses") as fake, served(fake) as client:
        first = client.responses.create(model="gpt-5.4", input=[USER], max_output_tokens=16)
        [thought] = first.output
        alone: Any = thought.model_dump(exclude_none=True)
        client.responses.create(model="gpt-5.4", input=[USER, alone, USER])

    assert fake.violations == []
