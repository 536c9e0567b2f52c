"""`--agent-shard=1/3`: the part of the cases that one of several machines runs. Knows case ids alone."""

import hashlib
import re
from dataclasses import dataclass

import pytest

_SHARD = re.compile(r"([1-9]\d{0,3})/([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class ChosenShard:
    """Part `number` of `of`, from 1."""

    number: int
    of: int

    def has(self, case_id: str) -> bool:
        """Each case is in one shard, the same on every machine and in every selection."""
        number = int.from_bytes(hashlib.sha256(case_id.encode(errors="surrogatepass")).digest()[:8], "big")
        return number % self.of + 1 == self.number


def shard_named(text: str) -> ChosenShard:
    """Raises `pytest.UsageError`."""
    found = _SHARD.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"--agent-shard={text}: write which of how many, such as 1/3, 2/3 and 3/3")
    return ChosenShard(int(found[1]), int(found[2]))
