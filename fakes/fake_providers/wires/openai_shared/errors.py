"""Refusals and failures that OpenAI's endpoints share: envelope, error messages, headers."""

from collections.abc import Collection
from typing import Any, Protocol

from fake_providers.http import Request, Response, json_response
from fake_providers.replies import transport_faults
from fake_providers.replies.transport_faults import retry_headers, scripted_text
from fake_providers.reply import Fault
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_shared.request_body import body_of, model_of

HELP = "You can retry your request, or contact us through our help center at help.openai.com if the error persists."


NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth "
    "(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API "
    "from your browser and are prompted for a username and password. You can obtain an API key from "
    "https://platform.openai.com/account/api-keys."
)


KEY_QUOTED = {"openai/openai-python#1434": "You didn't provide an API key."}


QUOTA = {
    "error": {
        "message": "You exceeded your current quota, please check your plan and billing details. For more information "
        "on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
"""The other 429, for which a retry is pointless: quoted by users, not recorded."""


GATEWAYS = {502: "Bad Gateway", 504: "Gateway Time-out", 520: "Web server is returning an unknown error"}
"""Statuses that the proxy in front of the API sends, with an HTML page."""


PROXY = "upstream connect error or disconnect/reset before headers. reset reason: connection termination"
"""The plain text of a 503, recorded on both endpoints; the API itself sends a sentence in JSON."""


class FailureBody(Protocol):
    """Makes the body of a failure with a status, for one endpoint."""

    def __call__(self, status: int, context: ReplyContext, *, retry_after: float | None = None) -> dict[str, Any]: ...


def envelope(_rule: Rule, breach: Breach, _context: RequestContext) -> dict[str, Any]:
    return error_body(breach.message, param=breach.extra.get("param"), code=breach.extra.get("code"))


def error_body(
    message: str, *, kind: str = "invalid_request_error", param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def missing_key(request: Request, rule: Rule) -> Violation | None:
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and key.strip():
        return None
    return Violation(rule.id, rule.status, error_body(NO_KEY), NO_KEY, "headers.authorization", rule.confidence)


def stopped(message: str, context: ReplyContext) -> Response:
    return json_response(400, error_body(message), (*common_headers(context), ("x-should-retry", "false")))


def fail(
    fault: Fault,
    context: ReplyContext,
    *,
    body_for: FailureBody,
    limited: Collection[int],
    charset_for: Collection[int],
) -> Response:
    """The response to a fault with a status: OpenAI's own body and headers, or the scripted ones.

    `body_for` makes the endpoint's bodies; the statuses in `limited` have rate limit headers, those in `charset_for` a
    charset.
    """
    status = fault.status or 200
    limits = limit_headers(status) if status in limited else ()
    headers = [*common_headers(context), *limits, *retry_headers(fault.retry_after)]
    if fault.body is not None:
        response = _scripted(status, fault.body, headers)
    elif status in GATEWAYS:
        response = Response(status, (("content-type", "text/html"), *headers), (_page(status).encode(),))
    elif status == 503:
        response = Response(status, (("content-type", "text/plain"), *headers), (PROXY.encode(),))
    else:
        body = body_for(status, context, retry_after=fault.retry_after)
        response = json_response(status, QUOTA if fault.code == "insufficient_quota" else body, headers)
        response = with_charset(response) if status in charset_for else response
    return with_fault(response, fault)


def with_fault(response: Response, fault: Fault) -> Response:
    """The response with the fault's content type, and cut if the fault says so: a body of several chunks is a
    stream."""
    return transport_faults.with_fault(response, fault, stream=len(response.chunks) > 1)


def with_charset(response: Response) -> Response:
    return response.of_type("application/json; charset=utf-8")


def failure_body(status: int, context: ReplyContext, *, retry_after: float | None = None) -> dict[str, Any]:
    """OpenAI's body for this status."""
    body = body_of(context.request)
    model = model_of(body)
    if status == 400:
        # the one recorded 400 that depends on the model's output and so can happen to any request
        return error_body(
            "Could not finish the message because max_tokens or model output limit was reached. "
            "Please try again with higher max_tokens."
        )
    if status == 401:
        key = masked(context.request.headers.get("authorization", "").partition(" ")[2])
        where = "You can find your API key at https://platform.openai.com/account/api-keys."
        return error_body(f"Incorrect API key provided: {key}. {where}", code="invalid_api_key")
    if status == 403:
        return error_body("You are not allowed to sample from this model")
    if status == 404:
        message = f"The model `{model}` does not exist or you do not have access to it."
        return error_body(message, code="model_not_found")
    if status == 408:
        return error_body("Request timed out.", kind="server_error")
    if status == 429:
        return error_body(_rate_limit(model, retry_after), kind="tokens", code="rate_limit_exceeded")
    if status == 503:
        return error_body(f"That model is currently overloaded with other requests. {HELP}", kind="server_error")
    if status >= 500:
        message = f"The server had an error while processing your request. Sorry about that! {HELP}"
        return error_body(message, kind="server_error")
    return error_body("The request could not be processed.")


def answer_headers(context: ReplyContext) -> tuple[tuple[str, str], ...]:
    """The headers of a reply: the rate limits too, as with a refusal by the engine."""
    return (*common_headers(context), *limit_headers(200))


def common_headers(context: ReplyContext) -> tuple[tuple[str, str], ...]:
    return (
        ("x-request-id", context.ids.make("req_", 32, "0123456789abcdef")),
        ("openai-version", "2020-10-01"),
        ("openai-processing-ms", "12"),
    )


def masked(key: str) -> str:
    """The key as OpenAI repeats it: complete up to 12 characters, else the first 8, stars and the last 4."""
    return key if len(key) <= 12 else f"{key[:8]}{'*' * (len(key) - 12)}{key[-4:]}"


def _rate_limit(model: str, retry_after: float | None) -> str:
    wait = f"{(retry_after or 0.02) * 1000:g}ms" if (retry_after or 0) < 1 else f"{retry_after:g}s"
    return (
        f"Rate limit reached for {model} in organization org-conformance on tokens per min (TPM): Limit 30000, Used "
        f"29000, Requested 5000. Please try again in {wait}. Visit https://platform.openai.com/account/rate-limits to "
        "learn more."
    )


def limit_headers(status: int) -> tuple[tuple[str, str], ...]:
    return (
        ("x-ratelimit-limit-requests", "500"),
        ("x-ratelimit-limit-tokens", "30000"),
        ("x-ratelimit-remaining-requests", "499"),
        ("x-ratelimit-remaining-tokens", "0" if status == 429 else "29990"),
        ("x-ratelimit-reset-requests", "120ms"),
        ("x-ratelimit-reset-tokens", "20ms"),
    )


def _scripted(status: int, body: Any, headers: list[tuple[str, str]]) -> Response:
    if isinstance(body, str):
        return scripted_text(status, body, headers)
    return json_response(status, body, headers)


def _page(status: int) -> str:
    title = f"{status} {GATEWAYS[status]}"
    return (
        f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n"
        "<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n"
    )
