"""Ids as a provider makes them, from a seed: the same script gives the same ids."""

import hashlib
import itertools
import string
from collections.abc import Callable
from functools import cache
from typing import Final

ALPHABET = string.ascii_letters + string.digits


class Ids:
    """Endless distinct ids; thread-safe, because counting is."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = itertools.count()

    def make(self, prefix: str, length: int, alphabet: str = ALPHABET) -> str:
        """`prefix` and `length` further characters of `alphabet`."""
        digest = hashlib.sha256(f"{self._seed}/{next(self._count)}".encode()).digest()
        characters = digest.translate(_table(alphabet)).decode()
        return prefix + (characters * (length // len(characters) + 1))[:length]

    def made_into(self, length: int, make: Callable[[str], str]) -> str:
        """What `make` makes of an id of so many characters: always a text of the same length."""
        return make(self.make("", length))


@cache
def _table(alphabet: str) -> bytes:
    """For every byte the character of an ASCII alphabet that stands for it."""
    return bytes(ord(alphabet[byte % len(alphabet)]) for byte in range(256))


HEXADECIMAL: Final = "0123456789abcdef"


DIGITS: Final = "0123456789"


def uuid(ids: Ids) -> str:
    """Five groups of hexadecimal digits."""
    digits = ids.make("", 32, HEXADECIMAL)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
