"""Reading a request's JSON without ever raising. Knows JSON and HTTP, no rule and no reply."""

import json
from typing import Any, NoReturn

from fakes.http import Request

NOTHING: dict[str, Any] = {}


class NotJsonError(ValueError):
    """The body is no JSON text; the message is what the provider says after the colon."""


def read(request: Request) -> Any:
    """The JSON value of the body. Raises `NotJsonError`."""
    try:
        return json.loads(request.body, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise NotJsonError(f"{reason}: line {error.lineno} column {error.colno} (char {error.pos})") from error
    except (ValueError, RecursionError) as error:
        raise NotJsonError("unexpected character: line 1 column 1 (char 0)") from error


def tolerant(request: Request) -> dict[str, Any]:
    """The JSON object of the body, or an empty one."""
    try:
        value = read(request)
    except NotJsonError:
        return NOTHING
    return value if isinstance(value, dict) else NOTHING


def wants_stream(body: dict[str, Any]) -> bool:
    return body.get("stream") is True


def model_of(body: dict[str, Any]) -> str:
    model = body.get("model")
    return model if isinstance(model, str) else ""


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`: NaN and Infinity are no JSON."""
    raise ValueError(name)
