"""The sources of the rules, and their sample requests. Knows no rule."""

from copy import deepcopy
from typing import Any

from fake_providers.rule import Citation

TYPES = "ollama/ollama api/types.go, commit fb30760"
ROUTES = "ollama/ollama server/routes.go, ChatHandler, commit fb30760"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL_MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Oslo"}}}],
}
RESULT: dict[str, Any] = {
    "role": "tool",
    "tool_name": "get_weather",
    "tool_call_id": "call_1",
    "content": "7 degrees",
}


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def sample_request(*messages: Any, model: str = "qwen3:8b", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return deepcopy({"model": model, "messages": list(messages) or [USER], "stream": False, **fields})


def sample_with_message(**members: Any) -> dict[str, Any]:
    """A request with one user message; `members` are added to the message."""
    return sample_request({**USER, **members})


def sample_with_call(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are added to the call's `function`."""
    message = deepcopy(CALL_MESSAGE)
    message["tool_calls"][0]["function"].update(members)
    return sample_request(USER, message, RESULT)


def sample_with_tool(**members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are added to its `function`."""
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return sample_request(tools=[{"type": "function", "function": function}])


def sample_with_schema(**members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are added to its schema."""
    return sample_with_tool(parameters={**SCHEMA, **members})


def sample_with_property(schema: Any) -> dict[str, Any]:
    """A request with one tool, whose property `city` has this schema."""
    return sample_with_schema(properties={"city": schema})
