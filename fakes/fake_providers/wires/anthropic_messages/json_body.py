"""Reads the JSON body of a request without raising. Knows JSON and HTTP; no rule and no reply."""

from typing import Any

from fake_providers.http import Request
from fake_providers.wires.anthropic_messages.json_parser import NotJsonError, check_surrogates, parse

NOTHING: dict[str, Any] = {}


def read(request: Request) -> Any:
    """The JSON value of the body. Raises `NotJsonError`."""
    value = parse(request.body)
    check_surrogates(request.body)
    return value


def tolerant(request: Request) -> dict[str, Any]:
    """The JSON object of the body, or an empty one."""
    try:
        value = parse(request.body)
    except NotJsonError:
        return NOTHING
    return value if isinstance(value, dict) else NOTHING


def wants_stream(body: dict[str, Any]) -> bool:
    return body.get("stream") is True


def model_of(body: dict[str, Any]) -> str:
    model = body.get("model")
    return model if isinstance(model, str) else ""
