"""Requests to the fake of Responses, and helpers for its responses."""

import json
from typing import Any

from fake_providers import Reply, ReplyContext, Response, Violation
from fake_providers.ids import Ids
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wires.openai_responses.wire import WIRE
from tests.fakes.wires.openai_fake import OpenAIFake

USER = {"role": "user", "content": "What is the weather in Oslo?"}
ASSISTANT_MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Rain.", "annotations": [], "logprobs": []}],
}
REASONING_ITEM = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "Current weather for a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def call(call_id: str, **members: Any) -> dict[str, Any]:
    arguments = '{"city":"Oslo"}'
    return {"type": "function_call", "call_id": call_id, "name": "get_weather", "arguments": arguments, **members}


def result(call_id: str, **members: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "7 degrees", **members}


def responses_body(*items: Any, model: str = "gpt-5.4", **fields: Any) -> dict[str, Any]:
    return {"model": model, "input": list(items) or [USER], **fields}


FAKE = OpenAIFake(WIRE, "/v1/responses", responses_body)
http_request = FAKE.http_request
violation_of = FAKE.violation_of
refusal_error = FAKE.refusal_error
context = FAKE.context
encode_reply = FAKE.encode_reply


def plain(reply: Reply, body: Any = None) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(encode_reply(reply, body).body)
    return parsed


def events(response: Response) -> list[dict[str, Any]]:
    """The data of each event; each event is one chunk, and its name equals its type."""
    parsed = []
    for chunk in response.chunks:
        name, data, *rest = chunk.decode().split("\n")
        parsed.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {parsed[-1]['type']}"
        assert rest == ["", ""]
    return parsed


class FakeProvider:
    """A fake with a store: checks each request, answers what it accepts, and stores the response."""

    def __init__(self) -> None:
        self.ids = Ids("served")
        self.conversations = ConversationStore(WIRE)

    def refused(self, body: Any) -> Violation | None:
        return WIRE.judge(self.conversations.resolve(http_request(body)), provider="openai")

    def view(self, body: Any) -> Any:
        return WIRE.view(self.conversations.resolve(http_request(body)))

    def ask(self, body: Any, reply: Reply) -> dict[str, Any]:
        """The response object, plain or from the last event."""
        assert self.refused(body) is None
        full_request = self.conversations.resolve(http_request(body))
        response = WIRE.encode(reply, ReplyContext(full_request, "openai", self.ids))
        self.conversations.keep(full_request, response)
        parsed: dict[str, Any] = events(response)[-1]["response"] if body.get("stream") else json.loads(response.body)
        return parsed
