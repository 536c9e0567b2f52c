"""Refusals and failures in Anthropic's envelope, with its headers. Knows no rule and no reply.

Envelopes, sentences and headers are those of recorded exchanges of 2025 and 2026, where there is one for the status.
"""

import hashlib
from typing import Any

from fakes.http import Response, compact, json_response
from fakes.ids import Ids
from fakes.reply import Fault
from fakes.rule import Rule, Violation
from fakes.rulebook import Breach, RequestContext

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
"""The type and the sentence by which the provider reports each status."""

PROXY = "upstream connect error or disconnect/reset before headers. reset reason: connection termination"
"""What comes as plain text with a 502 or a 503, from a proxy in front of the API."""

LIMITS = (("requests", 4000), ("input-tokens", 400000), ("output-tokens", 80000), ("tokens", 480000))
RESET = "2026-11-20T12:00:00Z"


def envelope(rule: Rule, breach: Breach, context: RequestContext) -> Any:
    """The body of a refusal. Its request id follows from the request, so that judging stays a pure function."""
    digest = hashlib.sha256(repr(context.body).encode(errors="replace")).hexdigest()
    return error_body(rule.status, breach.message, f"req_011C{digest[:20]}")


def error_body(status: int, message: str, request_id: str) -> dict[str, Any]:
    kind = KINDS.get(status, KINDS[500 if status >= 500 else 400])[0]
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def request_id(ids: Ids) -> str:
    return ids.make("req_011C", 20)


def headers(made_id: str, *, used: bool = True) -> list[tuple[str, str]]:
    """What comes with every answer; `used` adds the rate limits, which refusals and failures leave out."""
    limits: list[tuple[str, str]] = []
    for name, limit in LIMITS if used else ():
        remaining = limit - 1 if name == "requests" else limit
        limits += [
            (f"anthropic-ratelimit-{name}-limit", str(limit)),
            (f"anthropic-ratelimit-{name}-remaining", str(remaining)),
            (f"anthropic-ratelimit-{name}-reset", RESET),
        ]
    return [("request-id", made_id), *limits]


def refuse(violation: Violation) -> Response:
    """The violation with the headers of a refusal, which says that it is no use asking again."""
    own = violation.body.get("request_id", "") if isinstance(violation.body, dict) else ""
    return json_response(violation.status, violation.body, [*headers(own, used=False), ("x-should-retry", "false")])


def stopped(message: str, ids: Ids) -> Response:
    made_id = request_id(ids)
    body = error_body(400, message, made_id)
    return json_response(400, body, [*headers(made_id, used=False), ("x-should-retry", "false")])


def fail(fault: Fault, ids: Ids) -> Response:
    """The provider's answer for `fault.status`, or `fault.body` in its place, as JSON unless it is text."""
    status = fault.status if fault.status is not None else 200
    made_id = request_id(ids)
    more = [*headers(made_id, used=status in (200, 429)), *_retrying(status, fault.retry_after)]
    body: Any = fault.body
    content_type = "application/json"
    if body is None and status in (502, 503):
        body, content_type = PROXY, "text/plain"
    elif body is None:
        kind = KINDS.get(status, KINDS[500 if status >= 500 else 400])
        body = error_body(status, kind[1], made_id)
        if status == 529:  # recorded without
            del body["request_id"]
    if isinstance(body, str) and body is not PROXY:
        content_type = "text/html; charset=UTF-8" if body.lstrip().startswith("<") else "text/plain"
    raw = body if isinstance(body, str) else compact(body)
    response = Response(
        status,
        (("content-type", fault.content_type or content_type), *more),
        (raw.encode(errors="replace"),),
    )
    return cut_in_the_middle(response) if fault.cut_after is not None else response


def cut_in_the_middle(response: Response) -> Response:
    """The first half of the body, under a content length that promises all of it."""
    whole = response.body
    told = (*response.headers, ("content-length", str(len(whole))))
    return Response(response.status, told, (whole[: len(whole) // 2],), cut=True)


def error_event(error: str) -> bytes:
    """The event that breaks off a stream of status 200. `error` is a status, a type of error, or a message."""
    by_type = dict(KINDS.values())
    if error.isdigit():
        kind, message = KINDS.get(int(error), KINDS[500])
    elif error in by_type:
        kind, message = error, by_type[error]
    else:
        kind, message = "api_error", error
    data = {"type": "error", "error": {"details": None, "type": kind, "message": message}}
    return f"event: error\ndata: {compact(data)}\n\n".encode(errors="replace")


def _retrying(status: int, retry_after: float | None) -> list[tuple[str, str]]:
    """`retry-after: 0` is ignored by SDKs, so no wait is told in milliseconds. Recorded 429s and 529s ask for a retry,
    recorded refusals do not; of other failures too little is recorded to say either."""
    told: list[tuple[str, str]] = []
    if status in (429, 529):
        told.append(("x-should-retry", "true"))
    elif 400 <= status < 500 and status not in (408, 409):
        told.append(("x-should-retry", "false"))
    if retry_after is None:
        return told
    if retry_after < 1:
        return [*told, ("retry-after-ms", str(max(1, round(retry_after * 1000))))]
    return [*told, ("retry-after", f"{retry_after:g}")]
