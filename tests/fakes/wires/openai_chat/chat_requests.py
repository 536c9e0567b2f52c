"""Requests to the fake of Chat Completions, and helpers for its responses."""

import json
from typing import Any

from fake_providers import Response
from fake_providers.wires.openai_chat.wire import WIRE
from tests.fakes.wires.openai_fake import OpenAIFake

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


FAKE = OpenAIFake(WIRE, "/v1/chat/completions", chat)
http_request = FAKE.http_request
violation_of = FAKE.violation_of
refusal_error = FAKE.refusal_error
context = FAKE.context
encode_reply = FAKE.encode_reply


def events(response: Response) -> list[Any]:
    """The data of each event of a stream; `[DONE]` unparsed."""
    parsed = response.body.decode().split("\n\n")
    assert parsed.pop() == ""
    assert all(event.startswith("data: ") for event in parsed)
    return [event[6:] if event == "data: [DONE]" else json.loads(event[6:]) for event in parsed]
