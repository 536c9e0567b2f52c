"""The JSON body of a request to either OpenAI wire: its model, and whether it wants a stream. Never raises."""

from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.http import Request
from fake_providers.values.json_texts import read_json
from fake_providers.values.parse_cache import cached_by_body
from fake_providers.wire import Route

LONGEST_TARGET: Final = 200
"""Characters of a target that is kept: clients send the same few again and again."""


class _NotJson:
    def __repr__(self) -> str:
        return "NOT_JSON"


NOT_JSON: Final = _NotJson()
"""Stands for a body that is not JSON."""


def body_of(request: Request) -> Any:
    """The JSON value, or `NOT_JSON`. It is shared between callers and must not be changed."""
    return _parsed(request.body)


def route_to(ending: str, request: Request) -> Route | None:
    """The route of a POST to a path that ends so, or None."""
    if request.method.upper() != "POST" or not _path_of(request.path).endswith(ending):
        return None
    body = body_of(request)
    return Route(model_of(body), wants_stream(body))


def model_of(body: Any) -> str:
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else ""


def wants_stream(body: Any) -> bool:
    return isinstance(body, dict) and body.get("stream") is True


def whole_number(*values: Any) -> int | None:
    """The first that is one."""
    for value in values:
        if isinstance(value, int):
            return value
    return None


def _path_of(target: str) -> str:
    return _kept_path(target) if len(target) <= LONGEST_TARGET else urlsplit(target).path


@lru_cache(maxsize=64)
def _kept_path(target: str) -> str:
    return urlsplit(target).path


def _parse(body: bytes) -> Any:
    try:
        return read_json(body.decode(), strict=True)
    except ValueError:
        return NOT_JSON


_parsed = cached_by_body(_parse)
