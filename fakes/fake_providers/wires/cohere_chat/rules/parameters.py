"""Parameters: their bounds, what a model cannot do, the format of the answer, and documents."""

from typing import Any, Final

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_PARAMETER,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
    sets,
)
from fake_providers.wires.cohere_chat.errors import envelope
from fake_providers.wires.cohere_chat.request import blocks_of, items, object_or_empty
from fake_providers.wires.cohere_chat.rules.messages import OPENAPI, messages_of
from fake_providers.wires.cohere_chat.rules.samples import (
    SCHEMA,
    cite,
    listed,
    sample_request,
    sample_with_tool,
)

BOOK = Rulebook(envelope)
UNTYPED: Final = {name: member for name, member in SCHEMA.items() if name != "type"}
JSON: Final = {"type": "json_object", "json_schema": SCHEMA}
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
NO_PICTURE: Final = "invalid request: image content is not supported for this model"


def _sample_with_picture(model: str) -> dict[str, Any]:
    return sample_request({"role": "user", "content": [{"type": "text", "text": "Which?"}, PICTURE]}, model=model)


def _no_pictures(context: RequestContext) -> Breach | None:
    if "no-pictures" not in context.traits:
        return None
    for index, message in messages_of(context):
        for number, block in enumerate(blocks_of(message)):
            if block.get("type") == "image_url":
                return Breach(f"messages[{index}].content[{number}]", NO_PICTURE)
    return None


def _asks_for_json(body: dict[str, Any]) -> str:
    kind = object_or_empty(body.get("response_format")).get("type")
    return "response_format" if kind in ("json_object", "json_schema") else ""


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/images-unsupported", "A message has a picture, and the model reads text alone.",
    ANY_MESSAGE, _no_pictures, needs="image_url", trait="no-pictures",
    models="all but command-a-plus-*, command-a-vision-* and c4ai-aya-vision-*", about="picture",
    wrong=_sample_with_picture("command-a-03-2025"), right=_sample_with_picture("command-a-vision-07-2025"),
    recorded={"recordings, cohere 2025: command-r, command-r7b, command-a-reasoning": NO_PICTURE})
# fmt: on


refuse_by_model(
    BOOK,
    [
        ModelRefusal(
            rule="cohere/response-format-unsupported",
            trait="no-schema",
            asks=_asks_for_json,
            sentence="invalid request: response_format is not supported by the provided model.",
            why="The model cannot be held to JSON.",
            models="command, command-light, c4ai-aya-*",
            confidence="recorded",
            evidence=cite(
                "recordings, cohere 2025: command-light, c4ai-aya-vision-8b",
                "invalid request: response_format is not supported by the provided model.",
            ),
            breaking=sample_request(model="command-light", response_format=JSON),
            accepted=sample_request(response_format=JSON),
        ),
        ModelRefusal(
            rule="cohere/logprobs-unsupported",
            trait="no-logprobs",
            asks=sets("logprobs"),
            sentence="invalid request: logprobs is not supported with the specified model.",
            why="The model gives no log probabilities.",
            models="command, command-light",
            confidence="recorded",
            evidence=cite(
                "recordings, cohere 2025: command-light",
                "invalid request: logprobs is not supported with the specified model.",
            ),
            breaking=sample_request(model="command-light", logprobs=True),
            accepted=sample_request(logprobs=True),
        ),
    ],
    body=lambda context: context.body.value,
)


def _format_beside_tools(context: RequestContext) -> Breach | None:
    body = context.body.value
    if not _asks_for_json(body) or not (body.get("tools") or body.get("documents")):
        return None
    return Breach("response_format", "invalid request: response_format is not supported with RAG.")


def _schema_without_type(context: RequestContext) -> Breach | None:
    schema = object_or_empty(context.body.value.get("response_format")).get("json_schema")
    if not isinstance(schema, dict) or not schema or "type" in schema:
        return None
    problem = "invalid 'json_schema' provided: missing required field 'type'"
    return Breach("response_format.json_schema", f"invalid request: response_format validation: {problem}")


def _document_empty(context: RequestContext) -> Breach | None:
    for index, document in enumerate(items(context.body.value.get("documents"))):
        if not (document.get("data") if isinstance(document, dict) else document):
            return Breach(f"documents[{index}]", f"invalid request: document at index {index} cannot be empty")
    return None


def _document_ids_twice(context: RequestContext) -> Breach | None:
    first: dict[str, int] = {}
    for index, document in enumerate(items(context.body.value.get("documents"))):
        id_ = object_or_empty(document).get("id")
        if not isinstance(id_, str) or not id_:
            continue
        if id_ in first:
            sentence = f"invalid request: duplicate document ID {id_} at index {index} and {first[id_]}"
            return Breach(f"documents[{index}].id", sentence)
        first[id_] = index
    return None


