"""The cassettes that `agent-conformance record` writes: a line of JSON about the file, then one for each exchange.

A file that was cut is read up to the cut, a line is what a diff shows, and every body can be searched for its words.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.cassettes.formats import Unreadable, bytes_of, exchange_from, from_base64
from agent_conformance.cassettes.list_items import CutShort
from agent_conformance.cassettes.recorded_exchange import Place, RecordedExchange, RecordedRequest, RecordedResponse
from fake_providers.values.json_texts import read_json

VERSION = 1
MARK = "agent-conformance"


def header_line(about: Mapping[str, str]) -> str:
    """The first line. `about` says which provider and wire was recorded."""
    return _line({"cassette": MARK, "version": VERSION, **about})


def line_of(request: RecordedRequest, response: RecordedResponse) -> str:
    """One exchange as a line, with its end."""
    return _line(
        {
            "request": {
                "method": request.method,
                "url": request.url,
                "headers": dict(request.headers),
                "body": _written(request.body),
            },
            "response": {
                "status": response.status,
                "headers": dict(response.headers),
                **_written_response(response.chunks),
                **({"cut": True} if response.is_cut else {}),
            },
        }
    )


def is_line(line: str) -> bool:
    """Whether it can be read again."""
    try:
        return isinstance(read_json(line), dict)
    except ValueError:
        return False


def items_of(text: str) -> Iterator[tuple[int, Any]]:
    """Line and value of each exchange. Raises `CutShort`."""
    lines = text.split("\n")  # not `splitlines`, which ends a line within some texts too
    header = _parsed(lines[0], 1)
    if isinstance(header, dict) and header.get("version") != VERSION:
        raise CutShort(1, f"the cassette has version {header.get('version')!r}; this release reads {VERSION}.")
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            yield number, _parsed(line, number)


def exchange_of(entry: Any, place: Place) -> RecordedExchange:
    """Raises `Unreadable`."""
    request, response = (entry.get(name) if isinstance(entry, Mapping) else None for name in ("request", "response"))
    if not isinstance(request, Mapping) or not isinstance(response, Mapping):
        raise Unreadable("the line has no `request` and `response`.")
    chunks = response.get("chunks")
    exchange = exchange_from(
        method=request.get("method"),
        url=request.get("url"),
        request_headers=request.get("headers"),
        request_body=_read(request.get("body")),
        status=response.get("status"),
        response_headers=response.get("headers"),
        response_body=b"".join(map(_read, chunks)) if isinstance(chunks, list) else _read(response.get("body")),
        place=place,
    )
    return replace(exchange, response=replace(exchange.response, is_cut=response.get("cut") is True))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _parsed(line: str, number: int) -> Any:
    try:
        return read_json(line)
    except ValueError:
        raise CutShort(number, "this line is not JSON. The file was cut here, or is still being written.") from None


def _written_response(chunks: tuple[bytes, ...]) -> dict[str, Any]:
    if len(chunks) < 2:
        return {"body": _written(b"".join(chunks))}
    return {"chunks": [_written(chunk) for chunk in chunks]}


def _written(body: bytes) -> Any:
    """Text as it is, so that it is sent again byte for byte; what is no text as base64."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def _read(value: Any) -> bytes:
    if isinstance(value, Mapping) and list(value) == ["base64"]:
        return from_base64(value["base64"])
    return bytes_of(value)
