"""The formats of cassettes, one module each: an entry of the file in, a recorded exchange out.

Here is what each of them needs: bodies as bytes, headers of any shape, and no keys in either.
"""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any

from agent_conformance.cassettes.bodies import chunks_of, headers_without_keys, unpacked, url_without_keys
from agent_conformance.cassettes.recorded_exchange import Place, RecordedExchange, RecordedRequest, RecordedResponse


class Unreadable(ValueError):
    """An entry lacks what an exchange needs. The message says what was expected."""


def exchange_from(
    *,
    method: Any,
    url: Any,
    request_headers: Any,
    request_body: bytes,
    status: Any,
    response_headers: Any,
    response_body: bytes,
    place: Place,
) -> RecordedExchange:
    """Raises `Unreadable` for an entry without an address or a status, and `CannotUnpack`."""
    if not isinstance(url, str) or not url:
        raise Unreadable("the request has no address. Expected `uri` or `url`.")
    if not isinstance(status, int) or isinstance(status, bool):
        raise Unreadable("the response has no status. Expected a number, such as 200.")
    sent, got = pairs_of(request_headers), pairs_of(response_headers)
    body = unpacked(response_body, _named(got, "content-encoding"))
    content_type = _named(got, "content-type").lower()
    request = RecordedRequest(
        method=str(method or "POST").upper(),
        url=url_without_keys(url),
        headers=_readable(sent),
        body=unpacked(request_body, _named(sent, "content-encoding")),
    )
    return RecordedExchange(
        request, RecordedResponse(status, _readable(got), chunks_of(body, content_type)), place=place
    )


def pairs_of(headers: Any) -> list[tuple[str, str]]:
    """Headers as pairs: from a mapping to a value or to a list of values, or from a list of pairs or of objects."""
    if isinstance(headers, Mapping):
        items: Iterable[Any] = headers.items()
    elif isinstance(headers, list):
        items = [(h.get("name"), h.get("value")) if isinstance(h, Mapping) else h for h in headers]
    else:
        return []
    pairs = []
    for item in items:
        if isinstance(item, list | tuple) and len(item) == 2 and isinstance(item[0], str):
            values = item[1] if isinstance(item[1], list) else [item[1]]
            pairs += [
                (item[0].lower(), value.decode("latin-1") if isinstance(value, bytes) else str(value))
                for value in values
                if value is not None
            ]
    return pairs


def bytes_of(value: Any) -> bytes:
    """A body in any of the ways in which recorders write one: text, bytes, or JSON that was parsed."""
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return value.encode(errors="surrogateescape")
        except UnicodeEncodeError:  # half a surrogate pair, which JSON can write
            return value.encode(errors="replace")
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def from_base64(text: Any) -> bytes:
    try:
        return base64.b64decode(text if isinstance(text, str | bytes) else "")
    except (binascii.Error, ValueError):
        raise Unreadable("the body is said to be base64, and is not.") from None


def _readable(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Without what the recorder's connection alone is about: the body is unpacked here."""
    left_out = ("content-encoding", "content-length", "transfer-encoding", "connection")
    return headers_without_keys(pair for pair in headers if pair[0] not in left_out)


def _named(headers: Iterable[tuple[str, str]], name: str) -> str:
    return next((value for key, value in headers if key == name), "")
