"""The arguments of a scripted call as a JSON value. Knows no wire."""

import json
from typing import Any, NoReturn

from fakes.reply import Call, CannotExpress


def arguments_object(call: Call) -> dict[str, Any]:
    """The arguments for a wire that sends them as an object. Raises `CannotExpress` for any other value or text."""
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        arguments = json.loads(call.arguments_text, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise CannotExpress("arguments-not-json") from None
    if not isinstance(arguments, dict):
        raise CannotExpress("arguments-not-object")
    return arguments


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`: NaN and Infinity are not JSON."""
    raise ValueError(name)
