"""What Google's validator says of a schema in its OpenAPI subset. Knows no request: a schema and its path in it."""

from collections.abc import Iterator
from typing import Any

from fakes.wires.gemini_generate.lenient_reading import field, has_field, items, type_of

STRING_FORMATS = ("enum", "date-time")

Finding = tuple[str, str, str]
"""The rule's id without the provider, the path, and the sentence behind it."""


def schema_remarks(schema: Any, path: str, *, quoted: bool = False, bare: bool = True) -> Iterator[Finding]:
    """Unlike the parser, the validator names properties; in a response schema it puts them in quotation marks.

    A `bare` schema may be an object without properties: at the root, where many recorded declarations have one, and
    among the alternatives of a parameter.
    """
    if not isinstance(schema, dict):
        return
    kind = type_of(schema)
    properties = field(schema, "properties")
    names = properties if isinstance(properties, dict) else {}
    if kind == "OBJECT" and not names and not bare:
        yield "schema-properties-empty", f"{path}.properties", "should be non-empty for OBJECT type"
    yield from _misplaced(schema, kind, path)
    for name, child in names.items():
        key = f'"{name}"' if quoted else name
        yield from schema_remarks(child, f"{path}.properties[{key}]", quoted=quoted, bare=False)
    if kind in ("OBJECT", ""):
        for i, name in enumerate(items(field(schema, "required"))):
            if name not in names:
                yield "schema-required-undefined", f"{path}.required[{i}]", "property is not defined"
    if kind == "ARRAY" and field(schema, "items") is None:
        yield "schema-items-missing", f"{path}.items", "missing field."
    yield from schema_remarks(field(schema, "items"), f"{path}.items", quoted=quoted, bare=False)
    for i, branch in enumerate(items(field(schema, "any_of"))):
        yield from schema_remarks(branch, f"{path}.any_of[{i}]", quoted=quoted, bare=not quoted)


def _misplaced(schema: Any, kind: str, path: str) -> Iterator[Finding]:
    """Keywords of another type. A schema without a type is left alone: no recording tells."""
    if not kind:
        return
    if kind != "OBJECT":
        for name in ("properties", "required"):
            if has_field(schema, name) and field(schema, name):
                yield "schema-properties-on-non-object", f"{path}.{name}", "only allowed for OBJECT type"
    if kind != "STRING" and field(schema, "enum"):
        yield "schema-enum-on-non-string", f"{path}.enum", "only allowed for STRING type"
    context = field(schema, "format")
    if kind == "STRING" and context and context not in STRING_FORMATS:
        sentence = "only 'enum' and 'date-time' are supported for STRING type"
        yield "schema-format-unsupported", f"{path}.format", sentence
