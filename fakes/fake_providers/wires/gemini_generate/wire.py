"""Gemini's `generateContent` and `streamGenerateContent`, as the Developer API and Vertex AI serve them.

Both providers accept both paths.

Shapes: `CountTokensResponse` of google-genai, and the reference of `models.countTokens`: the Developer API takes the
contents alone, or a whole request in `generateContentRequest`.

Shapes: the API reference of `models.embedContent`, and what google-genai sends and reads.
"""

import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote

from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import RequestContext, RuleFilter, first_violation, has_parts
from fake_providers.values.json_texts import read_json
from fake_providers.values.tokens import MOST_DIMENSIONS, dimensions_of, embed
from fake_providers.verdict_cache import VerdictCache
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.gemini_generate import errors, thought_signatures
from fake_providers.wires.gemini_generate.errors import JSON, error_body
from fake_providers.wires.gemini_generate.proto_messages import field, items
from fake_providers.wires.gemini_generate.proto_parser import PARTS, mismatches
from fake_providers.wires.gemini_generate.provider import Provider, fail
from fake_providers.wires.gemini_generate.request import has_key, is_vertex, parsed, route, version_of, view
from fake_providers.wires.gemini_generate.request_validator import validate
from fake_providers.wires.gemini_generate.response import call_id, encode
from fake_providers.wires.gemini_generate.rules import BOOK, CONTENTS, FORM, TOOLS, Payload
from fake_providers.wires.gemini_generate.rules.rulebook import INPUT_TOO_LONG, MISSING_CREDENTIAL, MISSING_KEY

ENDPOINT: Final = "POST /v1beta/models/{model}:countTokens"
VERB: Final = ":countTokens"


def counted(request: Request) -> Request | None:
    path = unquote(request.path.partition("?")[0])
    if request.method.upper() != "POST" or not path.endswith(VERB):
        return None
    return replace(request, path=f"{path.removesuffix(VERB)}:generateContent", body=_body(request.body))


def _body(sent: bytes) -> bytes:
    """The inner request without the name of its model, which the path has as well."""
    try:
        whole: Any = field(read_json(sent), "generate_content_request")
    except ValueError:
        return sent
    if not isinstance(whole, dict):
        return sent
    return compact({name: value for name, value in whole.items() if name != "model"}).encode(errors=AS_ESCAPE)


def count_response(request: Request, tokens: int) -> Response:
    """Vertex AI bills characters, and says how many: four for each token, as the fake counts."""
    billed = {"totalBillableCharacters": 4 * tokens} if is_vertex(request) else {}
    details = [{"modality": "TEXT", "tokenCount": tokens}]
    response = json_response(200, {"totalTokens": tokens, **billed, "promptTokensDetails": details})
    return replace(response, headers=(("content-type", JSON),))


PATH: Final = re.compile(r"/{1,2}v1(?:alpha|beta)?/models(?:/([^/:]+))?")
VERTEX_PATH: Final = re.compile(
    r"/{1,2}v1(?:alpha1|beta1)?/(?:projects/[^/]+/locations/[^/]+/)?publishers/google/models(?:/([^/:]+))?"
)
WINDOW: Final = 1_048_576
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    path = unquote(request.path.partition("?")[0])
    if request.method.upper() != "GET":
        return None
    if found := PATH.fullmatch(path):
        return json_response(200, _listed("models", found[1], [_model(id, served) for id in _asked(found, served)]))
    if found := VERTEX_PATH.fullmatch(path):
        return json_response(
            200, _listed("publisherModels", found[1], [_published(id) for id in _asked(found, served)])
        )
    return None


def _asked(found: re.Match[str], served: ServedModels) -> tuple[str, ...]:
    return (found[1],) if found[1] else served.names


def _listed(key: str, name: str | None, entries: list[dict[str, Any]]) -> dict[str, Any]:
    return entries[0] if name else {key: entries}


def _model(id: str, served: ServedModels) -> dict[str, Any]:
    return {
        "name": f"models/{id}",
        "version": "001",
        "displayName": id.replace("-", " ").title(),
        "description": id.replace("-", " ").title(),
        "inputTokenLimit": served.window or WINDOW,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": [
            "generateContent",
            "countTokens",
            "createCachedContent",
            "batchGenerateContent",
        ],
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": True,
    }


def _published(id: str) -> dict[str, Any]:
    return {
        "name": f"publishers/google/models/{id}",
        "versionId": "default",
        "openSourceCategory": "PROPRIETARY",
        "launchStage": "GA",
        "publisherModelTemplate": f"projects/{{project}}/locations/{{location}}/publishers/google/models/{id}",
    }


ENDPOINTS: Final = (
    "POST /v1beta/models/{model}:embedContent",
    "POST /v1beta/models/{model}:batchEmbedContents",
)
EMBEDDINGS_PATH: Final = re.compile(r"/{1,2}v1(?:alpha|beta)?/models/([^:/]+):(embedContent|batchEmbedContents)")
DIMENSIONS: Final = {"gemini-embedding": 3072, "text-embedding-004": 768, "embedding-001": 768}
DEFAULT: Final = 3072
"""Of a model that is not listed: as the newest one's."""
MOST_REQUESTS: Final = 100
"""How many texts one batch may have, as the provider says."""


