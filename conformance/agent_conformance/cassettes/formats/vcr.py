"""The cassettes of vcrpy and pytest-recording, and of their relatives in Ruby and Go, which have the same members.

LangChain's own tests have vcrpy's entries as two lists, `requests` and `responses`, packed by gzip.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.cassettes.formats import Unreadable, bytes_of, exchange_from, from_base64
from agent_conformance.cassettes.list_items import yaml_items
from agent_conformance.cassettes.recorded_exchange import Place, RecordedExchange

KEYS = ("interactions", "http_interactions")


def items_of_langchain(text: str) -> Iterator[tuple[int, Any]]:
    """Line and value of each request with its response, as an interaction of vcrpy. Raises `CutShort`."""
    requests = list(yaml_items(text, ("requests",)))
    responses = yaml_items(text, ("responses",))
    for (line, request), (_, response) in zip(requests, responses, strict=False):
        yield line, {"request": request, "response": response}


def exchange_of(entry: Any, place: Place) -> RecordedExchange:
    """Raises `Unreadable` and `CannotUnpack`."""
    request, response = (entry.get(name) if isinstance(entry, Mapping) else None for name in ("request", "response"))
    if not isinstance(request, Mapping) or not isinstance(response, Mapping):
        raise Unreadable("the entry has no `request` and `response`, as an interaction has.")
    return exchange_from(
        method=request.get("method"),
        url=request.get("uri") or request.get("url"),
        request_headers=request.get("headers"),
        request_body=_body(request),
        status=_status(response),
        response_headers=response.get("headers"),
        response_body=_body(response),
        place=place,
    )


def _status(response: Mapping[str, Any]) -> Any:
    status = response.get("status")
    if isinstance(status, Mapping):
        return status.get("code")
    return next((found for found in (response.get("status_code"), response.get("code"), status) if found), None)


def _body(side: Mapping[str, Any]) -> bytes:
    """`body: text`, `body: {string: ...}`, `body: {base64_string: ...}`, `content: ...`, or `parsed_body: {...}`."""
    if side.get("parsed_body") is not None:
        return bytes_of(side["parsed_body"])
    body = side.get("body", side.get("content"))
    if isinstance(body, Mapping):
        if "base64_string" in body:
            return from_base64(body["base64_string"])
        if "string" in body:
            return bytes_of(body["string"])
    return bytes_of(body)
