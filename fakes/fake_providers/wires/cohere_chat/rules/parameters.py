"""Parameters: their bounds, what a model cannot do, the format of the answer, and documents."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Citation, Remedy
from fake_providers.rulebook import RequestContext, Rulebook, Selector
from fake_providers.values.lenient import listed, members
from fake_providers.wires.cohere_chat.errors import ERRORS_PAGE, envelope
from fake_providers.wires.cohere_chat.rules.messages import BLOCK, OPENAPI, PARAMETERS
from fake_providers.wires.cohere_chat.rules.samples import SCHEMA, request, with_tool

UNTYPED: Final = {name: member for name, member in SCHEMA.items() if name != "type"}
JSON: Final = {"type": "json_object", "json_schema": SCHEMA}
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
REASONING: Final = "command-a-reasoning-08-2025"
OUTSIDE: Final = "invalid request: {name} must be between {words} inclusive."


def _with_picture(model: str) -> dict[str, Any]:
    return request({"role": "user", "content": [{"type": "text", "text": "Which?"}, PICTURE]}, model=model)


def _documents(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, document in enumerate(listed(context.body.value.get("documents"))):
        yield document, i


DOCUMENT: Final = Selector(_documents, "documents[{i}]", ("i",), "parts", ("parameter",))


def _asks_for_json(body: Any) -> bool:
    return members(body.get("response_format")).get("type") in ("json_object", "json_schema")


def _schema_without_type(body: Any) -> bool:
    schema = members(body.get("response_format")).get("json_schema")
    return isinstance(schema, dict) and schema != {} and "type" not in schema


def _document_id_twice(body: Any) -> Any:
    first: dict[str, int] = {}
    for index, document in enumerate(listed(body.get("documents"))):
        id_ = members(document).get("id")
        if not isinstance(id_, str) or not id_:
            continue
        if id_ in first:
            return {"i": index, "id": id_, "first": first[id_]}
        first[id_] = index
    return None


def _outside(ranges: dict[str, tuple[float, float, str]]) -> Callable[[Any], Any]:
    """The first member outside its range: the least and the most, and the words for both."""

    def find(body: Any) -> Any:
        for name, (least, most, words) in ranges.items():
            if isinstance(body.get(name), int | float) and not least <= body[name] <= most:
                return {"name": name, "words": words}
        return None

    return find


def _budget_fault(body: Any) -> str:
    budget, most = members(body.get("thinking")).get("token_budget"), body.get("max_tokens")
    if not isinstance(budget, int):
        return ""
    if budget < 1:
        return "greater than 0"
    return "less than or equal to max_tokens" if isinstance(most, int) and budget > most else ""


BOOK = Rulebook(envelope)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/images-unsupported", "A message has a picture, and the model reads text alone.",
    BLOCK, lambda block: block.get("type") == "image_url",
    "invalid request: image content is not supported for this model", needs="image_url", trait="no-pictures",
    models="command-light, command-r*, command-r7b, command-a but command-a-plus and command-a-vision", about="picture",
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_picture("command-a-03-2025"), right=_with_picture("command-a-vision-07-2025"),
    recorded={"recordings, cohere 2025: command-light, command-r, command-r7b, command-a-reasoning": "..."})
BOOK.row("cohere/response-format-unsupported", "The model cannot be held to JSON.",
    PARAMETERS, _asks_for_json, "invalid request: response_format is not supported by the provided model.",
    "response_format", trait="no-schema", models="command-light, c4ai-aya-*", checked="2026-11-23",
    remedy=remedies.FORMAT_SHAPE,
    wrong=request(model="command-light", response_format=JSON), right=request(response_format=JSON),
    recorded={"recordings, cohere 2025: command-light, c4ai-aya-vision-8b": "..."})
BOOK.row("cohere/logprobs-unsupported", "The model gives no log probabilities.",
    PARAMETERS, lambda body: body.get("logprobs"),
    "invalid request: logprobs is not supported with the specified model.", "logprobs", trait="no-logprobs",
    models="command-light", checked="2026-11-23", remedy=remedies.NO_PARAMETER,
    wrong=request(model="command-light", logprobs=True), right=request(logprobs=True),
    recorded={"recordings, cohere 2025: command-light": "..."})
BOOK.row("cohere/format-beside-tools", "The answer is to be JSON, and there are tools or documents.",
    PARAMETERS, lambda body: _asks_for_json(body) and (body.get("tools") or body.get("documents")),
    "invalid request: response_format is not supported with RAG.", "response_format", needs="response_format",
    remedy=remedies.FORMAT_SHAPE,
    wrong=with_tool(also={"response_format": JSON}), right=request(response_format=JSON),
    verbatim={ERRORS_PAGE: "...",
        OPENAPI: "The parameter is not supported when used in combinations with the `documents` or `tools`",
        "langchain4j, tests of Cohere's models with tools": "response_format is not supported with RAG"})
BOOK.row("cohere/schema-without-type", "The schema of the answer has no type at its top.",
    PARAMETERS, _schema_without_type,
    "invalid request: response_format validation: invalid 'json_schema' provided: missing required field 'type'",
    "response_format.json_schema", needs="response_format", remedy=remedies.CONVERT_SCHEMA,
    wrong=request(response_format={"type": "json_object", "json_schema": UNTYPED}), right=request(response_format=JSON),
    recorded={"recordings, cohere 2025, command-r7b-12-2024: a schema with `$ref` alone": "..."})
BOOK.row("cohere/document-empty", "A document has nothing in `data`: in the older form its text is beside the id.",
    DOCUMENT, lambda one: not (one.get("data") if isinstance(one, dict) else one),
    "invalid request: document at index {i} cannot be empty", needs="documents", remedy=remedies.DOCUMENT_DATA,
    wrong=request(documents=[{"id": "doc-0"}]),
    right=request(documents=[{"id": "doc-0", "data": {"text": "Oslo: 7 degrees"}}]),
    recorded={"recordings, cohere 2025, command-r": "invalid request: document at index 0 cannot be empty"})
BOOK.row("cohere/document-ids-twice", "Two documents have one id.",
    PARAMETERS, _document_id_twice, "invalid request: duplicate document ID {id} at index {i} and {first}",
    "documents[{i}].id", needs="documents", remedy=remedies.DOCUMENT_DATA,
    wrong=request(documents=[{"id": "a", "data": {"text": "Oslo"}}, {"id": "a", "data": {"text": "Rome"}}]),
    right=request(documents=[{"id": "a", "data": {"text": "Oslo"}}, {"id": "b", "data": {"text": "Rome"}}]),
    verbatim={ERRORS_PAGE: "invalid request: duplicate document ID adfasd at index 1 and 0"})
BOOK.row("cohere/out-of-range", "Outside its range is `temperature` or `presence_penalty`.",
    PARAMETERS, _outside({"temperature": (0, 1, "0 and 1.0"), "presence_penalty": (0, 1, "0 and 1")}), OUTSIDE,
    "{name}", remedy=remedies.KEEP_IN_RANGE,
    wrong=request(temperature=2), right=request(temperature=1),
    verbatim=(Citation(ERRORS_PAGE, "invalid request: temperature must be between 0 and 1.0 inclusive."),
        Citation(ERRORS_PAGE, "invalid request: presence_penalty must be between 0 and 1 inclusive.")))
BOOK.row("cohere/value-outside-range", "Outside its range is `frequency_penalty` or `k` or `p`.",
    PARAMETERS,
    _outside({"frequency_penalty": (0, 1, "0 and 1"), "k": (0, 500, "0 and 500"), "p": (0.01, 0.99, "0.01 and 0.99")}),
    OUTSIDE, "{name}", remedy=remedies.KEEP_IN_RANGE,
    wrong=request(frequency_penalty=2), right=request(frequency_penalty=1),
    inferred={OPENAPI: "min value of `0.0`, max value of `1.0`",
        ERRORS_PAGE: "invalid request: presence_penalty must be between 0 and 1 inclusive."})
BOOK.row("cohere/stop-sequences", "There are more than five stop sequences.",
    PARAMETERS, lambda body: len(listed(body.get("stop_sequences"))) > 5,
    "invalid request: stop_sequences must have at most 5 items.", "stop_sequences", needs="stop_sequences",
    remedy=Remedy("parameters", "Send five stop sequences at most."),
    wrong=request(stop_sequences=["a", "b", "c", "d", "e", "f"]),
    right=request(stop_sequences=["a", "b", "c", "d", "e"]),
    inferred={OPENAPI: "A list of up to 5 strings"})
BOOK.row("cohere/thinking-budget", "The tokens for thinking are none, or more than `max_tokens`.",
    PARAMETERS, _budget_fault, "invalid request: thinking.token_budget must be {found}", "thinking.token_budget",
    needs="token_budget",
    remedy=Remedy("reasoning-settings",
        "Send a `token_budget` of at least 1 and of no more than `max_tokens`, or none."),
    wrong=request(model=REASONING, thinking={"type": "enabled", "token_budget": 0}, max_tokens=200),
    right=request(model=REASONING, thinking={"type": "enabled", "token_budget": 100}, max_tokens=200),
    reported={"a client of /v2/chat, live runs of 2026": "must be greater than 0",
        OPENAPI: "must be set to a positive integer"})
# fmt: on
