"""Gemini's `generateContent` and `streamGenerateContent`, as the Developer API and Vertex AI serve them.

Both providers accept both paths. Knows no scenario.
"""

from collections.abc import Sequence
from typing import Any

from fake_providers.http import Request, Response, compact
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import RequestContext
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.gemini_generate import errors, scripted_faults, thought_signatures, token_count
from fake_providers.wires.gemini_generate.embeddings import ENDPOINTS, embeddings_response
from fake_providers.wires.gemini_generate.model_list import models_response
from fake_providers.wires.gemini_generate.provider import Provider
from fake_providers.wires.gemini_generate.request import has_key, is_vertex, parsed, route, view
from fake_providers.wires.gemini_generate.request_validator import validate
from fake_providers.wires.gemini_generate.response import call_id, encode
from fake_providers.wires.gemini_generate.rules import BOOK, FORM, Payload
from fake_providers.wires.gemini_generate.rules.whole_request import INPUT_TOO_LONG, MISSING_CREDENTIAL, MISSING_KEY


class GeminiGenerate:
    """The wire of one provider. Implements `fake_providers.wire.Wire`."""

    name = "gemini-generate"
    base_path = ""
    endpoints = (token_count.ENDPOINT, *ENDPOINTS)

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self.providers: tuple[str, ...] = (provider.name,)
        self.rules: tuple[Rule, ...] = provider.rules

    def route(self, request: Request) -> Route | None:
        return route(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return embeddings_response(request)

    def counted(self, request: Request) -> Request | None:
        return token_count.counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return token_count.count_response(request, tokens)

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
        body = parsed(request)
        context = RequestContext(
            body=Payload(body.value, body.mismatches or self._provider.validate(body.value)),
            headers=request.headers,
            model=target.model,
            traits=traits(self.name, target.model),
            stream=target.stream,
            provider=provider,
        )
        violation = next((found for book in self._provider.books if (found := book.judge(context))), None)
        if violation is None or not errors.is_array(request):
            return violation
        return _with_body(violation, [violation.body])

    def view(self, request: Request) -> View:
        return view(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thought_signatures.issue(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context, self._provider)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return scripted_faults.fail(fault, context, self._provider)

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


def _with_body(violation: Violation, body: list[object]) -> Violation:
    return Violation(violation.rule, violation.status, body, violation.message, violation.at, violation.confidence)


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
