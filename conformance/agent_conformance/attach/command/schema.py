"""The JSON Schema of the protocol, and how a message breaks it."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from agent_conformance.transcripts.redaction import redacted
from fake_providers.values.json_texts import validator_of

Side = Literal["suite", "agent"]
Schema = dict[str, Any]

PATH = Path(__file__).with_name("protocol.schema.json")
LONGEST_SHOWN = 60
NOTHING = object()
WORDS = {
    "string": "a text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


@cache
def protocol_schema() -> Schema:
    """The schema of both directions. It is shared; do not change it."""
    schema: Schema = json.loads(PATH.read_text(encoding="utf-8"))
    return schema


@cache
def kinds(side: Side) -> tuple[str, ...]:
    """The types of messages that this side may send."""
    listed = protocol_schema()["$defs"][f"from-{side}"]["oneOf"]
    return tuple(one["$ref"].removeprefix(f"#/$defs/{side}-") for one in listed)


def breach(side: Side, message: Any) -> str | None:
    """How a message of this side breaks the schema: `<place>: found <value>, expected <what>`; None if it does not."""
    if not isinstance(message, Mapping):
        return f"found {shown(message)}, expected a JSON object"
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in kinds(side):
        found = shown(message.get("type", NOTHING))
        return f"`type` of a message: found {found}, expected one of {', '.join(kinds(side))}"
    validator = _validator(side, kind)
    if validator.is_valid(message):
        return None
    error = next(iter(validator.iter_errors(message)))
    return _described(message, protocol_schema()["$defs"][f"{side}-{kind}"], list(error.instance_path))


def shown(value: Any) -> str:
    """A value as JSON, shortened; `nothing` for one that is missing."""
    if value is NOTHING:
        return "nothing"
    text = redacted(json.dumps(value))
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


@cache
def _validator(side: Side, kind: str) -> Any:
    return validator_of({"$ref": f"#/$defs/{side}-{kind}", "$defs": protocol_schema()["$defs"]})


def _described(message: Mapping[str, Any], schema: Schema, path: list[str | int]) -> str:
    """Follow the path of the error to the value there, and on to a required field that it lacks."""
    value: Any = message
    place = ""
    for key in path:
        schema, value = _below(schema, key), value[key]
        place += f"[{key}]" if isinstance(key, int) else f".{key}" if place else key
    if isinstance(value, Mapping):
        for name in schema.get("required", ()):
            if name not in value:
                schema, value = _below(schema, name), NOTHING
                place += f".{name}" if place else name
                break
    kind = message["type"]
    where = f"`{place}` of {kind}" if place else f"{kind}"
    return f"{where}: found {shown(value)}, expected {_expected(schema)}"


def _below(schema: Schema, key: str | int) -> Schema:
    below: Schema = schema["items"] if isinstance(key, int) else schema.get("properties", {}).get(key)
    below = below or schema["additionalProperties"]
    if "$ref" in below:
        below = protocol_schema()["$defs"][below["$ref"].removeprefix("#/$defs/")]
    return below


def _expected(schema: Schema) -> str:
    if "const" in schema:
        words = json.dumps(schema["const"])
    elif "enum" in schema:
        words = f"one of {', '.join(schema['enum'])}"
    elif "type" in schema:
        types = schema["type"]
        words = " or ".join(WORDS[one] for one in ([types] if isinstance(types, str) else types))
        if schema.get("items") == {"type": "string"}:
            words = "a list of texts, at least one" if "minItems" in schema else "a list of texts"
    else:
        words = "any JSON"
    return f"{words} ({schema['description']})" if "description" in schema else words