def embeddings_response(request: Request) -> Response | None:
    """None for a request to another endpoint."""
    found = EMBEDDINGS_PATH.fullmatch(unquote(request.path.partition("?")[0]))
    if request.method.upper() != "POST" or found is None:
        return None
    try:
        body = read_json(request.body)
    except ValueError:
        return _respond(400, error_body(400, "Invalid JSON payload received."))
    if found[2] == "embedContent":
        wrong = _wrong(body)
        return wrong or _respond(200, {"embedding": {"values": _values(found[1], body)}})
    return _batch(found[1], items(field(body, "requests")))


def _batch(model: str, requests: list[Any]) -> Response:
    if len(requests) > MOST_REQUESTS:
        message = f"BatchEmbedContentsRequest.requests: at most {MOST_REQUESTS} requests can be in one batch"
        return _respond(400, error_body(400, f"* {message}"))
    wrong = next((found for one in requests if (found := _wrong(one))), None)
    return wrong or _respond(200, {"embeddings": [{"values": _values(model, one)} for one in requests]})


def _wrong(body: Any) -> Response | None:
    size = _size(body)
    if size is not None and not (type(size) is int and 0 < size <= MOST_DIMENSIONS):
        return _respond(400, error_body(400, f"* EmbedContentRequest.output_dimensionality: got {size!r}"))
    if not items(field(field(body, "content"), "parts")):
        return _respond(400, error_body(400, "* EmbedContentRequest.content: contents is not specified\n"))
    return None


def _size(body: Any) -> Any:
    return field(body, "output_dimensionality")


def _values(model: str, body: Any) -> list[float]:
    texts = [field(part, "text") for part in items(field(field(body, "content"), "parts"))]
    text = "\n".join(text for text in texts if isinstance(text, str))
    return embed(text, _size(body) or dimensions_of(model, DIMENSIONS, DEFAULT))


def _respond(status: int, body: Any) -> Response:
    return replace(json_response(status, body), headers=(("content-type", JSON),))


class GeminiGenerate:
    """The wire of one provider. Implements `fake_providers.wire.Wire`."""

    name = "gemini-generate"
    base_path = ""
    endpoints = (ENDPOINT, *ENDPOINTS)

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._accepted = VerdictCache(*provider.books, messages=CONTENTS, tools=TOOLS)
        self.providers: tuple[str, ...] = (provider.name,)
        self.rules: tuple[Rule, ...] = provider.rules

    def route(self, request: Request) -> Route | None:
        return route(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return embeddings_response(request)

    def counted(self, request: Request) -> Request | None:
        return counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return count_response(request, tokens)

    def missing_key(self, request: Request) -> Violation | None:
        """The Developer API refuses a request without a key with 403, not 401. Vertex AI, recognised by the path,
        refuses it with 401."""
        if has_key(request):
            return None
        if is_vertex(request):
            details = errors.missing_credential(request)
            return _violation(MISSING_CREDENTIAL, request, errors.NO_CREDENTIAL, details, at="authorization")
        return _violation(MISSING_KEY, request, errors.NO_KEY, at="x-goog-api-key")

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        target = route(request) or Route("", False)
        known = traits(self.name, target.model)

        def broken(payload: Payload, reads: RuleFilter | None = None) -> Violation | None:
            context = RequestContext(payload, request.headers, target.model, known, target.stream, provider)
            return first_violation(self._provider.books, context, reads)

        def found_in(value: Any, reads: RuleFilter | None) -> Violation | None:
            if not has_parts(reads):
                return broken(Payload(value, ()), reads)
            wrong = mismatches(value, version=version_of(request), vertex=is_vertex(request))
            return broken(Payload(value, wrong or self._provider.validate(value)), reads)

        parts = PARTS.read(request.body)
        if parts is None:
            body = parsed(request)
            violation = broken(Payload(body.value, body.mismatches or self._provider.validate(body.value)))
        else:
            violation = self._accepted.judge(request, parts, provider=provider, traits=known, judge=found_in)
        if violation is None or not errors.is_array(request):
            return violation
        return Violation(
            violation.rule, violation.status, [violation.body], violation.message, violation.at, violation.confidence
        )

    def view(self, request: Request) -> View:
        return view(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thought_signatures.issue(ids)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None else Alike(parts.parameters)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context, self._provider)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return fail(fault, context, self._provider)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.send(context.request, violation.status, violation.body)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        """The refusal with the recorded sentence; an older sentence has both numbers."""
        message = f"The input token count exceeds the maximum number of tokens allowed ({window})."
        return _violation(INPUT_TOO_LONG, request, message, at="contents")

    def stopped(self, message: str, context: ReplyContext) -> Response:
        body = errors.in_envelope(context.request, errors.error_body(400, message))
        return errors.send(context.request, 400, body, [("x-should-retry", "false")])


def _status_body(status: int, request: Request, *, retry_after: float | None = None) -> dict[str, Any]:
    target = route(request) or Route("", False)
    return errors.status_body(status, model=target.model, retry_after=retry_after)


def _violation(rule: Rule, request: Request, message: str, details: Sequence[Any] = (), *, at: str) -> Violation:
    body = errors.in_envelope(request, errors.error_body(rule.status, message, details))
    return Violation(rule.id, rule.status, body, message, at, rule.confidence)


GEMINI = Provider(
    name="gemini",
    books=(FORM, BOOK),
    missing_key=MISSING_KEY,
    validate=validate,
    status_body=_status_body,
    arrange=lambda body, is_last, has_avg_logprobs: body,
    to_json=compact,
    makes_call_ids=True,
    ends_with_last_piece=False,
)
WIRE: Wire = GeminiGenerate(GEMINI)


def wire_of(provider: Provider) -> Wire:
    return GeminiGenerate(provider)
