"""Sample requests of the rules, and how they cite their sources."""

from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.values.json_texts import copied
from fake_providers.wires.cohere_chat.errors import ERRORS_PAGE

MODEL: Final = "command-a-03-2025"
USER: Final[dict[str, Any]] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
CALL: Final[dict[str, Any]] = {
    "id": "get_weather_4kq8v1m2x7ab",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
}
CALLS: Final[dict[str, Any]] = {"role": "assistant", "tool_plan": "I will look it up.", "tool_calls": [CALL]}
RESULT: Final[dict[str, Any]] = {"role": "tool", "tool_call_id": CALL["id"], "content": "7 degrees"}


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def listed(quote: str) -> tuple[Citation, ...]:
    """Cohere's own page of errors."""
    return cite(ERRORS_PAGE, quote)


def sample_request(*messages: Any, model: str = MODEL, **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return copied({"model": model, "messages": list(messages) or [USER], **fields})


def sample_with_call(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are changed in the call."""
    return sample_request(USER, {**CALLS, "tool_calls": [{**CALL, **members}]}, RESULT)


def sample_with_arguments(arguments: Any) -> dict[str, Any]:
    return sample_with_call(function={"name": "get_weather", "arguments": arguments})


def sample_with_tool(model: str = MODEL, request: Any = None, **members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are changed in its `function`, and `request` is added to the body."""
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return sample_request(model=model, tools=[{"type": "function", "function": function}], **(request or {}))
