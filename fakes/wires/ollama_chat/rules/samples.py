"""Where the rules come from, and the requests that their examples are varied from. Knows no rule."""

from copy import deepcopy
from typing import Any

from fakes.rule import Citation

TYPES = "ollama/ollama api/types.go, commit fb30760"
ROUTES = "ollama/ollama server/routes.go, ChatHandler, commit fb30760"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALLING: dict[str, Any] = {
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


def asking(*messages: Any, model: str = "qwen3:8b", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return deepcopy({"model": model, "messages": list(messages) or [USER], "stream": False, **fields})


def said(**members: Any) -> dict[str, Any]:
    """A request whose one message has these members too."""
    return asking({**USER, **members})


def calling(**members: Any) -> dict[str, Any]:
    """A conversation whose one call is answered; `members` are of the call's `function`."""
    message = deepcopy(CALLING)
    message["tool_calls"][0]["function"].update(members)
    return asking(USER, message, RESULT)


def offering(**members: Any) -> dict[str, Any]:
    """A request that offers one tool; `members` are of its `function`."""
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return asking(tools=[{"type": "function", "function": function}])


def with_schema(**members: Any) -> dict[str, Any]:
    """A request whose one tool has this schema."""
    return offering(parameters={**SCHEMA, **members})


def with_property(schema: Any) -> dict[str, Any]:
    """A request whose one tool takes this `city`."""
    return with_schema(properties={"city": schema})
