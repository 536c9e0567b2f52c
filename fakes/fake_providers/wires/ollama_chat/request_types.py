"""The Go types of Ollama's chat request, as `api/types.go` of ollama/ollama declares them (2026-08). Knows no rule."""

import json
import re
from typing import Any, Final

from fake_providers.wires.ollama_chat.go_json import (
    AnyMap,
    Anything,
    CustomType,
    GoType,
    Scalar,
    Slice,
    Struct,
    TypeMismatch,
    mismatch,
)

NO_OBJECT: Final = "Value looks like object, but can't find closing '}' symbol"
"""The error of the decoder of ordered maps for anything that is not an object."""

EFFORTS: Final = ("high", "medium", "low", "max")
UNITS: Final = ("ns", "us", "µs", "μs", "ms", "s", "m", "h")

TEXT = Scalar("string")
FLAG = Scalar("bool")
TEXTS = Slice(TEXT, "[]string")


def _arguments(value: Any, at: str) -> TypeMismatch | None:
    return None if isinstance(value, dict) else TypeMismatch(at, text=NO_OBJECT)


def _properties(value: Any, at: str) -> TypeMismatch | None:
    if not isinstance(value, dict):
        return TypeMismatch(at, text=NO_OBJECT)
    found = (mismatch(schema, PROPERTY, f"{at}.{name}") for name, schema in value.items())
    return next((one for one in found if one), None)


def _property_type(value: Any, at: str) -> TypeMismatch | None:
    return None if isinstance(value, str) else mismatch(value, TEXTS, at)


def _message(value: Any, at: str) -> TypeMismatch | None:
    return mismatch(value, MESSAGE, at)


def _image(value: Any, at: str) -> TypeMismatch | None:
    """Base64 without a prefix, so no data URL; the error names the first byte that is not base64."""
    if not isinstance(value, str):
        return None if isinstance(value, list) else mismatch(value, Slice(Anything(), "api.ImageData"), at)
    text = re.sub(r"[\r\n]", "", value)
    match = re.match(r"[A-Za-z0-9+/]*", text)
    length = match.end() if match else 0
    if text[length:] == "=" * (-length % 4) and length % 4 != 1:
        return None
    byte = length if length < len(text) else length - length % 4
    return TypeMismatch(at, text=f"illegal base64 data at input byte {byte}")


def _think(value: Any, at: str) -> TypeMismatch | None:
    if isinstance(value, bool) or value in EFFORTS:
        return None
    listed = ", ".join(f'"{effort}"' for effort in EFFORTS)
    if isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        return TypeMismatch(at, text=f"invalid think value: {quoted} (must be {listed}, true, or false)")
    return TypeMismatch(at, text=f"think must be a boolean or string ({listed}, true, or false)")


def _keep_alive(value: Any, at: str) -> TypeMismatch | None:
    """Seconds as a number, or a text that Go's `time.ParseDuration` accepts."""
    if isinstance(value, str):
        fault = _duration_fault(value)
        return TypeMismatch(at, text=fault) if fault else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None
    types = {bool: "bool", list: "[]interface {}", dict: "map[string]interface {}"}
    return TypeMismatch(at, text=f"Unsupported type: '{types[type(value)]}'")


def _duration_fault(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return ""
    if not rest:
        return f"time: invalid duration {quoted}"
    while rest:
        number = re.match(r"\d+\.?\d*|\.\d+", rest, re.ASCII)
        if number is None:
            return f"time: invalid duration {quoted}"
        unit = re.match(r"[^.0-9]*", rest[number.end() :])
        unit_name = unit[0] if unit else ""
        if not unit_name:
            return f"time: missing unit in duration {quoted}"
        if unit_name not in UNITS:
            return f"time: unknown unit {json.dumps(unit_name, ensure_ascii=False)} in duration {quoted}"
        rest = rest[number.end() + len(unit_name) :]
    return ""


_property: dict[str, GoType] = {
    "type": CustomType(_property_type),
    "items": Anything(),
    "description": TEXT,
    "enum": Slice(Anything(), "[]interface {}"),
    "properties": CustomType(_properties),
    "required": TEXTS,
}
PROPERTY = Struct("ToolProperty", _property)
_property["anyOf"] = Slice(PROPERTY, "[]api.ToolProperty")

PARAMETERS = Struct(
    "ToolFunctionParameters",
    {
        "type": TEXT,
        "$defs": Anything(),
        "items": Anything(),
        "required": TEXTS,
        "properties": CustomType(_properties),
    },
)
FUNCTION = Struct("ToolFunction", {"name": TEXT, "description": TEXT, "parameters": PARAMETERS})
TOOL = Struct("Tool", {"type": TEXT, "items": Anything(), "function": FUNCTION})
CALL_FUNCTION = Struct("ToolCallFunction", {"index": Scalar("int"), "name": TEXT, "arguments": CustomType(_arguments)})
CALL = Struct("ToolCall", {"id": TEXT, "function": CALL_FUNCTION})
MESSAGE = Struct(
    "Alias",
    {
        "role": TEXT,
        "content": TEXT,
        "thinking": TEXT,
        "images": Slice(CustomType(_image), "[]api.ImageData"),
        "tool_calls": Slice(CALL, "[]api.ToolCall"),
        "tool_name": TEXT,
        "tool_call_id": TEXT,
    },
)
"""A message decodes itself, with a local type of this name."""

REQUEST = Struct(
    "ChatRequest",
    {
        "model": TEXT,
        "messages": Slice(CustomType(_message), "[]api.Message"),
        "stream": FLAG,
        "format": Anything(),
        "keep_alive": CustomType(_keep_alive),
        "tools": Slice(TOOL, "api.Tools"),
        "options": AnyMap(),
        "think": CustomType(_think),
        "truncate": FLAG,
        "shift": FLAG,
        "_debug_render_only": FLAG,
        "logprobs": FLAG,
        "top_logprobs": Scalar("int"),
    },
)
