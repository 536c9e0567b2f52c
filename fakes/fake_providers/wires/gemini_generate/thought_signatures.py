"""Thought signatures that contain their own checksum.

Real signatures are opaque and are not checked. One of ours is recognised if it was cut, altered or encoded twice, and
one of another provider by its form.
"""

import base64
import binascii
import hashlib

from fake_providers.ids import Ids
from fake_providers.replies.signature_forms import FERNET, is_anthropics

MARK = b"fake-gemini-thought/"
NONCE = 16


def issue(ids: Ids) -> str:
    """A new signature in standard base64, as Google sends them."""
    return ids.made_into(NONCE, _signature)


def _signature(text: str) -> str:
    nonce = text.encode()
    return base64.b64encode(MARK + nonce + _digest(nonce)).decode()


def is_foreign(signature: str) -> bool:
    """Whether Anthropic or OpenAI issued it."""
    return signature.startswith(FERNET) or is_anthropics(signature)


def is_corrupted(signature: str) -> bool:
    """Whether it is one of ours and damaged. The url-safe alphabet and missing padding are accepted."""
    raw = _decode(signature)
    if raw is None:
        return False
    if raw.startswith(base64.b64encode(MARK)[:20]):
        return True
    if not raw.startswith(MARK):
        return False
    nonce, digest = raw[len(MARK) : len(MARK) + NONCE], raw[len(MARK) + NONCE :]
    return digest != _digest(nonce)


def _digest(nonce: bytes) -> bytes:
    return hashlib.sha256(MARK + nonce).digest()[:21]


def _decode(signature: str) -> bytes | None:
    text = signature.strip().rstrip("=").replace("-", "+").replace("_", "/")
    for cut in (text, text[:-1]):
        try:
            return base64.b64decode(cut + "=" * (-len(cut) % 4), validate=True)
        except (binascii.Error, ValueError):
            continue
    return None
