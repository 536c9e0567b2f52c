"""The JSON Schema of scenario files as they are written, for editors. Made from the model plus what is filled in.

It holds structure: what a single value may be. What must agree between values, the loader alone checks.
"""

import json
from pathlib import Path
from typing import Any

from agent_conformance.scenario.field_descriptions import DESCRIPTIONS
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files.examples import KEY, ROW_NAME, SHORT_TYPES
from agent_conformance.scenario.yaml_files.repetitions import MOST_TIMES, PLACEHOLDER

Schema = dict[str, Any]

_TEXT: Schema = {"$ref": "#/$defs/Text"}
_KEY: Schema = {"$ref": "#/$defs/RowKey"}
_NOISE = ("title", "default")


def scenario_schema() -> Schema:
    """The schema of the written format: short forms, `$key` and `{repeat, times}` included."""
    schema = Scenario.model_json_schema()
    definitions = {name: _of_object(inner) for name, inner in schema.pop("$defs").items()}
    _add_short_forms(definitions)
    root = _of_object(schema)
    root["properties"]["description"] = {"type": "string", "minLength": 1, "maxLength": 72}
    root["properties"]["output_schema"] = _parameters()
    root["properties"]["effects"]["anyOf"][0]["additionalProperties"]["anyOf"].insert(0, {"type": "integer"})
    root["properties"]["examples"] = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": f"^{ROW_NAME.pattern}$"},
        "additionalProperties": {"type": "object"},
    }
    for name, written in {"Scenario": root, **definitions}.items():
        _describe_fields(name, written)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of agent conformance",
        **root,
        "$defs": definitions | _filled_in(),
    }


def write_schema(path: Path) -> bool:
    """Write the schema to `path`; returns whether the file changed."""
    text = json.dumps(scenario_schema(), indent=2) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def _of_object(schema: Schema) -> Schema:
    """A model's own schema with each property as it may be written."""
    schema = {key: value for key, value in schema.items() if key not in _NOISE}
    schema["properties"] = {name: _written(inner) for name, inner in schema.get("properties", {}).items()}
    return schema


def _written(schema: Schema) -> Schema:
    """A value's schema, or a row's `$key` in its place; a text may also be repeated."""
    members = [_plain(member) for member in schema.get("anyOf", [schema])]
    if any(member in ({}, _TEXT) for member in members):  # anything, or any text, which a `$key` is too
        return members[0] if len(members) == 1 else {"anyOf": members}
    return {"anyOf": [*members, _KEY]}


def _plain(schema: Schema) -> Schema:
    schema = {key: value for key, value in schema.items() if key not in _NOISE}
    if schema == {"type": "string"}:
        return _TEXT
    if schema.get("type") == "array":
        return schema | {"items": _or_repeated(_written(schema.get("items", {})))}
    if isinstance(schema.get("additionalProperties"), dict):
        return schema | {"additionalProperties": _written(schema["additionalProperties"])}
    return schema


def _or_repeated(item: Schema) -> Schema:
    """An item of a list, or several by one repetition; of words, nobody repeats any."""
    options = item.get("anyOf", [item])
    repetition = {"$ref": "#/$defs/Repetition"}
    if item == {} or repetition in options or any("enum" in option or "const" in option for option in options):
        return item
    items = {"anyOf": [*options, repetition]}
    return {"anyOf": [*options, repetition | {"properties": {"repeat": {"items": items}}}]}


def _describe_fields(name: str, schema: Schema) -> None:
    """Put its meaning into each field. Raises `KeyError` for a field that has none."""
    schema["properties"] = {
        field: {"description": DESCRIPTIONS[name][field]} | value for field, value in schema["properties"].items()
    }


def _add_short_forms(definitions: dict[str, Schema]) -> None:
    definitions["HistoryMessage"] |= {"minProperties": 1, "maxProperties": 1}
    definitions["ToolSpec"]["properties"]["parameters"] = _parameters()
    executions = definitions["ExecutedExpectation"]["properties"]["in_order"]["anyOf"][0]
    definitions["Turn"]["properties"]["steer"]["anyOf"].insert(0, {"$ref": "#/$defs/Steer"})
    for name in ("Demands", "Expectations"):
        properties = definitions[name]["properties"]
        properties["reply"]["anyOf"].insert(0, _TEXT)
        properties["executed"]["anyOf"].insert(0, executions)
        properties["request_count"]["anyOf"].insert(0, {"type": "integer"})


def _parameters() -> Schema:
    short = {"anyOf": [{"enum": list(SHORT_TYPES)}, {"type": "object"}, _KEY]}
    whole: list[Schema] = [
        {"required": ["properties"], "properties": {"properties": {"type": "object"}}},
        {"required": ["type"], "properties": {"type": {"const": "object"}}},
        {"patternProperties": {r"^\$": {}}, "minProperties": 1, "propertyNames": {"pattern": r"^\$"}},
        *({"required": [word], "properties": {word: {"type": "array"}}} for word in ("anyOf", "oneOf", "allOf")),
    ]
    return {
        "anyOf": [
            {"type": "object", "additionalProperties": short},
            *({"type": "object"} | one for one in whole),
            _KEY,
        ],
    }


def _filled_in() -> dict[str, Schema]:
    repeated = {
        "type": "object",
        "additionalProperties": False,
        "required": ["repeat", "times"],
        "properties": {"repeat": {"type": "string"}, "times": {"anyOf": [{"type": "integer", "minimum": 0}, _KEY]}},
    }
    halved = {
        "type": "object",
        "additionalProperties": False,
        "required": ["half"],
        "properties": {"half": {"anyOf": [{"type": "string"}, repeated]}},
    }
    fields: Schema = {
        "repeat": {"type": "array", "minItems": 1},
        "times": {"type": "integer", "minimum": 1, "maximum": MOST_TIMES},
        "counter": {"type": "string", "pattern": "^[a-z]+$"},
    }
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["repeat", "times"],
        "properties": fields,
    }
    _describe_fields("Repetition", schema)
    return {
        "Repetition": schema,
        "Text": {
            "description": "A text, one repeated, or one less the last half of its last character.",
            "anyOf": [{"type": "string"}, repeated, halved],
        },
        "RowKey": {
            "description": "Replaced by the value that the row of `examples` has under this name. In a repetition,"
            " `<n>` is the number of the copy.",
            "type": "string",
            "pattern": f"^(?:{KEY.pattern}|{PLACEHOLDER.pattern})$",
        },
    }


if __name__ == "__main__":
    import sys

    write_schema(Path(sys.argv[1]))
