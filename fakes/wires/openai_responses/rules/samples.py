"""Where the rules come from, and the requests that their examples are varied from. Knows no rule."""

from copy import deepcopy
from typing import Any

from fakes.rule import Citation

PROBES = "kangminlee-maker/local-OAuth-CLI-API-adapter test/openai-responses-validation-parity.test.mjs"
"""A table of bodies and the answers of the live API (gpt-5.6-terra, 2026-08-30 to 2026-09-10)."""

MODEL = "gpt-5.6-terra"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
SAID: dict[str, Any] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look."}],
}
THOUGHT: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
CALL: dict[str, Any] = {
    "type": "function_call",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city":"Oslo"}',
}
RESULT: dict[str, Any] = {"type": "function_call_output", "call_id": "call_1", "output": "7 degrees"}
TOOL: dict[str, Any] = {
    "type": "function",
    "name": "get_weather",
    "description": "Current weather for a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def probed(quote: str = "") -> tuple[Citation, ...]:
    return (Citation(PROBES, quote),)


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def asking(*items: Any, model: str = MODEL, **fields: Any) -> dict[str, Any]:
    """A request body with these items, or with one message of the user."""
    return deepcopy({"model": model, "input": list(items) or [USER], **fields})


def changed(item: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The item with these members; None takes one away."""
    members = {**deepcopy(item), **changes}
    return {name: value for name, value in members.items() if value is not None}


def calling(**changes: Any) -> dict[str, Any]:
    """A conversation whose one call is answered; `changes` are made to the call."""
    return asking(USER, changed(CALL, **changes), RESULT)


def answering(**changes: Any) -> dict[str, Any]:
    """The same, with changes to the result."""
    return asking(USER, CALL, changed(RESULT, **changes))


def offering(**changes: Any) -> dict[str, Any]:
    """A request that offers one tool; `changes` are made to it."""
    return asking(tools=[changed(TOOL, **changes)])


def offering_schema(**properties: Any) -> dict[str, Any]:
    """A request whose one tool takes these properties."""
    return offering(parameters={"type": "object", "properties": properties})
