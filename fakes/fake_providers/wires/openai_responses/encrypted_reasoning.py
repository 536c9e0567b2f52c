"""Reasoning that only this fake can read, like OpenAI's `encrypted_content`. Knows only texts."""

import base64
import binascii
from typing import Any, Final

PREFIX: Final = "gAAAAABk"
"""The beginning of OpenAI's own encrypted reasoning, more or less: they are Fernet tokens."""
PLAIN: Final = "x5Qm7T/k"
"""The beginning of other providers' encrypted reasoning in the fakes; the real ones are random bytes."""


def encrypt(thinking: str, prefix: str = PREFIX) -> str:
    return prefix + base64.urlsafe_b64encode(thinking.encode(errors="replace")).decode()


def is_requested(body: Any) -> bool:
    """Whether the request includes encrypted reasoning in its response."""
    include = body.get("include") if isinstance(body, dict) else None
    return isinstance(include, list) and "reasoning.encrypted_content" in include


def decrypt(content: Any) -> str:
    """The thinking, or "" for content that this fake did not encrypt."""
    if not isinstance(content, str) or not content.startswith((PREFIX, PLAIN)):
        return ""
    try:
        return base64.urlsafe_b64decode(content[len(PREFIX) :].encode("ascii", "replace")).decode()
    except (binascii.Error, ValueError):
        return ""
