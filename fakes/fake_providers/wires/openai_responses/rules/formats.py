"""The rule on `text.format`: strict mode must support the schema. The word JSON is a rule on the whole conversation."""

from typing import Any

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import cite, sample_request
from fake_providers.wires.openai_shared.strict_schemas import strict_fault
from fake_providers.wires.openai_shared.wording import breach

BOOK = Rulebook(envelope)

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _format(**members: Any) -> dict[str, Any]:
    return sample_request(text={"format": {"type": "json_schema", "name": "answer", "strict": True, **members}})


@BOOK.rule(
    "openai/responses-format-schema",
    why="A strict schema of the response has an optional property or allows additional ones.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "Invalid schema for response_format 'response': In context=(),"),
    breaking=_format(schema={**_SCHEMA, "required": []}),
    accepted=_format(schema=_SCHEMA),
)
def _format_schema(context: RequestContext) -> Breach | None:
    format_ = (context.body.get("text") or {}).get("format") or {}
    if format_.get("type") != "json_schema" or format_.get("strict") is not True:
        return None
    fault = strict_fault(format_.get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['name']}': {fault}"
    return breach("text.format.schema", message, "invalid_json_schema")
