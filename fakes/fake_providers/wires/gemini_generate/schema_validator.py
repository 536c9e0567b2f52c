"""Google's validator of schemas in its OpenAPI subset. Knows a schema and its path; no request."""

from collections.abc import Iterator
from typing import Any

from fake_providers.wires.gemini_generate.lenient_reading import field, has_field, items, type_of

STRING_FORMATS = ("enum", "date-time")

Problem = tuple[str, str, str]
"""The rule's id without the provider, the path, and the message after it."""


def schema_problems(schema: Any, path: str, *, quoted: bool = False, may_be_empty: bool = True) -> Iterator[Problem]:
    """Unlike the parser, the validator puts property names into the path, in quotation marks if it is a response
    schema.

    With `may_be_empty` the schema may be an object without properties. That holds for the root, where many recorded
    declarations have one, and for the alternatives of a parameter.
    """
    if not isinstance(schema, dict):
        return
    kind = type_of(schema)
    properties = field(schema, "properties")
    names = properties if isinstance(properties, dict) else {}
    if kind == "OBJECT" and not names and not may_be_empty:
        yield "schema-properties-empty", f"{path}.properties", "should be non-empty for OBJECT type"
    yield from _misplaced(schema, kind, path)
    for name, child in names.items():
        key = f'"{name}"' if quoted else name
        yield from schema_problems(child, f"{path}.properties[{key}]", quoted=quoted, may_be_empty=False)
    if kind in ("OBJECT", ""):
        for i, name in enumerate(items(field(schema, "required"))):
            if name not in names:
                yield "schema-required-undefined", f"{path}.required[{i}]", "property is not defined"
    if kind == "ARRAY" and field(schema, "items") is None:
        yield "schema-items-missing", f"{path}.items", "missing field."
    yield from schema_problems(field(schema, "items"), f"{path}.items", quoted=quoted, may_be_empty=False)
    for i, branch in enumerate(items(field(schema, "any_of"))):
        yield from schema_problems(branch, f"{path}.any_of[{i}]", quoted=quoted, may_be_empty=not quoted)


def _misplaced(schema: Any, kind: str, path: str) -> Iterator[Problem]:
    """Keywords that belong to another type. A schema without a type is not checked, because no recording shows what
    happens."""
    if not kind:
        return
    if kind != "OBJECT":
        for name in ("properties", "required"):
            if has_field(schema, name) and field(schema, name):
                yield "schema-properties-on-non-object", f"{path}.{name}", "only allowed for OBJECT type"
    if kind != "STRING" and field(schema, "enum"):
        yield "schema-enum-on-non-string", f"{path}.enum", "only allowed for STRING type"
    format_ = field(schema, "format")
    if kind == "STRING" and format_ and format_ not in STRING_FORMATS:
        sentence = "only 'enum' and 'date-time' are supported for STRING type"
        yield "schema-format-unsupported", f"{path}.format", sentence
