"""What a tool result says, through what a wire or an agent wraps around it. Knows JSON alone."""

import json
from typing import Any

from fake_providers.json_texts import read_json

DEEPEST = 8


def plain_result(text: str) -> str:
    """A JSON value that is wrapped in objects with one key is written as itself, and a text as its words."""
    value = _unwrapped(text, DEEPEST)
    if isinstance(value, str):
        return " ".join(value.split())
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _unwrapped(value: Any, depth: int) -> Any:
    if depth and isinstance(value, str):
        try:
            read = read_json(value)
        except ValueError:
            return value
        return _unwrapped(read, depth - 1) if isinstance(read, dict | list | str) else read
    if depth and isinstance(value, dict) and len(value) == 1:
        return _unwrapped(next(iter(value.values())), depth - 1)
    return value
