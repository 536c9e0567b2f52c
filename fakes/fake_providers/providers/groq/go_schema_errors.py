"""The errors of a value, in the words of the Go validator of JSON Schema whose messages Groq sends. Knows no request.

The words are those of version 5 of `santhosh-tekuri/jsonschema`. Recordings of Groq show missing properties, additional
properties and a wrong type, each with its place; users have quoted an enum, a length and a format. Everything else is
from the library's source. It is deduced that `anyOf` and `oneOf` report the errors of each branch, and a `$ref` those
of its target. A keyword without a message of its own is reported as `not failed` is.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote

from jsonschema_rs import ValidationError


def go_words(errors: Iterable[ValidationError], schema: Any) -> list[str]:
    """A sentence for each error, with its place; `schema` is the one that the value was checked against."""
    leaves = sorted((leaf for error in errors for leaf in _leaves(error)), key=_rank)
    mistyped = {_check_of(leaf) for leaf in leaves if leaf.kind.name == "type"}
    rendered: dict[tuple[str, str], list[ValidationError]] = {}
    for leaf in leaves:
        if leaf.kind.name == "type" or _check_of(leaf) not in mistyped:  # Go's validator stops at a wrong type
            rendered.setdefault((_place(leaf), str(leaf.schema_path)), []).append(leaf)
    return [place + _sentence(same, schema) for (place, _), same in rendered.items()]


def _rank(error: ValidationError) -> list[tuple[int, int, str]]:
    """A value comes before the values in it, and additional properties after them. Go leaves names in any order."""
    path = [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in error.instance_path]
    return [*path, (2, 0, "")] if error.kind.name == "additionalProperties" else path


def _check_of(error: ValidationError) -> tuple[tuple[str | int, ...], tuple[str | int, ...]]:
    """The value, and the schema that it was checked against."""
    return tuple(error.instance_path), tuple(error.schema_path[:-1])


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    branches = error.kind.value if error.kind.name in ("anyOf", "oneOf") else []
    if not branches or not all(branches):
        yield error
    else:
        for branch in branches:
            for inner in branch:
                yield from _leaves(inner)


def _place(error: ValidationError) -> str:
    parts = [str(part).replace("~", "~0").replace("/", "~1") for part in error.instance_path]
    pointer = "".join("/" + quote(part, safe="$&+=:@") for part in parts)
    return f"`{pointer}`: " if parts else ""


def _sentence(errors: list[ValidationError], schema: Any) -> str:
    """All errors are of one keyword at one place; there are several only for missing properties."""
    error = errors[0]
    keyword = str(error.kind.name)
    if keyword == "required" and error.schema_path[-1] == "required":
        return f"missing properties: {', '.join(_quoted(each.kind.value) for each in errors)}"
    if keyword == "type":
        return f"expected {' or '.join(_types(error, schema))}, but got {_type_of(error.instance)}"
    words = WORDS.get(keyword)
    return words(error.kind.value, error.instance) if words else f"{keyword} failed"


def _types(error: ValidationError, schema: Any) -> list[str]:
    """The types in the schema's own order, which the error does not keep, if the path leads to it from the root."""
    at = schema
    try:
        for part in error.schema_path:
            at = at[part]
    except (KeyError, IndexError, TypeError):
        return list(error.kind.value)
    return at if isinstance(at, list) else list(error.kind.value)


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def _quoted(text: str) -> str:
    return "'" + json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def _number(bound: float) -> str:
    """As Go prints a float: with an exponent from a million on."""
    try:
        short = f"{bound:g}"
    except OverflowError:
        return "+Inf" if bound > 0 else "-Inf"
    return short if float(short) == bound else json.dumps(bound)


def _literal(value: Any) -> str:
    """A number is text to Go's decoder, and is shown as text."""
    if value is None or isinstance(value, bool):
        return {None: "<nil>", True: "true", False: "false"}[value]
    return json.dumps(value if isinstance(value, str) else json.dumps(value), ensure_ascii=False)


def _one_of(options: list[Any], _value: Any) -> str:
    if any(isinstance(option, (dict, list)) for option in options):
        return "enum failed"
    one = "" if len(options) == 1 else "one of "
    return f"value must be {one}{', '.join(map(_literal, options))}"


def _constant(constant: Any, _value: Any) -> str:
    return "const failed" if isinstance(constant, (dict, list)) else f"value must be {_literal(constant)}"


def _not_unique(_limit: Any, value: list[Any]) -> str:
    found = ((j, i) for i in range(len(value)) for j in range(i) if value[i] == value[j])
    return "items at index {} and {} are equal".format(*next(found))


def _several_valid(branches: list[list[ValidationError]], _value: Any) -> str:
    return "valid against schemas at indexes {} and {}".format(*[i for i, found in enumerate(branches) if not found])


WORDS: dict[str, Callable[[Any, Any], str]] = {
    "const": _constant,
    "enum": _one_of,
    "format": lambda name, value: f"{_quoted(value)} is not valid {_quoted(name)}",
    "minProperties": lambda least, value: f"minimum {least} properties allowed, but found {len(value)} properties",
    "maxProperties": lambda most, value: f"maximum {most} properties allowed, but found {len(value)} properties",
    "additionalProperties": lambda names, _: f"additionalProperties {', '.join(map(_quoted, names))} not allowed",
    "minItems": lambda least, value: f"minimum {least} items required, but found {len(value)} items",
    "maxItems": lambda most, value: f"maximum {most} items required, but found {len(value)} items",
    "uniqueItems": _not_unique,
    "minLength": lambda least, value: f"length must be >= {least}, but got {len(value)}",
    "maxLength": lambda most, value: f"length must be <= {most}, but got {len(value)}",
    "pattern": lambda pattern, _: f"does not match pattern {_quoted(pattern)}",
    "minimum": lambda least, value: f"must be >= {_number(least)} but found {json.dumps(value)}",
    "exclusiveMinimum": lambda bound, value: f"must be > {_number(bound)} but found {json.dumps(value)}",
    "maximum": lambda most, value: f"must be <= {_number(most)} but found {json.dumps(value)}",
    "exclusiveMaximum": lambda bound, value: f"must be < {_number(bound)} but found {json.dumps(value)}",
    "multipleOf": lambda step, value: f"{json.dumps(value)} not multipleOf {_number(step)}",
    "oneOf": _several_valid,
    "falseSchema": lambda _limit, _value: "not allowed",
}
"""By keyword: of what the keyword asks for, or finds, and the value."""
