"""Recorded bodies as they were before they were compressed, within bounds; and streams cut into their events."""

import re
import zlib

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
