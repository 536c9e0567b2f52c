"""The sources of the rules, and their sample requests."""

from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.values.json_texts import copied
from fake_providers.wires.openai_shared.rules import RESPONSES_PROBES

PROBES: Final = RESPONSES_PROBES
MODEL = "gpt-5.6-terra"

USER: dict[str, Any] = {"role": "user", "content": "What is the weather in Oslo?"}
ASSISTANT_MESSAGE: dict[str, Any] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "I look."}],
}
REASONING_ITEM: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo"}
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


def probes(*quotes: str) -> tuple[Citation, ...]:
    return tuple([Citation(PROBES, quote) for quote in quotes])


def cite(source: str, quote: str = "") -> tuple[Citation, ...]:
    return (Citation(source, quote),)


def sample_request(*items: Any, model: str = MODEL, **fields: Any) -> dict[str, Any]:
    """A request body with these items, or with one user message."""
    return copied({"model": model, "input": list(items) or [USER], **fields})


def item_with(item: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The item with these members; None removes one."""
    members = {**copied(item), **changes}
    return {name: value for name, value in members.items() if value is not None}


def sample_with_call(**changes: Any) -> dict[str, Any]:
    """A conversation with one answered call; `changes` are made to the call."""
    return sample_request(USER, item_with(CALL, **changes), RESULT)


def sample_with_result(**changes: Any) -> dict[str, Any]:
    """A conversation with one answered call; `changes` are made to the result."""
    return sample_request(USER, CALL, item_with(RESULT, **changes))


def sample_with_tool(**changes: Any) -> dict[str, Any]:
    """A request with one tool; `changes` are made to it."""
    return sample_request(tools=[item_with(TOOL, **changes)])
