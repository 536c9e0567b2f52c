"""Where the rules come from, and the requests that their examples are varied from. Knows no rule."""

from copy import deepcopy
from typing import Any

from fakes.rule import Citation

PROBES = "kangminlee-maker/local-OAuth-CLI-API-adapter test/openai-chat-validation-parity.test.mjs"
"""A table of bodies and the answers of the live API (gpt-5.6-terra, 2026-08-30 to 2026-09-04)."""

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALLING: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}
    ],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "call_1", "content": "7 degrees"}


def probed(quote: str = "") -> tuple[Citation, ...]:
    return (Citation(PROBES, quote),)


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def asking(*messages: dict[str, Any], model: str = "gpt-4.1", **fields: Any) -> dict[str, Any]:
    """A request body with these messages, or with one user message."""
    return deepcopy({"model": model, "messages": list(messages) or [USER], **fields})


def calling(**changes: Any) -> dict[str, Any]:
    """A conversation whose one call is answered; `changes` are made to the call, None takes a member away."""
    message = deepcopy(CALLING)
    _change(message["tool_calls"][0], changes)
    return asking(USER, message, RESULT)


def calling_function(**changes: Any) -> dict[str, Any]:
    """The same, with changes to the `function` of the call."""
    message = deepcopy(CALLING)
    _change(message["tool_calls"][0]["function"], changes)
    return asking(USER, message, RESULT)


def offering(**changes: Any) -> dict[str, Any]:
    """A request that offers one tool; `changes` are made to its `function`, None takes a member away."""
    tool = deepcopy(TOOL)
    _change(tool["function"], changes)
    return asking(tools=[tool])


def offering_schema(**properties: Any) -> dict[str, Any]:
    """A request whose one tool takes these properties."""
    return offering(parameters={"type": "object", "properties": properties})


def _change(members: dict[str, Any], changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value is None:
            del members[name]
        else:
            members[name] = value
