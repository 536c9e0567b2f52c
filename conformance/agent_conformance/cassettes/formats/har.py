"""HAR files, which browsers and proxies such as mitmproxy, Charles and Proxyman save."""

from collections.abc import Mapping
from typing import Any

from agent_conformance.cassettes.formats import Unreadable, bytes_of, exchange_from, from_base64
from agent_conformance.cassettes.recorded_exchange import Place, RecordedExchange

KEYS = ("entries",)


def exchange_of(entry: Any, place: Place) -> RecordedExchange:
    """Raises `Unreadable` and `CannotUnpack`."""
    request, response = (entry.get(name) if isinstance(entry, Mapping) else None for name in ("request", "response"))
    if not isinstance(request, Mapping) or not isinstance(response, Mapping):
        raise Unreadable("the entry has no `request` and `response`, as an entry of a HAR file has.")
    content = response.get("content")
    # The type of the content stands beside it too, where the headers were left out.
    kind = content.get("mimeType") if isinstance(content, Mapping) else None
    return exchange_from(
        method=request.get("method"),
        url=request.get("url"),
        request_headers=request.get("headers"),
        request_body=_text_of(request.get("postData")),
        status=response.get("status"),
        response_headers=response.get("headers") or ({"content-type": kind} if kind else {}),
        response_body=_text_of(content),
        place=place,
    )


def _text_of(content: Any) -> bytes:
    if not isinstance(content, Mapping):
        return b""
    if content.get("encoding") == "base64":
        return from_base64(content.get("text"))
    return bytes_of(content.get("text"))
