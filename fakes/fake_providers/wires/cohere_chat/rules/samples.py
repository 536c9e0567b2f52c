"""Sample requests of the rules."""

from typing import Any, Final

from fake_providers.values.json_texts import copied

MODEL: Final = "command-a-03-2025"
USER: Final[dict[str, Any]] = {"role": "user", "content": "What is the weather in Oslo?"}
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CALL: Final[dict[str, Any]] = {
    "id": "get_weather_4kq8v1m2x7ab",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
}
CALLS: Final[dict[str, Any]] = {"role": "assistant", "tool_plan": "I will look it up.", "tool_calls": [CALL]}
RESULT: Final[dict[str, Any]] = {"role": "tool", "tool_call_id": CALL["id"], "content": "7 degrees"}


def request(*messages: Any, model: str = MODEL, **fields: Any) -> dict[str, Any]:
    """A body with these messages, or with one user message."""
    return copied({"model": model, "messages": list(messages) or [USER], **fields})


def with_call(**members: Any) -> dict[str, Any]:
    """A conversation with one answered call; `members` are changed in the call."""
    return request(USER, {**CALLS, "tool_calls": [{**CALL, **members}]}, RESULT)


def with_tool(model: str = MODEL, also: Any = None, **members: Any) -> dict[str, Any]:
    """A request with one tool; `members` are changed in its `function`, and `also` is added to the body."""
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": SCHEMA, **members}
    return request(model=model, tools=[{"type": "function", "function": function}], **(also or {}))


def with_city(schema: Any, model: str = MODEL) -> dict[str, Any]:
    """A request with one tool, whose property `city` has this schema."""
    return with_tool(model, parameters={**SCHEMA, "properties": {"city": schema}})
