"""Documents by seed and number. The same pair gives the same document on any machine, whatever was drawn before."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_conformance.fuzz.strategies.documents import documents
from agent_conformance.minimise.documents import Document

BYTES = 16_384
"""Of randomness for one document: several times what the largest needs."""
CHOICES = 2**16
TRIES = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A document, and a number by which one of its cases is chosen."""

    document: Document
    choice: int


def drawn(seed: int, number: int) -> Drawn:
    """By Hypothesis, from bytes and not from its own randomness, which depends on the modules that are loaded."""
    for attempt in range(TRIES):
        found = _reader()(random.Random(f"{seed}/{number}/{attempt}").randbytes(BYTES))
        if found is not None:
            return found
    raise AssertionError(f"document {number} of seed {seed} needs more than {BYTES} random bytes, please report it")


@cache
def _reader() -> Callable[[bytes], Drawn | None]:
    """Makes a document of bytes; None where they are too few."""
    found: list[Drawn] = []

    @settings(database=None, deadline=None)
    @given(document=documents(), choice=st.integers(0, CHOICES - 1))
    def keep(document: Document, choice: int) -> None:
        found.append(Drawn(document, choice))

    make = keep.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def read(data: bytes) -> Drawn | None:
        found.clear()
        make(data)
        return found[0] if found else None

    return read
