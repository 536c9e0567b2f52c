"""The shape of a request: everything of its body that a rule reads. Knows no rule."""

from typing import Any


def shape_of(body: Any) -> Any:
    """The body, with a tuple in place of each message that has nothing but a role and a text; None for one with a
    `response_format`, for which a rule looks for a word in the texts.
    """
    if not isinstance(body, dict) or "response_format" in body:
        return None
    messages = body.get("messages")
    return {**body, "messages": [*map(_shape_of_message, messages)]} if isinstance(messages, list) else None


def _shape_of_message(message: Any) -> Any:
    if isinstance(message, dict) and len(message) == 2 and "role" in message:
        text = message.get("content")
        if isinstance(text, str) and text:
            return (message["role"],)
    return message
