"""Pictures, sounds and documents in a request: their media type and size, from their first bytes."""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal

from msgspec import Struct

# Bounded, so that a long text without a comma is not read to its end to learn that it is no data URL.
DATA_URL = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
SVG = "image/svg+xml"
PICTURES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
SOUNDS = frozenset(("audio/mpeg", "audio/wav", "audio/ogg", "audio/flac"))
ADDRESSES = ("http://", "https://", "gs://")
UNDECODABLE = re.compile(r"[^A-Za-z0-9+/_\-=\s]")
READ_FOR_TYPE = 1024
"""Characters of base64 that contain the first bytes of a file, whatever white space is in them."""

Size = tuple[int, int]


class Picture(Struct, frozen=True):
    """A native picture of a request. `width` and `height` are 0 where its bytes do not say them; `digest` tells two
    pictures apart.
    """

    media_type: str
    width: int
    height: int
    digest: str


def pictures_in(data: Iterable[object]) -> tuple[Picture, ...]:
    """The pictures among these that a model can see."""
    return tuple(picture for one in data if (picture := picture_in(one)) is not None)


def picture_in(data: object) -> Picture | None:
    """The picture in base64, plain or as a data URL, or at an address; None for what no model can see."""
    if not isinstance(data, str):
        return None
    if data.startswith(ADDRESSES):
        return Picture("", 0, 0, _digest(data.encode()))
    raw = bytes_of(data)
    media_type = media_type_of(raw)
    if media_type is None or not media_type.startswith("image/"):
        return None
    width, height = size_of(raw) or (0, 0)
    return Picture(media_type, width, height, _digest(raw))


def bytes_of(data: str) -> bytes:
    """The bytes of base64, in its usual or its URL-safe alphabet; empty for what is none."""
    url = DATA_URL.match(data)
    plain = (data[url.end() :] if url else data).replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain, validate=True)
    except (binascii.Error, ValueError):
        return b""


MediaFault = Literal["", "empty", "base64", "bytes"]


def media_fault(data: object, known: Collection[str]) -> MediaFault:
    """What is wrong with base64 or a data URL: it is empty, cannot be decoded, or its bytes are of no known type.

    "" for what is read, is at an address, or is no text.
    """
    if not isinstance(data, str) or data.startswith(ADDRESSES):
        return ""
    url = DATA_URL.match(data)
    if url is None and data.startswith("data:"):
        return ""
    plain = data[url.end() :] if url else data
    if not plain:
        return "empty"
    if UNDECODABLE.search(plain):
        return "base64"
    return "" if media_type_of(bytes_of(_whole(plain[:READ_FOR_TYPE]))) in known else "bytes"


def _whole(data: str) -> str:
    """Base64 with the padding that it lacks."""
    bare = "".join(data.split()).rstrip("=")
    return bare + "=" * (-len(bare) % 4)


def media_type_of(raw: bytes) -> str | None:
    """The media type that the first bytes show, or None if they are those of no type that is known here."""
    if raw.startswith(b"RIFF") and raw[8:12] == b"WEBP":
        return "image/webp"
    if raw.startswith(b"RIFF") and raw[8:12] == b"WAVE":
        return "audio/wav"
    if raw[4:8] == b"ftyp":
        return "video/mp4"
    if raw.startswith(b"<") and b"<svg" in raw[:1000]:
        return SVG
    return next((media_type for magic, media_type in _MAGIC.items() if raw.startswith(magic)), None)


def size_of(raw: bytes) -> Size | None:
    """Width and height in pixels, or None where the bytes do not say them."""
    read = _SIZES.get(media_type_of(raw) or "")
    try:
        return read(raw) if read else None
    except IndexError:
        return None


def _size_of_jpeg(raw: bytes) -> Size | None:
    """The frame header comes after segments of any length. Raises `IndexError` if it never comes."""
    at = 2
    while raw[at] == 0xFF:
        marker, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4], "big")
        if marker in _FRAMES:
            return int.from_bytes(raw[at + 7 : at + 9], "big"), int.from_bytes(raw[at + 5 : at + 7], "big")
        at += 2 + length
    return None


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]


_MAGIC = {
    b"\xff\xd8\xff": "image/jpeg",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"GIF8": "image/gif",
    b"%PDF": "application/pdf",
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf3": "audio/mpeg",
    b"\xff\xf2": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
}
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of JPEG that begin a frame."""
_SIZES: Mapping[str, Callable[[bytes], Size | None]] = {
    "image/png": lambda raw: (int.from_bytes(raw[16:20], "big"), int.from_bytes(raw[20:24], "big")),
    "image/gif": lambda raw: (int.from_bytes(raw[6:8], "little"), int.from_bytes(raw[8:10], "little")),
    "image/jpeg": _size_of_jpeg,
}
