"""Vectors for texts: the same text always has the same one, and texts that share words are near each other.

Knows no provider. A word adds to a few places of the vector, which its digest chooses; the vector has length one.
"""

import base64
import struct
from collections.abc import Mapping
from hashlib import blake2b
from math import sqrt
from typing import Final

from fake_providers.values.tokens import tokens_of

MOST_DIMENSIONS: Final = 4096
MOST_WORDS: Final = 10_000
"""Of one text: what follows does not change its vector."""
PLACES: Final = 8


def embed(text: str, dimensions: int) -> list[float]:
    """A vector of length one with so many numbers."""
    vector = [0.0] * dimensions
    for word in text.lower().split()[:MOST_WORDS] or [""]:
        digest = blake2b(word.encode(errors="replace"), digest_size=4 * PLACES).digest()
        for number in struct.unpack(f"<{PLACES}I", digest):
            vector[(number >> 1) % dimensions] += 1.0 if number & 1 else -1.0
    length = sqrt(sum(value * value for value in vector))
    if length == 0.0:
        return [1.0, *vector[1:]]
    return [value / length for value in vector]


def as_base64(vector: list[float]) -> str:
    """As OpenAI sends it for `encoding_format: base64`: little-endian floats of 32 bits."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def dimensions_of(model: str, by_family: Mapping[str, int], default: int) -> int:
    """The dimensions of this model, by the longest family that its name begins with."""
    bare = model.rsplit("/", 1)[-1]
    families = [family for family in by_family if bare.startswith(family)]
    return by_family[max(families, key=len)] if families else default


def tokens_of_texts(texts: list[str]) -> int:
    return sum(tokens_of(len(text)) for text in texts)
