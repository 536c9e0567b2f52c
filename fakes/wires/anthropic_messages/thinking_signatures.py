"""The signatures of thinking blocks: made so that, without any state, a signature of ours tells which thinking it
belongs to. Knows no block and no rule.

The provider's own signatures are opaque. Nothing is said of those, nor of anything else without our mark.
"""

import base64
import binascii
import hashlib
from typing import Literal

MARK = b"\x12\x0bconformance"
DIGEST = 24
CHECK = 8

State = Literal["foreign", "genuine", "broken", "other-thinking"]
"""`broken`: it begins as ours do and is damaged; `other-thinking`: it is intact and was issued for another text."""


def sign(thinking: str) -> str:
    """The signature that the fake issues with this thinking."""
    payload = MARK + _digest(thinking)
    return base64.b64encode(payload + _check(payload)).decode()


def verify(signature: str, thinking: str) -> State:
    if not signature.startswith(_PREFIX):
        return "foreign"
    try:
        raw = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return "broken"
    payload, check = raw[:-CHECK], raw[-CHECK:]
    if len(payload) != len(MARK) + DIGEST or check != _check(payload):
        return "broken"
    return "genuine" if payload[len(MARK) :] == _digest(thinking) else "other-thinking"


def _digest(thinking: str) -> bytes:
    return hashlib.sha256(thinking.encode(errors="replace")).digest()[:DIGEST]


def _check(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()[:CHECK]


_PREFIX = base64.b64encode(MARK)[: len(MARK) // 3 * 4].decode()
