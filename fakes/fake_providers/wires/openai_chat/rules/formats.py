"""Rules on `response_format`: a name, a schema that strict mode supports, or the word JSON in the messages."""

import json
from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.function_rules import wrong_name_characters
from fake_providers.wires.openai_shared.strict_schemas import strict_fault
from fake_providers.wires.openai_shared.wording import breach, missing, unknown_word, wrong_type

BOOK = Rulebook(envelope)

FORMATS: Final = ("json_object", "json_schema", "text")

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _schema_format(**members: Any) -> dict[str, Any]:
    return sample_request(response_format={"type": "json_schema", "json_schema": members})


@BOOK.rule(
    "openai/response-format-type",
    why="`response_format` is not an object, or has no type.",
    confidence="recorded",
    evidence=cite_probe("response_format with no type"),
    breaking=sample_request(response_format="json_object"),
    accepted=sample_request(response_format={"type": "text"}),
)
def _format_type(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format")
    if format_ is None:
        return None
    if not isinstance(format_, dict):
        return wrong_type("response_format", "an object", format_)
    return None if "type" in format_ else missing("response_format.type")


@BOOK.rule(
    "openai/response-format-unknown",
    why="`response_format` has an unknown type.",
    confidence="recorded",
    evidence=cite_probe("an unknown response_format type"),
    breaking=sample_request(response_format={"type": "json"}),
    accepted=sample_request(response_format={"type": "text"}),
)
def _format_unknown(context: RequestContext) -> Breach | None:
    kind = (context.body.get("response_format") or {}).get("type")
    return None if kind is None else unknown_word("response_format.type", kind, FORMATS)


@BOOK.rule(
    "openai/response-format-name",
    why="The schema of the response has no name.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "Missing required parameter: 'response_format.json_schema.name'."),
    breaking=_schema_format(schema=_SCHEMA),
    accepted=_schema_format(schema=_SCHEMA, name="answer"),
)
def _format_name(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema":
        return None
    if not isinstance(format_.get("json_schema"), dict):
        return missing("response_format.json_schema")
    return None if format_["json_schema"].get("name") else missing("response_format.json_schema.name")


@BOOK.rule(
    "openai/response-format-name-pattern",
    why="The name of the response's schema has characters other than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid 'response_format.json_schema.name': string does not match pa"),
    breaking=_schema_format(schema=_SCHEMA, name="an answer"),
    accepted=_schema_format(schema=_SCHEMA, name="an_answer"),
)
def _format_name_pattern(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    name = format_["json_schema"]["name"] if format_.get("type") == "json_schema" else None
    return wrong_name_characters("response_format.json_schema.name", name) if isinstance(name, str) else None


@BOOK.rule(
    "openai/response-format-schema",
    why="A strict schema of the response has an optional property or allows additional ones.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "'required' is required to be supplied and to be an array including"),
    breaking=_schema_format(name="answer", strict=True, schema={**_SCHEMA, "required": []}),
    accepted=_schema_format(name="answer", strict=True, schema=_SCHEMA),
)
def _format_schema(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema" or format_["json_schema"].get("strict") is not True:
        return None
    fault = strict_fault(format_["json_schema"].get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['json_schema']['name']}': {fault}"
    return breach("response_format", message, at="response_format.json_schema.schema")


@BOOK.rule(
    "openai/json-object-unsaid",
    why="A JSON object is requested and no message contains the word JSON.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "'messages' must contain the word 'json' in some form"),
    breaking=sample_request(USER, response_format={"type": "json_object"}),
    accepted=sample_request({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
)
def _json_unsaid(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_object" or "json" in json.dumps(context.body["messages"]).lower():
        return None
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return breach("messages", message)
