"""The error responses of a provider on OpenAI's wires: missing key, broken rule, window, scripted fault."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from fake_providers.http import Request, Response, compact
from fake_providers.reply import Fault
from fake_providers.rule import Citation, Confidence, Rule, Violation
from fake_providers.wire import ReplyContext, ServedModels
from fake_providers.wires.openai_shared import other_endpoints
from fake_providers.wires.openai_shared.errors import with_fault
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.request_body import event

Headers = tuple[tuple[str, str], ...]


def bearer(request: Request) -> str:
    """The key in the Authorization header, or ""."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def bodiless_rule(
    id: str, *, status: int, why: str, confidence: Confidence, evidence: tuple[Citation, ...], models: str = "all"
) -> Rule:
    """A rule without sample requests: a key, a window, a server's flag, the model's own output."""
    return Rule(id, status, why, models, confidence, evidence, "2026-11-21", None, None)


def missing_key_rule(id: str, *, confidence: Confidence, evidence: tuple[Citation, ...], status: int = 401) -> Rule:
    why = "The request has no key in its Authorization header."
    return bodiless_rule(id, status=status, why=why, confidence=confidence, evidence=evidence)


def context_length_rule(id: str, *, confidence: Confidence, evidence: tuple[Citation, ...], status: int = 400) -> Rule:
    why = "The conversation is longer than the model's context window."
    return bodiless_rule(id, status=status, why=why, confidence=confidence, evidence=evidence)


TooLong = Callable[[Request, int, int], tuple[str, Any]]


def window_sentence(sentence: str, body: Callable[[str], Any]) -> TooLong:
    """For `Errors.too_long`, where the body has nothing more than this sentence, with `{tokens}` and `{window}`."""

    def too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
        message = sentence.format(tokens=tokens, window=window)
        return message, body(message)

    return too_long


class Errors(Struct, frozen=True):
    """How a provider refuses and fails. The functions are pure and never raise.

    `missing_key` is None for a server that needs no key. `too_long` returns the message and the body for a conversation
    of this many tokens in a window of that size, `failure` the body (JSON or text) for a scripted fault with a status,
    and `envelope_of` the body of a 400 with this message. `content_type` is the content type of an error,
    `stream_error` the error in the middle of a stream. `limits` are the headers of a 429. `path` is the place that is
    reported for a conversation beyond the window.
    """

    failure: Callable[[int, ReplyContext, float | None], Any]
    envelope_of: Callable[[str], Any]
    window: Rule
    too_long: TooLong
    missing_key: Rule | None = None
    no_key: tuple[str, Any] = ("", None)
    key: Callable[[Request], str] = bearer
    key_path: str = "headers.authorization"
    content_type: Callable[[int, Any], str] = lambda status, body: "application/json"
    stream_error: Callable[[Any, ReplyContext], bytes] = lambda body, context: event(body)
    limits: Mapping[str, str] | None = None
    path: str = "messages"

    def missing_key_violation(self, request: Request) -> Violation | None:
        rule = self.missing_key
        if rule is None or self.key(request):
            return None
        message, body = self.no_key
        return Violation(rule.id, rule.status, body, message, self.key_path, rule.confidence)

    def window_violation(self, request: Request, *, tokens: int, window: int) -> Violation:
        message, body = self.too_long(request, tokens, window)
        return Violation(self.window.id, self.window.status, body, message, self.path, self.window.confidence)


class OpenAIWireProvider(Protocol):
    """What the providers of both wires have."""

    @property
    def name(self) -> str: ...
    @property
    def base_path(self) -> str: ...
    @property
    def errors(self) -> Errors: ...
    @property
    def rules(self) -> tuple[Rule, ...]: ...


class ErrorResponses:
    """What is the same of `fake_providers.wire.Wire` on both wires: names, rules, models, and how errors are sent."""

    endpoints: tuple[str, ...] = ()

    def __init__(self, provider: OpenAIWireProvider) -> None:
        self._errors = provider.errors
        self.providers: tuple[str, ...] = (provider.name,)
        self.rules: tuple[Rule, ...] = provider.rules
        self.base_path = provider.base_path
        if provider.name in other_endpoints.HAVE_EMBEDDINGS:
            self.endpoints = (*self.endpoints, other_endpoints.EMBEDDINGS)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return other_endpoints.embeddings_response(request, served.provider, self._errors.envelope_of)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def missing_key(self, request: Request) -> Violation | None:
        return self._errors.missing_key_violation(request)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        status, body = fault.status or 200, fault.body
        if body is None:
            body = self._errors.failure(status, context, fault.retry_after)
        more = tuple((self._errors.limits or {}).items()) if status == 429 else ()
        if fault.retry_after is not None:
            more = (*more, ("retry-after", str(math.ceil(fault.retry_after))))
        return with_fault(self._error(status, body, context, more), fault)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return self._error(violation.status, violation.body, context)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return self._errors.window_violation(request, tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return self._error(400, self._errors.envelope_of(message), context, (("x-should-retry", "false"),))

    def _error(self, status: int, body: Any, context: ReplyContext, more: Headers = ()) -> Response:
        headers = (("content-type", self._errors.content_type(status, body)), *more)
        text = body if isinstance(body, str) else compact(body)
        return Response(status, headers, (text.encode(errors="replace"),))
