"""The refusals and failures of chat completions, as far as other endpoints differ."""

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.reply import Fault
from fake_providers.rule import Violation
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_shared import errors
from fake_providers.wires.openai_shared.errors import (
    common_headers,
    error_body,
    failure_body,
    limit_headers,
    with_charset,
)
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule

LIMITED = (200, 400, 429)
"""Statuses with rate limit headers."""
BEFORE_THE_MODEL = (401, 403, 404, 429)
"""Statuses of the gateway: on chat completions they have a charset (recorded), responses of the engine have none."""

CHECKED = "2026-11-20"
MISSING_KEY = missing_key_rule("openai/missing-key", checked=CHECKED, verbatim=errors.KEY_QUOTED)
CONTEXT_LENGTH = context_length_rule(
    "openai/context-length",
    recorded={"recording, gpt-4o-mini": "maximum context length is 128000 tokens"},
    checked=CHECKED,
)


def too_long(*, tokens: int, window: int) -> Violation:
    message = (
        f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens. "
        "Please reduce the length of the messages."
    )
    body = error_body(message, param="messages", code="context_length_exceeded")
    return Violation(CONTEXT_LENGTH.id, 400, body, message, "messages", CONTEXT_LENGTH.confidence)


def refuse(violation: Violation, context: ReplyContext) -> Response:
    """The violation as a response: refusals by the engine have rate limits, those by the gateway a charset."""
    limits = limit_headers(violation.status) if violation.status in LIMITED else ()
    response = json_response(violation.status, violation.body, (*common_headers(context), *limits))
    return with_charset(response) if violation.status in BEFORE_THE_MODEL else response


def fail(fault: Fault, context: ReplyContext) -> Response:
    return errors.fail(fault, context, body_for=failure_body, limited=LIMITED, charset_for=BEFORE_THE_MODEL)


def missing_key(request: Request) -> Violation | None:
    return errors.missing_key(request, MISSING_KEY)


def error_event(error: str, context: ReplyContext) -> bytes:
    """The error event of a stream: the message of a status (`"500"`), or the scripted message."""
    body = failure_body(int(error), context) if error.isdecimal() else error_body(error, kind="server_error")
    return f"data: {compact(body)}\n\n".encode(errors=AS_ESCAPE)
