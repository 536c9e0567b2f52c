"""Gemini's `generateContent` and `streamGenerateContent`, as the Developer API and Vertex AI serve them.

Both providers accept both paths. Knows no scenario.
"""

from fakes.http import Request, Response
from fakes.ids import Ids
from fakes.models import traits
from fakes.reply import Fault, Reply
from fakes.rule import Rule, Violation
from fakes.rulebook import RequestContext
from fakes.view import View
from fakes.wire import ReplyContext, Route
from fakes.wires.gemini_generate import errors, scripted_faults, vertex
from fakes.wires.gemini_generate.field_violation import FieldViolation
from fakes.wires.gemini_generate.request import has_key, is_vertex, parsed, route, view
from fakes.wires.gemini_generate.request_validator import validate
from fakes.wires.gemini_generate.response import call_id, encode
from fakes.wires.gemini_generate.rules import BOOK, Payload
from fakes.wires.gemini_generate.rules.whole_request import INPUT_TOO_LONG, MISSING_CREDENTIAL, MISSING_KEY


class GeminiGenerate:
    """Implements `fakes.wire.Wire`."""

    name = "gemini-generate"
    providers: tuple[str, ...] = ("gemini", "vertex")
    rules: tuple[Rule, ...] = (MISSING_KEY, MISSING_CREDENTIAL, *BOOK.rules, INPUT_TOO_LONG)
    base_path = ""

    def route(self, request: Request) -> Route | None:
        return route(request)

    def missing_key(self, request: Request) -> Violation | None:
        """The Developer API refuses a request without a key with 403, not 401. Vertex AI, recognised by the path,
        refuses it with 401."""
        if has_key(request):
            return None
        if is_vertex(request):
            body = errors.in_envelope(request, vertex.status_body(401, request))
            rule = MISSING_CREDENTIAL
            return Violation(rule.id, rule.status, body, vertex.NO_CREDENTIAL, "authorization", rule.confidence)
        return _violation(MISSING_KEY, request, errors.NO_KEY, at="x-goog-api-key")

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        target = route(request) or Route("", False)
        body = parsed(request)
        context = RequestContext(
            body=Payload(body.value, body.mismatches or _validator_findings(body.value, provider)),
            headers=request.headers,
            model=target.model,
            traits=traits(self.name, target.model),
            stream=target.stream,
            provider=provider,
        )
        violation = BOOK.judge(context)
        if violation is None or not errors.is_array(request):
            return violation
        return _with_body(violation, [violation.body])

    def view(self, request: Request) -> View:
        return view(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return scripted_faults.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.send(context.request, violation.status, violation.body)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        """The refusal with the recorded sentence; an older sentence has both numbers."""
        message = f"The input token count exceeds the maximum number of tokens allowed ({window})."
        return _violation(INPUT_TOO_LONG, request, message, at="contents")

    def stopped(self, message: str, context: ReplyContext) -> Response:
        body = errors.in_envelope(context.request, errors.error_body(400, message))
        return errors.send(context.request, 400, body, [("x-should-retry", "false")])


def _validator_findings(value: object, provider: str) -> tuple[FieldViolation, ...]:
    """Vertex AI does not have this validator: it reports one thing at a time, by rules of its own."""
    return () if provider == "vertex" else validate(value)


def _violation(rule: Rule, request: Request, message: str, *, at: str) -> Violation:
    body = errors.in_envelope(request, errors.error_body(rule.status, message))
    return Violation(rule.id, rule.status, body, message, at, rule.confidence)


def _with_body(violation: Violation, body: list[object]) -> Violation:
    return Violation(violation.rule, violation.status, body, violation.message, violation.at, violation.confidence)


WIRE = GeminiGenerate()
