"""The reference of the scenario format, made from its JSON Schema: a table of fields for each thing in a scenario."""

from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.scenario.schema import scenario_schema

Schema = Mapping[str, Any]

SECTIONS = {
    "Scenario": "A scenario",
    "Repetition": "A repetition",
    "ToolSpec": "A tool",
    "PartSpec": "A part",
    "ImageSpec": "A picture",
    "HistoryMessage": "A message of the history",
    "AssistantMessage": "An assistant message",
    "ThinkingSpec": "Earlier reasoning",
    "ToolMessage": "A tool message",
    "NamedToolSpec": "A named tool",
    "LimitSpec": "Limits",
    "Window": "A window",
    "WindowWords": "Words of a window",
    "FallbackSpec": "A second provider",
    "Turn": "A turn",
    "Cancel": "A cancellation",
    "Crash": "A crash",
    "Steer": "A message during a turn",
    "Switch": "Another model",
    "ReplySpec": "A reply of the model",
    "CallSpec": "A call",
    "ServerCallSpec": "A call of the provider's own tools",
    "UsageSpec": "Tokens of a reply",
    "ArgumentsMeaning": "The meaning of arguments",
    "TextMeaning": "The meaning of a text",
    "FaultSpec": "A fault",
    "Expectations": "Expectations of a turn",
    "ReplyExpectation": "The agent's reply",
    "ExecutedExpectation": "Executions",
    "RequestExpectation": "A request",
    "ResultExpectation": "A tool result",
    "TextExpectation": "A text",
    "Range": "A number",
}
"""The schema's names of what has fields, in the order of the page, and the headings. `should` has no section."""

SAME = {"Demands": "Expectations"}
TYPES = {"boolean": "`true`, `false`", "string": "text", "integer": "number"}
PLURALS = {"text": "texts", "mapping": "mappings", "list of mappings": "lists of mappings"}
ELSEWHERE = ("needs", "waive", "model", "wire")
"""Fields whose words have a page of their own: they are not listed here."""


def scenario_format() -> str:
    schema = scenario_schema()
    written = {"Scenario": schema, **schema["$defs"]}
    parts = [_section(SECTIONS[name], written[name]) for name in SECTIONS]
    return "\n".join(parts)


def _section(heading: str, schema: Schema) -> str:
    required = schema.get("required", ())
    rows = [
        f"| `{name}`{'' if name not in required else ', required'} | {_takes(name, field)} | {field['description']} |"
        for name, field in schema["properties"].items()
    ]
    return "\n".join([f"## {heading}", "", "| field | takes | meaning |", "| --- | --- | --- |", *rows, ""])


def _takes(name: str, field: Schema) -> str:
    kinds = dict.fromkeys(_kinds(field, by_name=name in ELSEWHERE))
    return " or ".join(kinds) or "any JSON value"


def _kinds(field: Schema, *, by_name: bool = False) -> Iterator[str]:
    """What a value may be, in words; `null`, a row's `$key` and repetitions are left out."""
    for option in field.get("anyOf", [field]):
        reference = option.get("$ref", "").rpartition("/")[2]
        if reference in ("RowKey", "Repetition") or option.get("type") == "null":
            continue
        if reference == "Text":
            yield "text"
        elif reference:
            yield _link(reference)
        elif "enum" in option or "const" in option:
            yield "words" if by_name else ", ".join(f"`{word}`" for word in option.get("enum", [option.get("const")]))
        elif option.get("type") == "array":
            items = " or ".join(dict.fromkeys(_kinds(option.get("items", {}), by_name=by_name))) or "JSON values"
            yield f"list of {PLURALS.get(items, items)}"
        elif option.get("type") == "object":
            yield "mapping"
        elif "type" in option:
            yield TYPES.get(option["type"], option["type"])


def _link(reference: str) -> str:
    heading = SECTIONS[SAME.get(reference, reference)]
    anchor = "".join(c for c in heading.lower() if c.isalnum() or c in " -").replace(" ", "-")
    return f"[{heading.removeprefix('A ').removeprefix('An ').lower()}](#{anchor})"
