"""What users and tools send beside text: which pictures models can see. Knows no history and no wire."""

import base64
from collections.abc import Iterable

from agent_conformance.adapter.types import Part

VISIBLE = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""The media types that every provider takes. The only other one that tools return is SVG, which is text."""


def text_and_pictures(parts: Iterable[Part]) -> tuple[str, tuple[Part, ...]]:
    """The texts, with the source of what no model can see, and the pictures."""
    texts, pictures = [], []
    for part in parts:
        if part.type == "text":
            texts.append(part.text)
        elif part.media_type in VISIBLE:
            pictures.append(part)
        else:
            texts.append(base64.b64decode(part.data).decode())
    return "\n".join(texts), tuple(pictures)
