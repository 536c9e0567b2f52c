"""The shape of a request: everything of its body that a rule reads. Knows no rule."""

from collections.abc import Mapping
from typing import Any, Final

RESULT_KEYS: Final = {"role", "tool_call_id", "content"}
CALL_KEYS: Final = {"id", "type", "function"}
FUNCTION_KEYS: Final = {"name", "arguments"}
LONGEST_ID: Final = 40
"""Characters of an id that no rule refuses."""


def shape_of(body: Any) -> Any:
    """The body with tuples in place of its usual messages, which have neither the texts nor the ids. None for a body
    with a `response_format`, for which a rule looks for a word in the texts.
    """
    if not isinstance(body, dict) or "response_format" in body:
        return None
    messages = body.get("messages")
    if not isinstance(messages, list):
        return None
    ids: dict[str, int] = {}
    shapes = [_shape_of_text(message) or _shape_of_tool_use(message, ids) for message in messages]
    if None in shapes:
        # An id may be that of a call in an unusual message: then they all stay.
        shapes = [_shape_of_text(message) or message for message in messages]
    return {**body, "messages": shapes}


def _shape_of_text(message: Any) -> tuple[Any, ...] | None:
    """Of a message that has nothing but a role and a text."""
    if isinstance(message, dict) and len(message) == 2 and "role" in message and _is_text(message.get("content")):
        return (message["role"],)
    return None


def _shape_of_tool_use(message: Any, ids: dict[str, int]) -> tuple[Any, ...] | None:
    """Of a result, or of a message with calls, with numbers in place of ids; None for any other message."""
    if not isinstance(message, dict):
        return None
    if message.keys() == RESULT_KEYS and message["role"] == "tool":
        number = _number_of(message["tool_call_id"], ids)
        return ("tool", number) if number is not None and _is_text(message["content"]) else None
    if message.get("role") != "assistant" or not message.keys() <= {"role", "content", "tool_calls"}:
        return None
    calls, content = message.get("tool_calls"), message.get("content")
    if not isinstance(calls, list) or not calls or not (content is None or _is_text(content)):
        return None
    shapes = [_shape_of_call(call, ids) for call in calls]
    return None if None in shapes else ("assistant", "content" in message, content is None, *shapes)


def _shape_of_call(call: Any, ids: dict[str, int]) -> tuple[Any, ...] | None:
    if not isinstance(call, dict) or call.keys() != CALL_KEYS or call["type"] != "function":
        return None
    function: Any = call["function"]
    if not isinstance(function, Mapping) or function.keys() != FUNCTION_KEYS or not _is_text(function["arguments"]):
        return None
    number = _number_of(call["id"], ids)
    return None if number is None else (number, function["name"])


def _number_of(id: Any, ids: dict[str, int]) -> int | None:
    """The same for the same id; None for what is no usual id."""
    if not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
        return None
    return ids.setdefault(id, len(ids))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""
