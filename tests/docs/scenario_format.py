"""The reference of the scenario format, made from its JSON Schema: a table of fields for each thing in a scenario."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tools.schema_of_scenarios import scenario_schema

Schema = Mapping[str, Any]

SECTIONS = {
    "Scenario": "A scenario",
    "Repetition": "A repetition",
    "ToolSpec": "A tool",
    "PartSpec": "A part",
    "HistoryMessage": "A message of the history",
    "AssistantMessage": "An assistant message",
    "ToolMessage": "A tool message",
    "Turn": "A turn",
    "ReplySpec": "A reply of the model",
    "CallSpec": "A call",
    "FaultSpec": "A fault",
    "Expectations": "Expectations of a turn",
    "RequestExpectation": "A request",
    "TextExpectation": "A text",
    "ResultExpectation": "A tool result",
}
"""The schema's names of what has fields, in the order of the page, and the headings. `should` has no section."""

WITHIN = {
    "LimitSpec", "Window", "WindowWords", "FallbackSpec", "ImageSpec", "ThinkingSpec", "Cancel", "Crash",
    "Steer", "Switch", "ServerCallSpec", "SourceSpec", "UsageSpec", "ArgumentsMeaning", "TextMeaning",
    "ReplyExpectation", "ExecutedExpectation",
}  # fmt: skip
"""What belongs to one field: its own fields stand in rows below that, as `crash.at`."""

SAME = {"Demands": "Expectations"}
EXTENDED = {"ResultExpectation": "TextExpectation"}
"""What has all fields of another thing and some of its own: the page lists these alone."""
SHORT = {"Range": "`{min, max}`", "NamedToolSpec": "`{tool}`"}
TYPES = {"boolean": "flag", "string": "text", "integer": "number"}
PLURALS = {"text": "texts", "word": "words", "mapping": "mappings", "list of mappings": "lists of mappings"}
OBVIOUS = ("text", "word")
"""What most fields take: the page says so once."""
ELSEWHERE = ("needs", "waive", "model", "wire")
"""Fields whose words have a page of their own: they are not listed here."""


def scenario_format() -> str:
    schema = scenario_schema()
    written = {"Scenario": schema, **schema["$defs"]}
    return "\n".join(_section(name, written) for name in SECTIONS)


def _section(name: str, written: Mapping[str, Schema]) -> str:
    schema, extended, lines = written[name], EXTENDED.get(name), [f"## {SECTIONS[name]}", ""]
    if extended is not None:
        shared = written[extended]["properties"]
        assert shared.items() <= schema["properties"].items(), (name, extended)
        own = {field: value for field, value in schema["properties"].items() if field not in shared}
        schema = {**schema, "properties": own}
        lines += [f"The fields of a {_link(extended)}, and:", ""]
    return "\n".join([*lines, "| field | takes | |", "| --- | --- | --- |", *_rows(schema, written), ""])


def _rows(schema: Schema, written: Mapping[str, Schema], within: str = "") -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        star = " \\*" if name in required else ""
        takes = _takes(name, field)
        yield f"| `{within}{name}`{star} | {'' if takes in OBVIOUS else takes} | {field['description']} |".replace(
            "|  |", "| |"
        )
        for inner in dict.fromkeys(_references(field)):
            if inner in WITHIN:
                yield from _rows(written[inner], written, f"{within}{name}.")


def _references(field: Schema) -> Iterator[str]:
    for option in field.get("anyOf", [field]):
        yield option.get("$ref", "").rpartition("/")[2]
        if "items" in option:
            yield from _references(option["items"])


def _takes(name: str, field: Schema) -> str:
    kinds = dict.fromkeys(_kinds(field, by_name=name in ELSEWHERE))
    return " or ".join(kinds) or "any JSON value"


def _kinds(field: Schema, *, by_name: bool = False) -> Iterator[str]:
    """What a value may be, in words; `null`, a row's `$key` and repetitions are left out.

    Words that the field's description explains are not listed beside it.
    """
    described = set(re.findall(r"`([\w-]+)`", field.get("description", "")))
    for option in field.get("anyOf", [field]):
        reference = option.get("$ref", "").rpartition("/")[2]
        if reference in ("RowKey", "Repetition") or option.get("type") == "null":
            continue
        words = option.get("enum", [option["const"]] if "const" in option else [])
        if reference == "Text":
            yield "text"
        elif reference in SHORT:
            yield SHORT[reference]
        elif reference:
            yield "mapping" if reference in WITHIN else _link(reference)
        elif words:
            yield "word" if by_name or described >= set(words) else ", ".join(f"`{word}`" for word in words)
        elif option.get("type") == "array":
            inner = {"description": field.get("description", ""), **option.get("items", {})}
            items = " or ".join(dict.fromkeys(_kinds(inner, by_name=by_name))) or "JSON values"
            yield f"list of {PLURALS.get(items, items)}"
        elif option.get("type") == "object":
            yield "mapping"
        elif "type" in option:
            yield TYPES.get(option["type"], option["type"])


def _link(reference: str) -> str:
    heading = SECTIONS[SAME.get(reference, reference)]
    anchor = "".join(c for c in heading.lower() if c.isalnum() or c in " -").replace(" ", "-")
    return f"[{heading.removeprefix('A ').removeprefix('An ').lower()}](#{anchor})"
