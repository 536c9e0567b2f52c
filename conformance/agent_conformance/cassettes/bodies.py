"""Recorded bodies as they were before they were compressed, within bounds, and streams cut into their events; headers
and addresses without their keys, which `SECRETS` learns, so that no output shows them."""

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from agent_conformance.cassettes.recorded_exchange import Headers
from agent_conformance.transcripts.redaction import SECRETS, is_secret
from agent_conformance.transcripts.secret_names import is_named_as_secret
from fake_providers.replies.event_frames import split_frames

LARGEST = 64 * 1024 * 1024
"""Bytes of one body, unpacked."""
GZIP = b"\x1f\x8b"

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
"""A blank line, with the line ends of any system."""


class CannotUnpack(ValueError):
    """The body is compressed in a way that is not read, or is too large."""


def unpacked(body: bytes, encoding: str) -> bytes:
    """The body without its `content-encoding`. One that was unpacked already stays. Raises `CannotUnpack`."""
    for name in reversed([name.strip().lower() for name in encoding.split(",") if name.strip()]):
        if name in ("gzip", "x-gzip", "deflate"):
            body = _inflated(body, name)
        elif name != "identity" and not body.startswith(GZIP) and not _is_text(body):
            raise CannotUnpack(
                f"the body is compressed with `{name}`, which is not read. Record it with "
                "`decode_compressed_response=True`, or with `accept-encoding: gzip`."
            )
    return _inflated(body, "gzip") if body.startswith(GZIP) else body


def _inflated(body: bytes, name: str) -> bytes:
    if not body or (name != "deflate" and not body.startswith(GZIP)) or (name == "deflate" and _is_text(body)):
        return body
    for window in (47, -15):  # with a header of gzip or zlib, or without one
        inflater = zlib.decompressobj(window)
        try:
            data = inflater.decompress(body, LARGEST)
        except zlib.error:
            continue
        if inflater.unconsumed_tail:
            raise CannotUnpack(f"the body has more than {LARGEST:,} bytes when it is unpacked, which is not read.")
        return data
    raise CannotUnpack(f"the body says that it is {name}, and cannot be unpacked.")


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_event_stream(body: bytes, content_type: str) -> bool:
    """By its header, or where a recorder left that out or hid it, by its first line."""
    if "text/event-stream" in content_type:
        return True
    return "/" not in content_type and re.match(rb"\s*(?:data|event|id):|\s*: ", body) is not None


def is_frame_stream(body: bytes, content_type: str) -> bool:
    """Amazon's binary event stream; its first byte is that of a length, which no other body begins with."""
    return body[:1] == b"\0" and ("eventstream" in content_type or "/" not in content_type)


def chunks_of(body: bytes, content_type: str) -> tuple[bytes, ...]:
    """One piece for each event or line of a stream; any other body is one piece."""
    if not body:
        return ()
    if is_frame_stream(body, content_type):
        return split_frames(body) or (body,)
    if is_event_stream(body, content_type):
        ends = [found.end() for found in _EVENT_END.finditer(body)]
        starts = [0, *ends]
        pieces = [body[start:end] for start, end in zip(starts, [*ends, len(body)], strict=True)]
        return tuple([piece for piece in pieces if piece])
    if "ndjson" in content_type or "jsonl" in content_type:
        return tuple(body.splitlines(keepends=True))
    return (body,)


KEY_HEADERS = frozenset(
    ("authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "set-cookie")
)
KEY_PARAMETERS = frozenset(("key", "access_token", "code", "sig", "signature"))
HIDDEN = "REDACTED"
"""What stands in a query for a key, so that it is plain that there was one."""


def is_key_header(name: str) -> bool:
    return name in KEY_HEADERS or is_named_as_secret(name)


def headers_without_keys(headers: Iterable[tuple[str, str]]) -> Headers:
    """The same with names in lower case, and without those that hold keys."""
    kept = []
    for name, value in ((name.lower(), value) for name, value in headers):
        if is_key_header(name):
            learn_key(name, value)
        else:
            kept.append((name, value))
    return tuple(kept)


def url_without_keys(url: str) -> str:
    """The address without user and password, and with the keys in its query hidden."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    learn_key("password", parts.password or "")
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path, _query(parts.query), ""))


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(_is_key_parameter(name) for name, _ in pairs):
        return query
    for name, value in pairs:
        if _is_key_parameter(name):
            learn_key(name, value)
    hidden = ((name, HIDDEN if _is_key_parameter(name) else value) for name, value in pairs)
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in hidden)


def _is_key_parameter(name: str) -> bool:
    return name.lower() in KEY_PARAMETERS or is_named_as_secret(name)


def learn_key(name: str, value: str) -> None:
    """Whoever sends it has it: from now on it is shown by its name."""
    for word in {value, value.rpartition(" ")[2]}:
        if is_secret(word):
            SECRETS.learn(name.upper().replace("-", "_"), word)


def keys_in_body(body: bytes) -> Iterator[tuple[str, str]]:
    """Members of a JSON body that are keys by their names and by their looks: of a server of tools, for instance.

    A `key` in the arguments of a call may be any word, so a value without digits or with blanks is none.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    stack: list[Any] = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack += current
        elif isinstance(current, dict):
            for name, member in current.items():
                if isinstance(member, str) and is_key_header(name.lower()) and _looks_like_a_key(member):
                    yield name, member
                else:
                    stack.append(member)


def _looks_like_a_key(value: str) -> bool:
    last = value.removeprefix("Bearer ")
    return not any(c.isspace() for c in last) and any(c.isdigit() for c in last) and any(c.isalpha() for c in last)
