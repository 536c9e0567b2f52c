"""Refusals and failures in Anthropic's error envelope, with its headers.

Envelopes, sentences and headers are copied from responses recorded in 2025 and 2026, where one exists for the status.
"""

import hashlib
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.replies.transport_faults import failed_as, retry_in_one_unit
from fake_providers.reply import Fault
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext

TEXT_TYPES: Final = ("text/html; charset=UTF-8", "text/plain")
KINDS: dict[int, tuple[str, str]] = {
    400: ("invalid_request_error", "Error"),
    401: ("authentication_error", "invalid x-api-key"),
    402: ("billing_error", "Your credit balance is too low to access the Anthropic API."),
    403: ("permission_error", "Request not allowed"),
    404: ("not_found_error", "Not found"),
    408: ("timeout_error", "Request timed out"),
    409: ("conflict_error", "Conflict"),
    413: ("request_too_large", "Request exceeds the maximum allowed number of bytes."),
    429: (
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 450,000 input tokens per minute. For details, "
        "refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. "
        "Please reduce the prompt length or the maximum tokens requested, or try again later. You may also contact "
        "sales at https://www.anthropic.com/contact-sales to discuss your options for a rate limit increase.",
    ),
    500: ("api_error", "Internal server error"),
    504: ("timeout_error", "Request timed out"),
    529: ("overloaded_error", "Overloaded"),
}
"""The error type and the message that the provider sends with each status."""

PROXY = "upstream connect error or disconnect/reset before headers. reset reason: connection termination"
"""The plain text of a 502 or 503, sent by a proxy in front of the API."""

LIMITS = (("requests", 4000), ("input-tokens", 400000), ("output-tokens", 80000), ("tokens", 480000))
RESET = "2026-11-20T12:00:00Z"
RATE_LIMITS = tuple(
    (f"anthropic-ratelimit-{name}-{what}", value)
    for name, limit in LIMITS
    for what, value in (
        ("limit", str(limit)),
        ("remaining", str(limit - 1 if name == "requests" else limit)),
        ("reset", RESET),
    )
)
"""The headers."""


def envelope(rule: Rule, breach: Breach, context: RequestContext) -> Any:
    """The body of a refusal. Its request id is computed from the request, so that judging stays a pure function."""
    digest = hashlib.sha256(_text_of(context.body).encode(errors="replace")).hexdigest()
    return error_body(rule.status, breach.message, f"req_011C{digest[:20]}")


def _text_of(body: Any) -> str:
    """Empty for a body that is nested deeper than Python goes."""
    try:
        return repr(body)
    except RecursionError:
        return ""


def error_body(status: int, message: str, request_id: str) -> dict[str, Any]:
    kind = KINDS.get(status, KINDS[500 if status >= 500 else 400])[0]
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


ORGANIZATION: Final = ("anthropic-organization-id", "c0f0c0f0-0000-4000-8000-000000000000")


def new_request_id(ids: Ids) -> str:
    return ids.make("req_011C", 20)


def headers(request_id: str, *, rate_limits: bool = True) -> list[tuple[str, str]]:
    """The headers of every response. `rate_limits` adds the rate limits and the account, which refusals and most
    failures do not have."""
    return [("request-id", request_id), *((*RATE_LIMITS, ORGANIZATION) if rate_limits else ())]


def refuse(violation: Violation) -> Response:
    """The violation with the headers of a refusal, which say that a retry is pointless."""
    own = violation.body.get("request_id", "") if isinstance(violation.body, dict) else ""
    return json_response(
        violation.status, violation.body, [*headers(own, rate_limits=False), ("x-should-retry", "false")]
    )


def stopped(message: str, ids: Ids) -> Response:
    request_id = new_request_id(ids)
    body = error_body(400, message, request_id)
    return json_response(400, body, [*headers(request_id, rate_limits=False), ("x-should-retry", "false")])


def fail(fault: Fault, ids: Ids) -> Response:
    """The provider's response for `fault.status`, or `fault.body` instead of it, as JSON unless it is text."""
    status = fault.status if fault.status is not None else 200
    request_id = new_request_id(ids)
    more = [*headers(request_id, rate_limits=status in (200, 429)), *_retry_headers(status, fault.retry_after)]
    body: Any = fault.body
    if body is None and status in (502, 503):
        body = PROXY
    elif body is None:
        kind = KINDS.get(status, KINDS[500 if status >= 500 else 400])
        body = error_body(status, kind[1], request_id)
        if status == 529:  # the recorded 529 has none
            del body["request_id"]
    return failed_as(fault, body, TEXT_TYPES, more)


def error_event(error: str) -> bytes:
    """The event that aborts a stream of status 200. `error` is a status, an error type or a message."""
    by_type = dict(KINDS.values())
    if error.isdigit():
        kind, message = KINDS.get(int(error), KINDS[500])
    elif error in by_type:
        kind, message = error, by_type[error]
    else:
        kind, message = "api_error", error
    data = {"type": "error", "error": {"details": None, "type": kind, "message": message}}
    return f"event: error\ndata: {compact(data)}\n\n".encode(errors=AS_ESCAPE)


def _retry_headers(status: int, retry_after: float | None) -> list[tuple[str, str]]:
    """The recorded 429s and 529s ask for a retry, the recorded refusals ask for none; too few other failures are
    recorded to send either."""
    retry: list[tuple[str, str]] = []
    if status in (429, 529):
        retry.append(("x-should-retry", "true"))
    elif 400 <= status < 500 and status not in (408, 409):
        retry.append(("x-should-retry", "false"))
    return [*retry, *retry_in_one_unit(retry_after)]
