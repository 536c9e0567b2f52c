"""Google's error bodies: envelope, the message of each status, quotas."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from fake_providers.http import Request, Response, json_response
from fake_providers.wires.gemini_generate.request import wants_events

QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "head to: https://ai.google.dev/gemini-api/docs/rate-limits."
)
METRIC = "generativelanguage.googleapis.com/generate_content_free_tier_requests"


def quota_message(model: str, seconds: float | None) -> str:
    """With the quota and the delay, which many clients find in this text. It is quoted in
    https://github.com/browserbase/mcp-server-browserbase/issues/129 and https://github.com/diegosouzapw/OmniRoute/issues/9504
    """
    usage = "To monitor your current usage, head to: https://ai.dev/rate-limit."
    lines = [f"{QUOTA} {usage} ", f"* Quota exceeded for metric: {METRIC}, limit: 20, model: {model}"]
    if seconds is not None:
        lines.append(f"Please retry in {_duration(seconds)}.")
    return "\n".join(lines)


def quota_details(model: str) -> list[Any]:
    return [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [
                {
                    "quotaMetric": METRIC,
                    "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                    "quotaDimensions": {"location": "global", "model": model},
                }
            ],
        },
        {
            "@type": "type.googleapis.com/google.rpc.Help",
            "links": [
                {
                    "description": "Learn more about Gemini API quotas",
                    "url": "https://ai.google.dev/gemini-api/docs/rate-limits",
                }
            ],
        },
    ]


def retry_info(seconds: float | None) -> list[Any]:
    if seconds is None:
        return []
    return [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{_decimal(seconds)}s"}]


def _duration(seconds: float) -> str:
    """As Go prints a duration: `1m30s`, `8.3s`, `250ms`, `0s`."""
    if 0 < seconds < 1:
        return f"{_decimal(seconds * 1000)}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    whole = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{whole}{_decimal(rest)}s"


def _decimal(number: float) -> str:
    """At most nine digits behind the point, and no zeros at their end."""
    return f"{number:.9f}".rstrip("0").rstrip(".")


JSON = "application/json; charset=UTF-8"
EVENTS = "text/event-stream"

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""The `google.rpc.Code` of each status; others are `UNKNOWN`."""

NO_KEY = (
    "Method doesn't allow unregistered callers (callers without established identity). "
    "Please use API Key or other form of API consumer identity to call this API."
)
NO_CREDENTIAL = (
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
SENTENCES = {
    400: "Request contains an invalid argument.",
    401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.",
    403: NO_KEY,
    404: "Requested entity was not found.",
    409: "The operation was aborted.",
    499: "The operation was cancelled.",
    500: "An internal error has occurred. Please retry or report in "
    "https://developers.generativeai.google/guide/troubleshooting",
    503: "This model is currently experiencing high demand. Spikes in demand are usually temporary. "
    "Please try again later.",
    504: "Deadline expired before operation could complete.",
}
"""The sentences of 400, 500 and 503 are recorded; 403 and 504 are quoted by users. `quota_message` has that of 429."""


def error_body(status: int, message: str, details: Sequence[Any] = ()) -> dict[str, Any]:
    error: dict[str, Any] = {"code": status, "message": message, "status": STATUSES.get(status, "UNKNOWN")}
    if details:
        error["details"] = list(details)
    return {"error": error}


def bad_request_detail(violations: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The detail `BadRequest`, from fields and descriptions; a violation of the root has no field."""
    listed = [{"field": field, "description": text} if field else {"description": text} for field, text in violations]
    return {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": listed}


def status_body(status: int, *, model: str, retry_after: float | None = None) -> dict[str, Any]:
    """Google's body for this status. There is no `retry-after` header: the delay is in `RetryInfo`, and in the message
    of a quota."""
    if status == 429:
        details = [*quota_details(model), *retry_info(retry_after)]
        return error_body(status, quota_message(model, retry_after), details)
    return error_body(status, SENTENCES.get(status, "Unknown Error."), retry_info(retry_after))


def missing_credential(request: Request) -> list[Any]:
    """The detail of a request to Vertex AI's path without credentials."""
    path = unquote(request.path.partition("?")[0])
    version = path.strip("/").partition("/")[0]
    verb = path.rpartition(":")[2]
    method = f"google.cloud.aiplatform.{version}.PredictionService.{verb[:1].upper()}{verb[1:]}"
    return [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "CREDENTIALS_MISSING",
            "domain": "googleapis.com",
            "metadata": {"method": method, "service": "aiplatform.googleapis.com"},
        }
    ]


def is_array(request: Request) -> bool:
    """Whether the chunks and errors of this request come in a JSON array."""
    return "streamGenerateContent" in request.path and not wants_events(request)


def in_envelope(request: Request, body: Any) -> Any:
    return [body] if is_array(request) else body


def send(request: Request, status: int, body: Any, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """An error with its status: a JSON body, which has the content type of an event stream if the request wants one
    (recorded)."""
    events = "streamGenerateContent" in request.path and wants_events(request)
    response = json_response(status, body)
    return Response(status, (("content-type", EVENTS if events else JSON), *headers), response.chunks)
