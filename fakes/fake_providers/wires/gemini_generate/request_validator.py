"""Google's validator of a parsed request: the bullets `* GenerateContentRequest...` of one refusal.

It runs after the parser and before the rules on turn order, and reports all that it finds.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from fake_providers.wires.gemini_generate.proto_messages import (
    contents,
    data_of,
    declarations,
    field,
    has_field,
    items,
    type_of,
)

STRING_FORMATS = ("enum", "date-time")

SchemaFault = tuple[str, str, str]
"""The rule's id without the provider, the path, and the message after it."""


def schema_faults(schema: Any, path: str, *, quoted: bool = False, may_be_empty: bool = True) -> Iterator[SchemaFault]:
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
        yield from schema_faults(child, f"{path}.properties[{key}]", quoted=quoted, may_be_empty=False)
    if kind in ("OBJECT", ""):
        for i, name in enumerate(items(field(schema, "required"))):
            if name not in names:
                yield "schema-required-undefined", f"{path}.required[{i}]", "property is not defined"
    if kind == "ARRAY" and field(schema, "items") is None:
        yield "schema-items-missing", f"{path}.items", "missing field."
    yield from schema_faults(field(schema, "items"), f"{path}.items", quoted=quoted, may_be_empty=False)
    for i, branch in enumerate(items(field(schema, "any_of"))):
        yield from schema_faults(branch, f"{path}.any_of[{i}]", quoted=quoted, may_be_empty=not quoted)


def _misplaced(schema: Any, kind: str, path: str) -> Iterator[SchemaFault]:
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


class FieldViolation(Struct, frozen=True):
    """One violation. `rule` is the rule's id without the provider; `field` is the field that Google's error names, if
    any."""

    rule: str
    field: str
    message: str
    at: str


FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
"""From Google's reference of November 2026, which allows colons and 128 characters. The message below still says 64."""

BAD_NAME = (
    "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), "
    "underscores (_), dots (.) or dashes (-), with a maximum length of 64."
)


BESIDE_DATA = (
    "thought_signature",
    "part_metadata",
    "video_metadata",
    "media_resolution",
    "media_processing",
    "audio_metadata",
    "audio_transcription",
    "speech_metadata",
    "document_metadata",
    "spreadsheet_metadata",
)
"""Fields of a part that may stand without data. Parts with only a signature (two recordings, although third parties
report otherwise) and with only `videoMetadata` were accepted; of the others no refusal is known."""


NAMED = {"function_call": "call-name-empty", "function_response": "response-name-empty"}
"""By the data that has a name, the rule for one without."""


def bullet(rule: str, path: str, sentence: str) -> FieldViolation:
    return FieldViolation(rule, "", f"* GenerateContentRequest.{path}: {sentence}\n", path)


def validate(body: Any) -> tuple[FieldViolation, ...]:
    """All violations in the order of the request's fields: contents, generation config, tools."""
    return (*_contents(body), *_config(body), *_response_schema(body), *_declarations(body))


def _contents(body: Any) -> Iterator[FieldViolation]:
    found = contents(body)
    if not found:
        yield bullet("contents-missing", "contents", "contents is not specified")
    for i, content in enumerate(found):
        parts = field(content, "parts")
        if parts == []:
            yield bullet("parts-empty", f"contents[{i}].parts", "contents.parts must not be empty.")
        for j, part in enumerate(items(parts)):
            yield from _part(part, f"contents[{i}].parts[{j}]")


def _part(part: Any, path: str) -> Iterator[FieldViolation]:
    data = data_of(part)
    if not data and not any(field(part, name) for name in BESIDE_DATA):
        yield bullet("part-without-data", f"{path}.data", "required oneof field 'data' must have one initialized field")
    for name in data:
        member = field(part, name) if name in NAMED else None
        if isinstance(member, dict) and not field(member, "name"):
            yield bullet(NAMED[name], f"{path}.{name}.name", "Name cannot be empty.")


MEDIA_TYPES = ("text/plain", "application/json", "application/xml", "application/yaml", "text/x.enum")
PENALTY = (-2, 2, "[-2.0, 2.0]")
RANGES: Final[Mapping[str, tuple[float, float, str]]] = {
    "temperature": (0, 2, "[0.0, 2.0]"), "top_p": (0, 1, "[0.0, 1.0]"), "candidate_count": (0, 8, "[1, 8]"),
    "top_k": (0, math.inf, "[1, inf)"), "logprobs": (0, 20, "[0, 20]"), "presence_penalty": PENALTY,
    "frequency_penalty": PENALTY,
}  # fmt: skip
"""The first two were measured; the others are the documents', in the same words."""
MOST_STOPS = 5
LARGEST_BUDGET = 65535


def _config(body: Any) -> Iterator[FieldViolation]:
    config = field(body, "generation_config")
    for name, (least, most, said) in RANGES.items():
        if (value := _number(config, name)) is not None and not least <= value <= most:
            yield bullet("value-range", f"generation_config.{name}", f"{name} must be in the range {said}.")
    if len(items(field(config, "stop_sequences"))) > MOST_STOPS:
        sentence = f"the number of stop_sequences must not exceed {MOST_STOPS}."
        yield bullet("value-range", "generation_config.stop_sequences", sentence)
    media_type = field(config, "response_mime_type")
    if isinstance(media_type, str) and media_type and media_type not in MEDIA_TYPES:
        *others, last = (f"`{one}`" for one in MEDIA_TYPES)
        sentence = f"allowed mimetypes are {', '.join(others)} and {last}."
        yield bullet("response-mime-type", "generation_config.response_mime_type", sentence)
    budget = _number(field(config, "thinking_config"), "thinking_budget")
    if budget is not None and not -1 <= budget <= LARGEST_BUDGET:
        sentence = f"thinking_budget must be in the range [-1, {LARGEST_BUDGET}]."
        yield bullet("value-range", "generation_config.thinking_config.thinking_budget", sentence)


def _number(value: Any, name: str) -> float | None:
    """A member that the parser has read as a number, which may be written as text."""
    number = field(value, name)
    if isinstance(number, str):
        return float(number)
    return number if isinstance(number, int | float) and not isinstance(number, bool) else None


def _response_schema(body: Any) -> Iterator[FieldViolation]:
    schema = field(field(body, "generation_config"), "response_schema")
    for rule, path, sentence in schema_faults(schema, "generation_config.response_schema", quoted=True):
        yield bullet(rule, path, sentence)


def _declarations(body: Any) -> Iterator[FieldViolation]:
    for path, declaration in declarations(body):
        name = field(declaration, "name")
        if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
            yield bullet("function-name-invalid", f"{path}.name", BAD_NAME)
        for rule, place, sentence in schema_faults(field(declaration, "parameters"), f"{path}.parameters"):
            yield bullet(rule, place, sentence)
