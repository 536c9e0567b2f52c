"""Ids as a provider makes them, from a seed: the same script gives the same ids."""

import hashlib
import itertools
import string

ALPHABET = string.ascii_letters + string.digits


class Ids:
    """Endless distinct ids; thread-safe, because counting is."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = itertools.count()

    def make(self, prefix: str, length: int, alphabet: str = ALPHABET) -> str:
        """`prefix` and `length` further characters of `alphabet`."""
        digest = hashlib.sha256(f"{self._seed}/{next(self._count)}".encode()).digest()
        return prefix + "".join(alphabet[digest[i % 32] % len(alphabet)] for i in range(length))
