"""A served fake stores its responses, for itself alone: the SDK continues one by its id."""

import json
from typing import Any

import anthropic
import openai
import pytest

from fake_providers import Call, Reply, Request
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake

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

    assert (status(body), [one.rule for one in fake.violations]) == (404, [])
    assert status({**body, "model": ["gpt-5.4"]}) == 400
    assert [one.rule for one in fake.violations] == ["openai/responses-model-type"]
