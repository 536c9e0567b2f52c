"""The smallest arguments that fit a tool's schema. Knows JSON Schema and no tool."""

from collections.abc import Mapping
from typing import Any

DEPTH = 12
"""Levels after which a schema that contains itself gets null."""


def minimal_value(schema: Any) -> Any:
    """A value with nothing but what the schema asks for; `pattern`, `format` and `not` are not looked at."""
    return _fit(schema, schema, DEPTH)


def _fit(schema: Any, root: Any, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    schema = _whole(schema, root, depth)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("enum", "examples"):
        if schema.get(keyword):
            return schema[keyword][0]
    for keyword in ("anyOf", "oneOf"):
        if schema.get(keyword):
            return _fit({**_without(schema, keyword), **_whole(schema[keyword][0], root, depth)}, root, depth - 1)
    return _MAKERS.get(_type(schema), _null)(schema, root, depth)


def _whole(schema: Any, root: Any, depth: int) -> dict[str, Any]:
    """The schema with its reference followed and its `allOf` merged in."""
    if not isinstance(schema, Mapping) or depth == 0:
        return {}
    whole = dict(schema)
    for _ in range(DEPTH):
        if "$ref" not in whole:
            break
        whole = {**_referred(whole.pop("$ref"), root), **whole}
    for part in whole.pop("allOf", ()):
        for name, value in _whole(part, root, depth - 1).items():
            whole[name] = _merged(whole.get(name), value)
    return whole


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **new}
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return new


def _referred(reference: str, root: Any) -> dict[str, Any]:
    found = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if name and isinstance(found, Mapping):
            found = found.get(name)
    return dict(found) if isinstance(found, Mapping) else {}


def _without(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != keyword}


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema or "required" in schema else "array" if "items" in schema else "null"
    # Gemini writes its types in capitals.
    return str(kind).lower()


def _null(schema: Mapping[str, Any], root: Any, depth: int) -> Any:
    return None


def _object(schema: Mapping[str, Any], root: Any, depth: int) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    return {name: _fit(properties.get(name), root, depth - 1) for name in schema.get("required") or ()}


def _array(schema: Mapping[str, Any], root: Any, depth: int) -> list[Any]:
    first = list(schema.get("prefixItems") or ())
    count = max(int(schema.get("minItems") or 0), 0)
    return [_fit((*first, *[schema.get("items")] * count)[index], root, depth - 1) for index in range(count)]


def _string(schema: Mapping[str, Any], root: Any, depth: int) -> str:
    return "x" * max(int(schema.get("minLength") or 0), 1)


def _number(schema: Mapping[str, Any], root: Any, depth: int) -> Any:
    """The least number allowed that is a multiple of what it must be, else 1, else the largest allowed."""
    step = schema.get("multipleOf") or 1
    if "minimum" in schema:
        return -(-schema["minimum"] // step) * step
    if "exclusiveMinimum" in schema:
        return (schema["exclusiveMinimum"] // step + 1) * step
    if "maximum" in schema:
        return min(step, schema["maximum"] // step * step)
    if "exclusiveMaximum" in schema:
        return min(step, (-(-schema["exclusiveMaximum"] // step) - 1) * step)
    return step


def _boolean(schema: Mapping[str, Any], root: Any, depth: int) -> bool:
    return True


_MAKERS = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
}
