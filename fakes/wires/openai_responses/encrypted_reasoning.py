"""Reasoning in a form that only this fake can read, as `encrypted_content` is for OpenAI. Knows texts alone."""

import base64
import binascii
from typing import Any, Final

PREFIX: Final = "gAAAAABk"
"""What OpenAI's own begin with, about: they are Fernet tokens."""
PLAIN: Final = "x5Qm7T/k"
"""What those of others begin with here; theirs are octets without a form."""


def sealed(thinking: str, prefix: str = PREFIX) -> str:
    return prefix + base64.urlsafe_b64encode(thinking.encode(errors="replace")).decode()


def unsealed(content: Any) -> str:
    """The thinking, or an empty text for what was sealed by somebody else."""
    if not isinstance(content, str) or not content.startswith((PREFIX, PLAIN)):
        return ""
    try:
        return base64.urlsafe_b64decode(content[len(PREFIX) :].encode("ascii", "replace")).decode()
    except (binascii.Error, ValueError):
        return ""
