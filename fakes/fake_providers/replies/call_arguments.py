"""The arguments of a scripted call as a JSON value. Knows no wire."""

from typing import Any

from fake_providers.reply import Call, CannotExpress
from fake_providers.values.json_texts import read_json


def arguments_object(call: Call) -> dict[str, Any]:
    """The arguments for a wire that sends them as an object. Raises `CannotExpress` for any other value or text."""
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        arguments = read_json(call.arguments_text, strict=True)
    except ValueError:
        raise CannotExpress("arguments-not-json") from None
    if not isinstance(arguments, dict):
        raise CannotExpress("arguments-not-object")
    return arguments
