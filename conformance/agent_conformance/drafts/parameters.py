"""The parameters of a tool as a scenario has them: a schema, or the short form where that says the same."""

from collections.abc import Mapping, Sequence
from typing import Any

SHORT = ("string", "integer", "number", "boolean", "object")


def parameters_of(arguments: Sequence[Any] | None, schema: Any = None) -> dict[str, Any]:
    """Of a declared schema; or of the arguments of calls, where nothing was declared."""
    if arguments is not None:
        return _schema_of([one for one in arguments if isinstance(one, dict)])
    if not isinstance(schema, dict) or not schema.get("properties"):
        return {}
    lowered: dict[str, Any] = _lowered(schema)
    return _short_form(lowered) or lowered


def _lowered(schema: Any) -> Any:
    """Gemini's requests have types in capitals."""
    if isinstance(schema, list):
        return [_lowered(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else _lowered(value)
        for key, value in schema.items()
    }


def required_are_given(schema: Any, arguments: Mapping[str, Any]) -> bool:
    """Whether a right agent may run a call with these arguments, as far as names and plain types say."""
    if not isinstance(schema, dict):
        return True
    required, properties = schema.get("required") or (), schema.get("properties") or {}
    if not all(name in arguments for name in required):
        return False
    return all(name in properties and _fits(value, properties[name]) for name, value in arguments.items())


def _fits(value: Any, schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return (
        not isinstance(kind, str)
        or kind.lower() == _type(value)
        or (kind.lower() == "number" and _type(value) == "integer")
    )


def _schema_of(arguments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Required is what every call has."""
    properties = {name: {"type": _type(value)} for one in arguments for name, value in one.items()}
    if not properties:
        return {}
    required = [name for name in properties if all(name in one for one in arguments)]
    return {"type": "object", "properties": properties, "required": required}


def _type(value: Any) -> str:
    kinds = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")


def _short_form(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`{city: string}`, if every property is required and has a type and nothing else; else nothing."""
    properties = schema["properties"]
    is_plain = isinstance(properties, dict) and all(
        isinstance(one, dict) and list(one) == ["type"] and one["type"] in SHORT for one in properties.values()
    )
    others = set(schema) - {"type", "properties", "required", "additionalProperties", "$schema"}
    if not is_plain or others or set(schema.get("required") or ()) != set(properties) or "type" in properties:
        return {}
    return {name: one["type"] for name, one in properties.items()}
