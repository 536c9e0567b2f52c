"""Requests to the fake of Chat Completions, and helpers for its responses."""

import json
from collections.abc import Mapping
from typing import Any

from fakes import Reply, ReplyContext, Request, Response, Violation
from fakes.ids import Ids
from fakes.reply import Split
from fakes.wires.openai_chat.wire import WIRE

USER = {"role": "user", "content": "What is the weather in Oslo?"}
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def call_message(*ids: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
    calls = [{"id": call_id, "type": "function", "function": function} for call_id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "7 degrees"}


def chat(*messages: Any, model: str = "gpt-4.1", **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages) or [USER], **fields}


def http_request(body: Any, headers: Mapping[str, str] | None = None) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", "/v1/chat/completions", headers or {"authorization": "Bearer sk-test"}, content)


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
    return WIRE.encode(reply, context(body or chat(), split))


def events(response: Response) -> list[Any]:
    """The data of each event of a stream; `[DONE]` unparsed."""
    parsed = response.body.decode().split("\n\n")
    assert parsed.pop() == ""
    assert all(event.startswith("data: ") for event in parsed)
    return [event[6:] if event == "data: [DONE]" else json.loads(event[6:]) for event in parsed]