def _range_rule(
    id: str, ranges: dict[str, tuple[float, float, str]], *, confidence: Confidence, evidence: tuple[Citation, ...]
) -> None:
    """A rule for members with a range: the least and the most, and the words for both."""

    def check(context: RequestContext) -> Breach | None:
        for name, (least, most, words) in ranges.items():
            value = context.body.value.get(name)
            if isinstance(value, int | float) and not least <= value <= most:
                return Breach(name, f"invalid request: {name} must be between {words} inclusive.")
        return None

    name, (_, most, _) = next(iter(ranges.items()))
    above: dict[str, Any] = {name: most + 1}
    highest: dict[str, Any] = {name: most}
    why = "Outside its range is " + " or ".join(f"`{name}`" for name in ranges) + "."
    breaking, accepted = sample_request(**above), sample_request(**highest)
    BOOK.add(Rule(id, 400, why, "all", confidence, evidence, "2026-11-20", breaking, accepted), ANY_PARAMETER, check)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/format-beside-tools", "The answer is to be JSON, and there are tools or documents.",
    ANY_PARAMETER, _format_beside_tools, needs="response_format",
    wrong=sample_with_tool(request={"response_format": JSON}), right=sample_request(response_format=JSON),
    verbatim=(*listed("invalid request: response_format is not supported with RAG."),
        *cite(OPENAPI, "The parameter is not supported when used in combinations with the `documents` or `tools`"),
        *cite("langchain4j, tests of Cohere's models with tools", "response_format is not supported with RAG")))
BOOK.row("cohere/schema-without-type", "The schema of the answer has no type at its top.",
    ANY_PARAMETER, _schema_without_type, needs="response_format",
    wrong=sample_request(response_format={"type": "json_object", "json_schema": UNTYPED}),
    right=sample_request(response_format=JSON),
    recorded={"recordings, cohere 2025, command-r7b-12-2024: a schema with `$ref` alone":
        "invalid request: response_format validation: invalid 'json_schema' provided: missing required field 'type'"})
BOOK.row("cohere/document-empty", "A document has nothing in `data`: in the older form its text is beside the id.",
    ANY_PARAMETER, _document_empty, needs="documents",
    wrong=sample_request(documents=[{"id": "doc-0"}]),
    right=sample_request(documents=[{"id": "doc-0", "data": {"text": "Oslo: 7 degrees"}}]),
    recorded={"recordings, cohere 2025, command-r": "invalid request: document at index 0 cannot be empty"})
BOOK.row("cohere/document-ids-twice", "Two documents have one id.",
    ANY_PARAMETER, _document_ids_twice, needs="documents",
    wrong=sample_request(documents=[{"id": "a", "data": {"text": "Oslo"}}, {"id": "a", "data": {"text": "Rome"}}]),
    right=sample_request(documents=[{"id": "a", "data": {"text": "Oslo"}}, {"id": "b", "data": {"text": "Rome"}}]),
    verbatim=listed("invalid request: duplicate document ID adfasd at index 1 and 0"))
# fmt: on


_range_rule(
    "cohere/out-of-range",
    {"temperature": (0, 1, "0 and 1.0"), "presence_penalty": (0, 1, "0 and 1")},
    confidence="verbatim",
    evidence=(
        *listed("invalid request: temperature must be between 0 and 1.0 inclusive."),
        *listed("invalid request: presence_penalty must be between 0 and 1 inclusive."),
    ),
)
_range_rule(
    "cohere/value-outside-range",
    {"frequency_penalty": (0, 1, "0 and 1"), "k": (0, 500, "0 and 500"), "p": (0.01, 0.99, "0.01 and 0.99")},
    confidence="inferred",
    evidence=(
        *cite(OPENAPI, "min value of `0.0`, max value of `1.0`"),
        *listed("invalid request: presence_penalty must be between 0 and 1 inclusive."),
    ),
)


def _stop_sequences(context: RequestContext) -> Breach | None:
    if len(items(context.body.value.get("stop_sequences"))) <= 5:
        return None
    return Breach("stop_sequences", "invalid request: stop_sequences must have at most 5 items.")


def _token_budget(context: RequestContext) -> Breach | None:
    body = context.body.value
    budget, most = object_or_empty(body.get("thinking")).get("token_budget"), body.get("max_tokens")
    if not isinstance(budget, int):
        return None
    if budget < 1:
        return Breach("thinking.token_budget", "invalid request: thinking.token_budget must be greater than 0")
    if isinstance(most, int) and budget > most:
        sentence = "invalid request: thinking.token_budget must be less than or equal to max_tokens"
        return Breach("thinking.token_budget", sentence)
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/stop-sequences", "There are more than five stop sequences.",
    ANY_PARAMETER, _stop_sequences, needs="stop_sequences",
    wrong=sample_request(stop_sequences=["a", "b", "c", "d", "e", "f"]),
    right=sample_request(stop_sequences=["a", "b", "c", "d", "e"]),
    inferred={OPENAPI: "A list of up to 5 strings"})
BOOK.row("cohere/thinking-budget", "The tokens for thinking are none, or more than `max_tokens`.",
    ANY_PARAMETER, _token_budget, needs="token_budget",
    wrong=sample_request(model="command-a-reasoning-08-2025", thinking={"type": "enabled", "token_budget": 0},
        max_tokens=200),
    right=sample_request(model="command-a-reasoning-08-2025", thinking={"type": "enabled", "token_budget": 100},
        max_tokens=200),
    reported={"a client of /v2/chat, live runs of 2026": "must be greater than 0",
        OPENAPI: "must be set to a positive integer"})
# fmt: on
