"""Signatures of thinking blocks. A signature contains a hash of its thinking, so a returned block can be checked
without state.

The provider's own signatures are opaque: of those only the form is checked.
"""

import base64
import binascii
import hashlib
from typing import Final, Literal

from fake_providers.replies.signature_forms import ANTHROPIC_MARK, may_be_anthropics

MARK: Final = ANTHROPIC_MARK
DIGEST_BYTES = 24
CHECKSUM_BYTES = 8

State = Literal["real", "foreign", "genuine", "damaged", "other-thinking"]
"""`real`: it may be Anthropic's own; `foreign`: it is neither that nor ours; `damaged`: it starts like one of ours but
is not intact; `other-thinking`: it is intact and belongs to another text."""


def sign(thinking: str) -> str:
    """The signature that the fake issues with this thinking."""
    payload = MARK + _digest(thinking)
    return base64.b64encode(payload + _checksum(payload)).decode()


def verify(signature: str, thinking: str) -> State:
    if not signature.startswith(_PREFIX):
        return "real" if may_be_anthropics(signature) else "foreign"
    try:
        raw = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        return "damaged"
    payload, check = raw[:-CHECKSUM_BYTES], raw[-CHECKSUM_BYTES:]
    if len(payload) != len(MARK) + DIGEST_BYTES or check != _checksum(payload):
        return "damaged"
    return "genuine" if payload[len(MARK) :] == _digest(thinking) else "other-thinking"


def _digest(thinking: str) -> bytes:
    return hashlib.sha256(thinking.encode(errors="replace")).digest()[:DIGEST_BYTES]


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()[:CHECKSUM_BYTES]


_PREFIX = base64.b64encode(MARK)[: len(MARK) // 3 * 4].decode()
