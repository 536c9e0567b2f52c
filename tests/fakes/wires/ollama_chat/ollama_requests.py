"""Requests to the fake of Ollama's chat, and helpers for its responses."""

import json
from typing import Any

from fake_providers import Reply, ReplyContext, Request, Response, Violation
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.wires.ollama_chat.wire import WIRE

USER = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def tool(**members: Any) -> dict[str, Any]:
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return {"type": "function", "function": function}


def call_message(*ids: str, **members: Any) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": {"city": "Oslo"}, **members}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": id_, "function": function} for id_ in ids]}


def result(**members: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_name": "get_weather", "content": "7 degrees", **members}


def chat_body(*messages: Any, model: str = "qwen3:8b", **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages) or [USER], "stream": False, **fields}


STREAM = {"model": "qwen3:8b", "messages": [USER]}


def http_request(body: Any) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", "/api/chat", {"content-type": "application/json"}, content)


def violation_of(body: Any) -> Violation | None:
    return WIRE.judge(http_request(body), provider="ollama")


def refusal_message(body: Any) -> str:
    """The error message with which this body is refused."""
    violation = violation_of(body)
    assert violation is not None
    assert violation.body == {"error": violation.message}
    return violation.message


def context(body: Any, split: Split = "provider") -> ReplyContext:
    return ReplyContext(http_request(body), "ollama", Ids("seed"), split)


def encode_reply(reply: Reply, body: Any = None, split: Split = "provider") -> Response:
    return WIRE.encode(reply, context(body or chat_body(), split))


def lines(response: Response) -> list[Any]:
    """The lines of a stream."""
    *complete, rest = response.body.decode().split("\n")
    assert rest == ""
    return [json.loads(line) for line in complete]
