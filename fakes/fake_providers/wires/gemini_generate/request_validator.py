"""Google's validator of a parsed request: the bullets `* GenerateContentRequest...` of one refusal. Knows no model.

It runs after the parser and before the rules on turn order, and reports all that it finds.
"""

import re
from collections.abc import Iterator
from typing import Any

from fake_providers.wires.gemini_generate.field_violation import FieldViolation
from fake_providers.wires.gemini_generate.lenient_reading import contents, data_of, declarations, field, items
from fake_providers.wires.gemini_generate.schema_validator import schema_problems

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


def bullet(rule: str, path: str, sentence: str) -> FieldViolation:
    return FieldViolation(rule, "", f"* GenerateContentRequest.{path}: {sentence}\n", path)


def validate(body: Any) -> tuple[FieldViolation, ...]:
    """All violations in the order of the request's fields: contents, generation config, tools."""
    return (*_contents(body), *_response_schema(body), *_declarations(body))


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
    if not data_of(part) and not any(field(part, name) for name in BESIDE_DATA):
        yield bullet("part-without-data", f"{path}.data", "required oneof field 'data' must have one initialized field")
    for name, rule in (("function_call", "call-name-empty"), ("function_response", "response-name-empty")):
        member = field(part, name)
        if isinstance(member, dict) and not field(member, "name"):
            yield bullet(rule, f"{path}.{name}.name", "Name cannot be empty.")


def _response_schema(body: Any) -> Iterator[FieldViolation]:
    schema = field(field(body, "generation_config"), "response_schema")
    for rule, path, sentence in schema_problems(schema, "generation_config.response_schema", quoted=True):
        yield bullet(rule, path, sentence)


def _declarations(body: Any) -> Iterator[FieldViolation]:
    for path, declaration in declarations(body):
        name = field(declaration, "name")
        if not isinstance(name, str) or not FUNCTION_NAME.fullmatch(name):
            yield bullet("function-name-invalid", f"{path}.name", BAD_NAME)
        for rule, place, sentence in schema_problems(field(declaration, "parameters"), f"{path}.parameters"):
            yield bullet(rule, place, sentence)
