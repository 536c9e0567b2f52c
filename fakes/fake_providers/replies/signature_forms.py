"""Which provider may have signed reasoning, by the form of its signature.

What is inside is the provider's secret. But each provider's signatures have a form of their own, and a signature that
was cut, or that another provider issued, does not have it.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

ANTHROPIC_MARK: Final = b"\x12\x0bconformance"
"""How the signatures of the fake of Anthropic begin."""
FERNET: Final = "gAAAAA"
"""How OpenAI's encrypted reasoning begins: it is a Fernet token."""
SCRUBBED: Final = re.compile(r"REDACTED|^<[^<>]*>$")
"""What recordings have in place of a signature."""

_OUTER, _INNER = 0x12, 0x0A
"""The tags of protobuf's fields 2 and 1 with bytes in them: the two messages in a signature of Anthropic's. The outer
one has the version before it since Claude Opus 5."""
_KEY = 0x18
"""The kind of key, in the innermost message of a signature of Anthropic's; those of Gemini 3 have the same two messages
around others."""


def may_be_anthropics(signature: str) -> bool:
    """Whether it is a complete message in the form of Anthropic's signatures, or was scrubbed from a recording."""
    return bool(SCRUBBED.search(signature)) or is_anthropics(signature)


def is_anthropics(signature: str) -> bool:
    """Whether it has the form of Anthropic's own signatures, or is one of the fake's."""
    raw = _decoded(signature)
    if raw.startswith(ANTHROPIC_MARK):
        return True
    outer = next((body for tag, body in _fields(raw) if tag == _OUTER), b"") if _is_whole(raw) else b""
    inner = next((body for tag, body in _fields(outer) if tag == _INNER), b"")
    return _KEY in [tag for tag, _ in _fields(inner)]


def may_be_openais(encrypted: str) -> bool:
    """Whether it may be encrypted by OpenAI, or was scrubbed from a recording."""
    return bool(SCRUBBED.search(encrypted)) or encrypted.startswith(FERNET)


def _decoded(signature: str) -> bytes:
    try:
        return base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _is_whole(raw: bytes) -> bool:
    """Whether it is a complete message, whose first field with bytes is the outer one."""
    tags = [tag for tag, _ in _fields(raw)]
    return all(tags) and next((tag for tag in tags if tag & 7 == 2), None) == _OUTER


def _fields(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and bytes of each field of a protobuf message; the tag 0 where the message breaks off."""
    at = 0
    while at < len(raw):
        tag = raw[at]
        number, at = _varint(raw, at + 1)
        length = number if tag & 7 == 2 else 0
        if tag & 7 not in (0, 2) or number < 0 or at + length > len(raw):
            yield 0, b""
            return
        yield tag, raw[at : at + length]
        at += length


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """The number and where it ends; -1 if it breaks off."""
    for end in range(at, min(at + 5, len(raw))):
        if raw[end] < 0x80:
            return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(raw[at : end + 1])), end + 1
    return -1, len(raw)
