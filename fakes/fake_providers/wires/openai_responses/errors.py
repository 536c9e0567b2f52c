"""Refusals and failures of the Responses endpoint. The envelope, the key and the headers are those of chat
completions."""

from typing import Any

from fake_providers.http import Request, Response, json_response
from fake_providers.reply import Fault
from fake_providers.rule import Violation
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_shared import errors
from fake_providers.wires.openai_shared.errors import (
    answer_headers,
    common_headers,
    envelope,
    error_body,
    stopped,
    with_fault,
)
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

__all__ = ["answer_headers", "envelope", "fail", "missing_key", "refuse", "stopped", "too_long", "with_fault"]

CHECKED = "2026-11-20"
MISSING_KEY = missing_key_rule("openai/responses-missing-key", checked=CHECKED, verbatim=errors.KEY_QUOTED)
CONTEXT_LENGTH = context_length_rule(
    "openai/responses-context-length",
    recorded={"recording, gpt-5-nano": "Your input exceeds the context window of this model."},
    checked=CHECKED,
)
FLAGGED = (
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a "
    "different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting"
)
"""A 400 that can happen to any request, as quoted in threads of openai/codex."""


def missing_key(request: Request) -> Violation | None:
    return errors.missing_key(request, MISSING_KEY)


def too_long() -> Violation:
    message = "Your input exceeds the context window of this model. Please adjust your input and try again."
    body = error_body(message, param="input", code="context_length_exceeded")
    return Violation(CONTEXT_LENGTH.id, 400, body, message, "input", CONTEXT_LENGTH.confidence)


def refuse(violation: Violation, context: ReplyContext) -> Response:
    return json_response(violation.status, violation.body, common_headers(context))


def fail(fault: Fault, context: ReplyContext) -> Response:
    return errors.fail(fault, context, body_for=failure_body, limited=(200, 429), charset_for=())


def failure_body(status: int, context: ReplyContext, *, retry_after: float | None = None) -> dict[str, Any]:
    """The endpoint's body for this status; 500 and 404 have the sentences of recorded responses."""
    if status == 400:
        return error_body(FLAGGED, code="invalid_prompt")
    if status == 404:
        return error_body(f"Model not found {model_of(body_of(context.request))}", param="model")
    if status >= 500 and status != 503:
        request_id = context.ids.make("req_", 32, "0123456789abcdef")
        message = (
            "An error occurred while processing your request. You can retry your request, or contact us through our "
            f"help center at help.openai.com if the error persists. Please include the request ID {request_id} in your "
            "message."
        )
        return error_body(message, kind="server_error", code="server_error")
    return errors.failure_body(status, context, retry_after=retry_after)


def error_of(error: str, context: ReplyContext) -> dict[str, Any]:
    """The `error` of an event in a stream: the message of a status (`"500"`), or the scripted message."""
    if error.isdecimal():
        body: dict[str, Any] = failure_body(int(error), context)["error"]
        return {**body, "code": body["code"] or "server_error"}
    server_error: dict[str, Any] = error_body(error, kind="server_error", code="server_error")["error"]
    return server_error
