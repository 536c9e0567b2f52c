"""The smallest arguments that match a tool's schema.

The schema comes from a client: a value is made for any schema, in bounded size and time.
"""

from collections.abc import Callable, Mapping
from typing import Any

DEPTH = 12
"""Levels after which a schema that contains itself gets null."""
MOST = 10_000
"""Schemas looked at for one value, and letters of one text: beyond these limits the search stops."""


LARGEST = 1e100
"""Numbers beyond overflow when they are reckoned with; JSON has those that Python reads as infinite."""

FORMATS = {
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "date-time": "2026-01-01T00:00:00Z",
    "duration": "P1D",
    "email": "a@example.org",
    "hostname": "example.org",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "https://example.org",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""A text of each format: SDKs read an answer into dates and addresses, and raise where it is none."""


class _Root:
    """The whole schema, to resolve references, and how many more nodes may be visited."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self._left = MOST

    def is_spent(self) -> bool:
        self._left -= 1
        return self._left < 0


def minimal_value(schema: Any) -> Any:
    """A value with only what the schema requires; `pattern` and `not` are ignored, and so are unusual formats."""
    return _fit(schema, _Root(schema), DEPTH)


def _fit(schema: Any, root: _Root, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth == 0 or root.is_spent():
        return None
    schema = _whole(schema, root, depth)
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("enum", "examples"):
        if listed := _list(schema, keyword):
            return listed[0]
    for keyword in ("anyOf", "oneOf"):
        if listed := _list(schema, keyword):
            return _fit(
                {
                    **{name: value for name, value in schema.items() if name != keyword},
                    **_whole(listed[0], root, depth),
                },
                root,
                depth - 1,
            )
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema or "required" in schema else "array" if "items" in schema else "null"
    # Gemini writes its types in capitals.
    maker = _MAKERS.get(str(kind).lower())
    return maker(schema, root, depth) if maker else None


def _whole(schema: Any, root: _Root, depth: int) -> dict[str, Any]:
    """The schema with its reference resolved and its `allOf` merged in."""
    if not isinstance(schema, Mapping) or depth == 0 or root.is_spent():
        return {}
    whole = dict(schema)
    for _ in range(DEPTH):
        if "$ref" not in whole:
            break
        whole = {**_referred(whole.pop("$ref"), root.schema), **whole}
    parts = _list(whole, "allOf")
    whole.pop("allOf", None)
    for part in parts:
        for name, value in _whole(part, root, depth - 1).items():
            whole[name] = _merged(whole.get(name), value)
    return whole


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {**old, **new}
    if isinstance(old, list) and isinstance(new, list):
        return old + new
    return new


def _referred(reference: Any, schema: Any) -> dict[str, Any]:
    found = schema
    for part in str(reference).removeprefix("#").strip("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if name and isinstance(found, Mapping):
            found = found.get(name)
    return dict(found) if isinstance(found, Mapping) else {}


def _object(schema: Mapping[str, Any], root: _Root, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = [name for name in _list(schema, "required") if isinstance(name, str)]
    return {name: _fit(properties.get(name), root, depth - 1) for name in required}


def _array(schema: Mapping[str, Any], root: _Root, depth: int) -> list[Any]:
    first = _list(schema, "prefixItems")
    made: list[Any] = []
    for index in range(_count(schema, "minItems")):
        if root.is_spent():
            break
        made.append(_fit(first[index] if index < len(first) else schema.get("items"), root, depth - 1))
    return made


def _string(schema: Mapping[str, Any], root: _Root, depth: int) -> str:
    of_format = FORMATS.get(str(schema.get("format")))
    if of_format is not None and len(of_format) >= _count(schema, "minLength"):
        return of_format
    return "x" * max(_count(schema, "minLength"), 1)


def _number(schema: Mapping[str, Any], root: _Root, depth: int) -> Any:
    """The least allowed number that is a multiple of `multipleOf`, else 1, else the largest allowed."""
    step = _bound(schema, "multipleOf") or 1
    if (least := _bound(schema, "minimum")) is not None:
        return -(-least // step) * step
    if (below := _bound(schema, "exclusiveMinimum")) is not None:
        return (below // step + 1) * step
    if (most := _bound(schema, "maximum")) is not None:
        return min(step, most // step * step)
    if (above := _bound(schema, "exclusiveMaximum")) is not None:
        return min(step, (-(-above // step) - 1) * step)
    return step


_MAKERS: Mapping[str, Callable[[Mapping[str, Any], _Root, int], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
    "boolean": lambda schema, root, depth: True,
}


def _list(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    listed = schema.get(keyword)
    return listed if isinstance(listed, list) else []


def _count(schema: Mapping[str, Any], keyword: str) -> int:
    return int(min(max(_bound(schema, keyword) or 0, 0), MOST))


def _bound(schema: Mapping[str, Any], keyword: str) -> Any:
    """The number, or None if it is not a finite number."""
    value = schema.get(keyword)
    return value if isinstance(value, int | float) and abs(value) < LARGEST else None
