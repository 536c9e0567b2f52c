"""Requests to the fake of Responses, and what it answers them."""

import json
from collections.abc import Mapping
from typing import Any

from fakes import Reply, ReplyContext, Request, Response, Violation
from fakes.ids import Ids
from fakes.reply import Split
from fakes.serving.conversation_store import ConversationStore
from fakes.wires.openai_responses.wire import WIRE

USER = {"role": "user", "content": "What is the weather in Oslo?"}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Rain.", "annotations": [], "logprobs": []}],
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
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


def asking(*items: Any, model: str = "gpt-5.4", **fields: Any) -> dict[str, Any]:
    return {"model": model, "input": list(items) or [USER], **fields}


def posted(body: Any, headers: Mapping[str, str] | None = None) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", "/v1/responses", headers or {"authorization": "Bearer sk-test"}, content)


def judged(body: Any) -> Violation | None:
    return WIRE.judge(posted(body), provider="openai")


def refusal(body: Any) -> dict[str, Any]:
    """The `error` with which this body is refused."""
    violation = judged(body)
    assert violation is not None
    assert violation.status == 400
    error: dict[str, Any] = violation.body["error"]
    return error


def context(body: Any, split: Split = "provider") -> ReplyContext:
    return ReplyContext(posted(body), "openai", Ids("seed"), split)


def answered(reply: Reply, body: Any = None, split: Split = "provider") -> Response:
    return WIRE.encode(reply, context(body or asking(), split))


def plain(reply: Reply, body: Any = None) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(answered(reply, body).body)
    return told


def events(response: Response) -> list[dict[str, Any]]:
    """The data of each event; each is one chunk and named as its data is."""
    told = []
    for chunk in response.chunks:
        name, data, *rest = chunk.decode().split("\n")
        told.append(json.loads(data.removeprefix("data: ")))
        assert name == f"event: {told[-1]['type']}"
        assert rest == ["", ""]
    return told


class Served:
    """A fake with a memory: judges each request, answers what it accepts, and remembers."""

    def __init__(self) -> None:
        self.ids = Ids("served")
        self.conversations = ConversationStore(WIRE)

    def refused(self, body: Any) -> Violation | None:
        return WIRE.judge(self.conversations.whole(posted(body)), provider="openai")

    def view(self, body: Any) -> Any:
        return WIRE.view(self.conversations.whole(posted(body)))

    def ask(self, body: Any, reply: Reply) -> dict[str, Any]:
        """The response object, plain or out of the last event."""
        assert self.refused(body) is None
        whole = self.conversations.whole(posted(body))
        response = WIRE.encode(reply, ReplyContext(whole, "openai", self.ids))
        self.conversations.keep(whole, response)
        told: dict[str, Any] = events(response)[-1]["response"] if body.get("stream") else json.loads(response.body)
        return told
