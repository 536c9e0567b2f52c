"""The error responses of a provider on OpenAI's wires: missing key, broken rule, window, scripted fault."""

import math
from typing import Any

from fakes.http import Request, Response, compact
from fakes.reply import Fault
from fakes.rule import Violation
from fakes.wire import ReplyContext
from fakes.wires.openai_chat.errors import with_fault
from fakes.wires.openai_chat.provider import Errors, Headers


class ErrorResponses:
    """The half of `fakes.wire.Wire` that is the same on both wires: the envelopes and headers of `errors`."""

    def __init__(self, errors: Errors) -> None:
        self._errors = errors

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
