"""`response_format`: a name and a schema that strict mode takes, or the word JSON in the messages."""

import json
import re
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.errors import envelope
from fakes.wires.openai_chat.rules.samples import USER, asking, cite, probed
from fakes.wires.openai_chat.rules.strict_schemas import strict_fault
from fakes.wires.openai_chat.rules.tools import NAME_PATTERN
from fakes.wires.openai_shared.wording import breach, missing, wrong_pattern, wrong_type, wrong_value

BOOK = Rulebook(envelope)

FORMATS: Final = ("json_object", "json_schema", "text")

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _schema_format(**members: Any) -> dict[str, Any]:
    return asking(response_format={"type": "json_schema", "json_schema": members})


@BOOK.rule(
    "openai/response-format-type",
    why="`response_format` is no object, or does not say its type",
    confidence="recorded",
    evidence=probed("response_format with no type"),
    breaking=asking(response_format="json_object"),
    accepted=asking(response_format={"type": "text"}),
)
def _format_type(context: RequestContext) -> Breach | None:
    rendered = context.body.get("response_format")
    if rendered is None:
        return None
    if not isinstance(rendered, dict):
        return wrong_type("response_format", "an object", rendered)
    return None if "type" in rendered else missing("response_format.type")


@BOOK.rule(
    "openai/response-format-unknown",
    why="`response_format` is of a type that there is not",
    confidence="recorded",
    evidence=probed("an unknown response_format type"),
    breaking=asking(response_format={"type": "json"}),
    accepted=asking(response_format={"type": "text"}),
)
def _format_unknown(context: RequestContext) -> Breach | None:
    kind = (context.body.get("response_format") or {}).get("type")
    if not isinstance(kind, str) or kind in FORMATS:
        return None
    return wrong_value("response_format.type", kind, FORMATS)


@BOOK.rule(
    "openai/response-format-name",
    why="a schema for the answer has no name",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o-mini", "Missing required parameter: 'response_format.json_schema.name'."),
    breaking=_schema_format(schema=_SCHEMA),
    accepted=_schema_format(schema=_SCHEMA, name="answer"),
)
def _format_name(context: RequestContext) -> Breach | None:
    rendered = context.body.get("response_format") or {}
    if rendered.get("type") != "json_schema":
        return None
    if not isinstance(rendered.get("json_schema"), dict):
        return missing("response_format.json_schema")
    return None if rendered["json_schema"].get("name") else missing("response_format.json_schema.name")


@BOOK.rule(
    "openai/response-format-name-pattern",
    why="the name of a schema has other characters than letters, digits, _ and -",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid 'response_format.json_schema.name': string does not match pa"),
    breaking=_schema_format(schema=_SCHEMA, name="an answer"),
    accepted=_schema_format(schema=_SCHEMA, name="an_answer"),
)
def _format_name_pattern(context: RequestContext) -> Breach | None:
    rendered = context.body.get("response_format") or {}
    name = rendered["json_schema"]["name"] if rendered.get("type") == "json_schema" else None
    if not isinstance(name, str) or re.fullmatch("[a-zA-Z0-9_-]+", name):
        return None
    return wrong_pattern("response_format.json_schema.name", NAME_PATTERN)


@BOOK.rule(
    "openai/response-format-schema",
    why="a strict schema for the answer leaves a property optional, or allows further ones",
    confidence="recorded",
    evidence=cite(
        "recorded exchange, gpt-4o-mini", "'required' is required to be supplied and to be an array including"
    ),
    breaking=_schema_format(name="answer", strict=True, schema={**_SCHEMA, "required": []}),
    accepted=_schema_format(name="answer", strict=True, schema=_SCHEMA),
)
def _format_schema(context: RequestContext) -> Breach | None:
    rendered = context.body.get("response_format") or {}
    if rendered.get("type") != "json_schema" or rendered["json_schema"].get("strict") is not True:
        return None
    fault = strict_fault(rendered["json_schema"].get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{rendered['json_schema']['name']}': {fault}"
    return breach("response_format", message, at="response_format.json_schema.schema")


@BOOK.rule(
    "openai/json-object-unsaid",
    why="a JSON object is asked for and no message has the word JSON",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4o-mini", "'messages' must contain the word 'json' in some form"),
    breaking=asking(USER, response_format={"type": "json_object"}),
    accepted=asking({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
)
def _json_unsaid(context: RequestContext) -> Breach | None:
    rendered = context.body.get("response_format") or {}
    if rendered.get("type") != "json_object" or "json" in json.dumps(context.body["messages"]).lower():
        return None
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return breach("messages", message)
