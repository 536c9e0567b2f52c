"""Requests to the fake of Cohere's chat, and helpers for its responses."""

import json
from typing import Any

from fake_providers import Reply, ReplyContext, Request, Response, Violation
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.wires.cohere_chat.wire import WIRE

MODEL = "command-a-03-2025"
THINKS = "command-a-plus-05-2026"
USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA},
}


def call(id_: str = "get_weather_1", name: str = "get_weather", arguments: Any = '{"city":"Oslo"}') -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*given: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": list(given) or [call()], **members}


def result(id_: str = "get_weather_1", content: Any = "7 degrees") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def chat_body(*messages: Any, model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages) or [USER], **fields}


def http_request(body: Any) -> Request:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request("POST", "/v2/chat", {"content-type": "application/json"}, content)


def violation_of(body: Any) -> Violation | None:
    return WIRE.judge(http_request(body), provider="cohere")


def refused(body: Any) -> tuple[str, int, str]:
    """The rule, the status and the sentence with which this body is refused."""
    violation = violation_of(body)
    assert violation is not None
    assert violation.body == {"id": violation.body["id"], "message": violation.message}
    return violation.rule, violation.status, violation.message


def encode_reply(reply: Reply, body: Any = None, split: Split = "provider") -> Response:
    return WIRE.encode(reply, ReplyContext(http_request(body or chat_body()), "cohere", Ids("seed"), split))


def events(response: Response) -> list[Any]:
    """The data of a stream; the name of each event is that of its data."""
    found = []
    for block in response.body.decode().split("\n\n")[:-1]:
        name, _, data = block.rpartition("data: ")
        if data == "[DONE]":
            found.append(data)
            continue
        found.append(json.loads(data))
        assert name == f"event: {found[-1]['type']}\n"
    return found
