"""Requests to the fake of Responses, and helpers for its responses."""

import json
from collections.abc import Mapping
from typing import Any

from fakes import Reply, ReplyContext, Request, Response, Violation
from fakes.ids import Ids
from fakes.reply import Split
from fakes.serving.conversation_store import ConversationStore
from fakes.wires.openai_responses.wire import WIRE

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


def http_request(body: Any, headers: Mapping[str, str] | None = None) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", "/v1/responses", headers or {"authorization": "Bearer sk-test"}, content)


def violation_of(body: Any) -> Violation | None:
    return WIRE.judge(http_request(body), provider="openai")


def refusal_error(body: Any) -> dict[str, Any]:
    """The `error` with which this body is refused."""
    violation = violation_of(body)
    assert violation is not None
    assert violation.status == 400
    error: dict[str, Any] = violation.body["error"]
    return error


def context(body: Any, split: Split = "provider") -> ReplyContext:
    return ReplyContext(http_request(body), "openai", Ids("seed"), split)


def encode_reply(reply: Reply, body: Any = None, split: Split = "provider") -> Response:
    return WIRE.encode(reply, context(body or responses_body(), split))


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
