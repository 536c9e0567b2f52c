"""The error responses of a provider on OpenAI's wires: missing key, broken rule, window, scripted fault."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from fake_providers import remedies
from fake_providers.http import Request, Response, compact
from fake_providers.replies.documents import ByStatus, Failure
from fake_providers.reply import Fault
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Quotes, bodiless_rule
from fake_providers.wire import ReplyContext, ServedModels
from fake_providers.wires.openai_shared import other_endpoints
from fake_providers.wires.openai_shared.errors import masked, with_fault
from fake_providers.wires.openai_shared.other_endpoints import models_response
from fake_providers.wires.openai_shared.request_body import body_of, event, model_of

Headers = tuple[tuple[str, str], ...]


def bearer(request: Request) -> str:
    """The key in the Authorization header, or ""."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def missing_key_rule(id: str, *, status: int = 401, checked: str = "", **evidence: Quotes) -> Rule:
    why = "The request has no key in its Authorization header."
    return bodiless_rule(id, status, why, remedies.KEY, models="all", checked=checked, **evidence)


def context_length_rule(id: str, *, status: int = 400, checked: str = "", **evidence: Quotes) -> Rule:
    why = "The conversation is longer than the model's context window."
    return bodiless_rule(id, status, why, remedies.SHORTEN, models="all", checked=checked, **evidence)


Says = str | Failure | Callable[[int, ReplyContext, float | None], Any]
"""A sentence, one with more, or a function that makes the body from the status and the seconds to wait."""


class Errors(Struct, frozen=True):
    """How a provider refuses and fails: in which `envelope`, and in which words.

    `failures` has by status what it says when it fails (`Says`), with `{model}`, `{key}`, `{key_end}`, `{wait}` and
    `{seconds}` in it; `too_long` what it says to a conversation of
    `{tokens}` in a `{window}`, or a function of the two that makes the message and the body. `missing_key` is None for
    a server that needs no key, and without `no_key` it says the same as to a wrong key. `content_type` is the content
    type of an error, `stream_error` the error in the middle of a stream. `limits` are the headers of a 429. `in_stream`
    is the event by which a request for a stream is refused under a 200, None where the refusal has a status. `path` is
    the place that is reported for a conversation beyond the window.
    """

    envelope: Callable[..., Any]
    failures: ByStatus
    window: Rule
    too_long: str | Failure | Callable[[int, int], tuple[str, Any]]
    missing_key: Rule | None = None
    no_key: str | Failure | None = None
    key: Callable[[Request], str] = bearer
    key_path: str = "headers.authorization"
    content_type: Callable[[int, Any], str] = lambda status, body: "application/json"
    stream_error: Callable[[Any, ReplyContext], bytes] = lambda body, context: event(body)
    limits: Mapping[str, str] | None = None
    in_stream: Callable[[Violation], bytes | None] = lambda violation: None
    path: str = "messages"
    model: Callable[[Request], str] = lambda request: model_of(body_of(request))

    def failure(self, status: int, context: ReplyContext, retry_after: float | None) -> Any:
        """The body for a scripted fault with a status, JSON or text."""
        said: Says = self.failures.of(status)
        if not isinstance(said, str | Failure):
            return said(status, context, retry_after)
        said = said if isinstance(said, Failure) else Failure(said)
        if said.body is not None:
            return said.body
        wait = retry_after or said.wait
        sentence = said.sentence.format(
            model=self.model(context.request),
            key=masked(bearer(context.request)),
            key_end=context.request.headers.get("authorization", "")[-4:],
            wait=wait,
            seconds=max(1, round(wait)),
        )
        return self.envelope(sentence, **{"status": status, **said.members})

    def missing_key_violation(self, request: Request) -> Violation | None:
        rule = self.missing_key
        if rule is None or self.key(request):
            return None
        said = self.failures.of(401) if self.no_key is None else self.no_key
        said = said if isinstance(said, Failure) else Failure(said)
        body = self.envelope(said.sentence, **{"status": 401, **said.members}) if said.body is None else said.body
        return Violation(rule.id, rule.status, body, said.sentence, self.key_path, rule.confidence)

    def window_violation(self, request: Request, *, tokens: int, window: int) -> Violation:
        if isinstance(self.too_long, str | Failure):
            said = self.too_long if isinstance(self.too_long, Failure) else Failure(self.too_long)
            message = said.sentence.format(tokens=tokens, window=window)
            body = self.envelope(message, tokens=tokens, window=window, **said.members)
        else:
            message, body = self.too_long(tokens, window)
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
        return other_endpoints.embeddings_response(request, served.provider, self._errors.envelope)

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
        body = body_of(context.request)
        if isinstance(body, dict) and body.get("stream") is True:
            refusal = self._errors.in_stream(violation)
            if refusal is not None:
                return Response(200, (("content-type", "text/event-stream;charset=UTF-8"),), (refusal,))
        return self._error(violation.status, violation.body, context)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return self._errors.window_violation(request, tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return self._error(400, self._errors.envelope(message), context, (("x-should-retry", "false"),))

    def _error(self, status: int, body: Any, context: ReplyContext, more: Headers = ()) -> Response:
        headers = (("content-type", self._errors.content_type(status, body)), *more)
        text = body if isinstance(body, str) else compact(body)
        return Response(status, headers, (text.encode(errors="replace"),))
