"""Log probabilities, and ids of items that the script gives: read by the vendor's SDK, plain and streamed."""

from typing import Any

import openai
import pytest

import fake_providers
from fake_providers import Call, Reply

ASKED: dict[str, Any] = {"model": "gpt-4.1", "input": "Hi."}
TOOL: Any = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}


def ask(reply: Reply, **fields: Any) -> Any:
    with (
        fake_providers.serve("openai", wire="openai-responses", replies=[reply]) as fake,
        openai.OpenAI(base_url=fake.base_url, api_key="any", max_retries=0) as client,
    ):
        answer = client.responses.create(**{**ASKED, **fields})
        return list(answer) if fields.get("stream") else answer


@pytest.mark.parametrize("asked", [None, 0, 3])
def test_log_probabilities_are_those_of_the_text(asked: int | None) -> None:
    fields = {"include": ["message.output_text.logprobs"], **({} if asked is None else {"top_logprobs": asked})}
    plain = ask(Reply(text="It rains in Oslo."), **fields)
    events = ask(Reply(text="It rains in Oslo."), stream=True, **fields)

    part = plain.output[0].content[0]
    assert "".join(one.token for one in part.logprobs) == "It rains in Oslo."
    assert all(bytes(one.bytes).decode() == one.token and one.logprob <= 0 for one in part.logprobs)
    assert {len(one.top_logprobs) for one in part.logprobs} == {asked or 0}
    deltas = [event for event in events if event.type == "response.output_text.delta"]
    assert all("".join(one.token for one in event.logprobs) == event.delta for event in deltas)
    done = next(event for event in events if event.type == "response.output_text.done")
    assert "".join(one.token for one in done.logprobs) == "It rains in Oslo."
    assert events[-1].response.output[0].content[0].logprobs == part.logprobs
    added = next(event for event in events if event.type == "response.content_part.added")
    assert added.part.logprobs == []


def test_log_probabilities_that_are_not_asked_for_are_not_sent() -> None:
    assert ask(Reply(text="Rain.")).output[0].content[0].logprobs == []
    assert ask(Reply(text="Rain."), top_logprobs=3).output[0].content[0].logprobs == []


def test_a_refusal_has_no_log_probabilities() -> None:
    part = ask(Reply(text="No.", finish="refusal"), include=["message.output_text.logprobs"]).output[0].content[0]

    assert part.refusal == "No."
    assert not hasattr(part, "logprobs")


@pytest.mark.parametrize("stream", [False, True])
def test_items_have_the_ids_of_the_script_in_their_order(stream: bool) -> None:
    reply = Reply(text="Wait.", calls=(Call("f", {}), Call("f", {})), id="resp_x", item_ids=("msg_x", "fc_x"))
    answer = ask(reply, tools=[TOOL], **({"stream": True} if stream else {}))
    response = answer[-1].response if stream else answer

    assert response.id == "resp_x"
    assert [item.id for item in response.output[:2]] == ["msg_x", "fc_x"]
    assert response.output[2].id.startswith("fc_")
    if stream:
        placed = {event.item_id for event in answer if hasattr(event, "item_id")}
        assert placed == {item.id for item in response.output}


def test_an_item_of_the_script_can_be_referred_to() -> None:
    reply = Reply(text="Wait.", item_ids=("msg_x",))
    with (
        fake_providers.serve("openai", wire="openai-responses", replies=[reply]) as fake,
        openai.OpenAI(base_url=fake.base_url, api_key="any", max_retries=0) as client,
    ):
        client.responses.create(**ASKED)
        reference: Any = {"type": "item_reference", "id": "msg_x"}
        client.responses.create(model="gpt-4.1", input=[reference, {"role": "user", "content": "Go on."}])

    assert "Wait." in fake.views[1].texts
