"""The sources of the rules, and their sample requests."""

from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.values.json_texts import copied
from fake_providers.wires.openai_shared.rules import CHAT_PROBES

PROBES: Final = CHAT_PROBES
USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALL_MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
    ],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "call_1", "content": "7 degrees"}


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def sample_request(*messages: dict[str, Any], model: str = "gpt-4.1", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return copied({"model": model, "messages": list(messages) or [USER], **fields})


PNG = "data:image/png;base64,iVBORw0KGgo="
NO_PNG = "data:image/png;base64,PCFET0NUWVBFIGh0bWw+"
"""A page of HTML that says it is a picture."""


def sample_with_picture(url: str, **fields: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [{"type": "image_url", "image_url": {"url": url}}]}, **fields)


def sample_with_call(**changes: Any) -> dict[str, Any]:
    """A conversation with one answered call; `changes` are made to the call, and None removes a member."""
    message = copied(CALL_MESSAGE)
    _change(message["tool_calls"][0], changes)
    return sample_request(USER, message, RESULT)


def sample_with_function_call(**changes: Any) -> dict[str, Any]:
    """A conversation with one answered call; `changes` are made to its `function`, and None removes a member."""
    message = copied(CALL_MESSAGE)
    _change(message["tool_calls"][0]["function"], changes)
    return sample_request(USER, message, RESULT)


def sample_with_tool(**changes: Any) -> dict[str, Any]:
    """A request with one tool; `changes` are made to its `function`, and None removes a member."""
    tool = copied(TOOL)
    _change(tool["function"], changes)
    return sample_request(tools=[tool])


def _change(members: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value is None:
            del members[name]
        else:
            members[name] = value
