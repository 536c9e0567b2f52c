"""Amazon's event stream: messages of headers and a payload in binary frames with two checksums.

A frame is its length and that of its headers (4 bytes each), the CRC-32 of those eight bytes, the headers, the payload,
and the CRC-32 of all before it; big-endian. All headers of this service are strings.
"""

import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from zlib import crc32

from msgspec import Struct

CONTENT_TYPE = "application/vnd.amazon.eventstream"
PRELUDE = 12
CHECKSUM = 4
STRING = 7
"""Bytes before the headers of a frame (its length, that of its headers, and their checksum), bytes of each checksum,
and the type of a header whose value is a text."""


class NotAFrameError(ValueError):
    """The bytes are not whole frames with right checksums."""


class Frame(Struct, frozen=True):
    headers: Mapping[str, str]
    payload: bytes


def encode_frame(kind: str, name: str, payload: bytes) -> bytes:
    """A frame of the message type `event` or `exception`; `name` is that of the event or exception."""
    headers = _headers(kind, name)
    lengths = struct.pack(">II", PRELUDE + len(headers) + len(payload) + CHECKSUM, len(headers))
    head = lengths + struct.pack(">I", crc32(lengths)) + headers + payload
    return head + struct.pack(">I", crc32(head))


@lru_cache(maxsize=64)
def _headers(kind: str, name: str) -> bytes:
    named = {f":{kind}-type": name, ":content-type": "application/json", ":message-type": kind}
    return b"".join(
        bytes((len(key),)) + key.encode() + struct.pack(">BH", STRING, len(value)) + value.encode()
        for key, value in named.items()
    )


def split_frames(body: bytes) -> tuple[bytes, ...]:
    """The bytes of each frame, by the lengths alone; a last one may be cut off. Empty for what cannot be frames."""
    found, at = [], 0
    while at < len(body):
        length = int.from_bytes(body[at : at + 4], "big")
        if length < PRELUDE + CHECKSUM:
            return ()
        found.append(body[at : at + length])
        at += length
    return tuple(found)


def decode_frames(body: bytes) -> Iterator[Frame]:
    """Raises `NotAFrameError` for a frame that is cut off or has a wrong checksum."""
    pieces = split_frames(body)
    if body and not pieces:
        raise NotAFrameError("the bytes are no frames of an Amazon event stream")
    for number, frame in enumerate(pieces, 1):
        length, header_length, checksum = struct.unpack(">III", frame[:PRELUDE].ljust(PRELUDE, b"\0"))
        if len(frame) < length:
            raise NotAFrameError(f"frame {number} is cut off: it has {len(frame)} of its {length} bytes")
        if checksum != crc32(frame[:8]) or int.from_bytes(frame[-CHECKSUM:], "big") != crc32(frame[:-CHECKSUM]):
            raise NotAFrameError(f"frame {number} has a wrong checksum")
        end = PRELUDE + header_length
        yield Frame(dict(_read_headers(frame[PRELUDE:end])), frame[end:-CHECKSUM])


def _read_headers(data: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(data):
        name_end = at + 1 + data[at]
        kind = data[name_end : name_end + 1]
        length = int.from_bytes(data[name_end + 1 : name_end + 3], "big")
        if kind != bytes((STRING,)):
            raise NotAFrameError("a header is not a string, as all of this service are")
        yield data[at + 1 : name_end].decode(), data[name_end + 3 : name_end + 3 + length].decode()
        at = name_end + 3 + length
