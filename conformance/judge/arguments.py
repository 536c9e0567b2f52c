"""Whether a tool ran with the arguments that the model sent: coercion and defaults are allowed, invention is not."""

import json
from collections.abc import Mapping
from typing import Any

_ABSENT = object()


def same_arguments(ran: Any, sent: Any, schema: Mapping[str, Any]) -> bool:
    """Whether `ran` is `sent`, coerced to the schema, with defaults filled in and optional ones left out or null."""
    if not isinstance(ran, dict) or not isinstance(sent, dict):
        return bool(same_value(ran, sent))
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    for key in ran.keys() | sent.keys():
        was, is_now = sent.get(key, _ABSENT), ran.get(key, _ABSENT)
        spec = properties.get(key)
        spec = spec if isinstance(spec, dict) else {}
        default = spec.get("default", _ABSENT)
        if was is _ABSENT:
            if is_now is not None and is_now != default:
                return False
        elif is_now is _ABSENT:
            if was is not None and was != default and key in properties:
                return False
        elif isinstance(was, dict) and isinstance(is_now, dict) and spec:
            if not same_arguments(is_now, was, spec):
                return False
        elif not same_value(is_now, was):
            return False
    return True


def same_value(ran: Any, sent: Any) -> bool:
    """Equal as JSON, or equal after one coercion: numbers and booleans in text, an object in a string decoded once."""
    if isinstance(ran, bool) or isinstance(sent, bool):
        return ran is sent or _spelled(ran) == _spelled(sent)
    if ran == sent:
        return True
    if isinstance(ran, list) and isinstance(sent, list):
        return len(ran) == len(sent) and all(same_value(a, b) for a, b in zip(ran, sent, strict=True))
    if isinstance(ran, dict) and isinstance(sent, dict):
        return ran.keys() == sent.keys() and all(same_value(ran[key], sent[key]) for key in ran)
    if isinstance(ran, list) and len(ran) == 1 and not isinstance(sent, list | dict):
        return same_value(ran[0], sent)
    if isinstance(sent, str) and isinstance(ran, dict | list):
        try:
            return same_value(ran, json.loads(sent))
        except ValueError:
            return False
    return _spelled(ran) == _spelled(sent)


def _spelled(value: Any) -> str | None:
    """A scalar as text, numbers in one spelling."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{float(value):.12g}"
    if isinstance(value, str):
        try:
            return f"{float(value):.12g}"
        except ValueError:
            return value.lower() if value.lower() in ("true", "false") else value
    return None


def read_arguments(text: str) -> object:
    """The JSON value of argument text, a stringified object decoded once, nothing at all read as no arguments.

    Raises `ValueError` for text that is no JSON.
    """
    if not text.strip():
        return {}
    value = json.loads(text)
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return value
        return inner if isinstance(inner, dict) else value
    return {} if value is None else value
