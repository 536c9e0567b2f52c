"""Real faults by name, for scripts: `faults={2: FAULTS["reset"]}`.

The body and headers of a status are in the `errors` of each wire; faults of the connection are in
`fake_providers.replies.transport_faults`.
"""

from collections.abc import Mapping

from fake_providers.reply import Fault

PAGE = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
)
"""What nginx says when what stands behind it does not answer; other proxies say it in their words."""

FAULTS: Mapping[str, Fault] = {
    "rate-limit": Fault(status=429, retry_after=0),
    "quota": Fault(status=429, code="insufficient_quota"),
    "request-timeout": Fault(status=408),
    "failed": Fault(status=500),
    "bad-gateway": Fault(status=502),
    "unavailable": Fault(status=503),
    "gateway-timeout": Fault(status=504),
    "overloaded": Fault(status=529),
    "page-of-a-proxy": Fault(status=502, body=PAGE),
    "page-under-200": Fault(body=PAGE),
    "empty-body": Fault(body=""),
    "wrong-content-type": Fault(content_type="text/plain; charset=utf-8"),
    "error-event": Fault(error_event="503"),
    "reset": Fault(connection="reset"),
    "reset-midway": Fault(cut_at=200, connection="reset"),
    "closed": Fault(connection="closed"),
    "closed-midway": Fault(cut_at=200),
    "silent": Fault(connection="silent"),
    "silent-midway": Fault(cut_at=200, connection="silent"),
    "half-an-event": Fault(ends="in-an-event"),
    "no-finish": Fault(ends="before-the-finish"),
    "no-terminator": Fault(ends="before-the-terminator"),
    "single-bytes": Fault(noise=("single-bytes",)),
    "crlf": Fault(noise=("crlf",)),
    "no-blank": Fault(noise=("no-blank",)),
    "comments": Fault(noise=("comments",)),
    "pings": Fault(noise=("pings",)),
    "unknown-events": Fault(noise=("unknown-events",)),
}
"""An overload is 529 of Anthropic and 503 elsewhere. Where a body has fewer than 200 bytes, `-midway` is its end."""
