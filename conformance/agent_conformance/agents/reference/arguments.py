"""The arguments that the model wrote, decoded and never guessed. Validation is left to the tools."""

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

EXCERPT = 200


def read_arguments(raw: Any) -> tuple[Mapping[str, Any] | None, str]:
    """The arguments and an empty text, or None and the problem as a sentence for the model.

    Nothing (absent, null, blank) means no arguments. A string is decoded, and a string within it once more.
    Text that is no JSON object is never completed, repaired or treated as an empty object.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}, ""
    value = raw
    for _ in range(2):
        if not isinstance(value, str):
            break
        try:
            value = strict_json(value)
        except (ValueError, RecursionError) as error:
            return None, f"the arguments are not valid JSON ({error}): {raw[:EXCERPT]}"
    if value is None:
        return {}, ""
    if not isinstance(value, Mapping):
        return None, f"the arguments must be a JSON object, not {json.dumps(value)[:EXCERPT]}"
    return value, ""


def strict_json(text: str | bytes) -> Any:
    """Raises `ValueError` for what is not JSON, such as `NaN`, and `RecursionError` for what is nested too deeply."""
    return json.loads(text, parse_constant=refuse_constant, parse_float=finite)


def fit_to_schema(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with strings decoded where the schema has another type and the string holds one of that type.

    A null that the schema does not allow says that the argument was left out, if it may be: strict modes have no other
    way to say it.
    """
    properties = schema.get("properties") or {}
    required = schema.get("required") or ()
    return {
        key: _fitted(value, properties.get(key))
        for key, value in arguments.items()
        if value is not None or key in required or not _forbids_null(properties.get(key))
    }


def _forbids_null(schema: Any) -> bool:
    types = _types_wanted(schema)
    return bool(types) and "null" not in types


def _types_wanted(schema: Any) -> set[str]:
    """The types that a schema names; none if it leaves them open."""
    wanted = (schema.get("type") if isinstance(schema, Mapping) else None) or ()
    return {wanted} if isinstance(wanted, str) else set(wanted)


def _fitted(value: Any, schema: Any) -> Any:
    types = _types_wanted(schema)
    if not isinstance(value, str) or not types or "string" in types:
        return value
    try:
        decoded = strict_json({"True": "true", "False": "false"}.get(value.strip(), value))
    except (ValueError, RecursionError):
        return value
    return decoded if types & _types_of(decoded) else value


def _types_of(value: Any) -> set[str]:
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"integer", "number"}
    names: dict[type, str] = {float: "number", dict: "object", list: "array", type(None): "null"}
    return {names.get(type(value), "string")}


def refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large")
    return number
