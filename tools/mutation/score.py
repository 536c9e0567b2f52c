"""The score of a sample: how many were killed of those that can be, and how sure that is."""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

Fate = Literal["killed", "survived", "equivalent", "broken"]
"""`broken`: it cannot be imported, so nobody would ever run it. It does not count."""

Z = 1.959964
"""Of a normal distribution, 95 % is within so many standard deviations."""

MOST_EQUIVALENT = 0.2
"""If more of a sample is said to be equivalent, all of those count as survivors."""


@dataclass(frozen=True, slots=True)
class Score:
    killed: int
    survived: int
    equivalent: int
    broken: int = 0

    @property
    def counted(self) -> int:
        return self.killed + self.survived + (self.equivalent if self.has_too_many_equivalents else 0)

    @property
    def has_too_many_equivalents(self) -> bool:
        return self.equivalent > MOST_EQUIVALENT * (self.killed + self.survived + self.equivalent)

    @property
    def share(self) -> float:
        return self.killed / self.counted if self.counted else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.killed, self.counted)

    def __str__(self) -> str:
        low, high = self.interval
        counted = ", which count as survivors: too many" if self.has_too_many_equivalents else ""
        return (
            f"{self.killed} of {self.counted} killed: {100 * self.share:.1f} % "
            f"(95 %: {100 * low:.1f} to {100 * high:.1f}); {self.equivalent} equivalent{counted}"
            + (f"; {self.broken} cannot be imported" if self.broken else "")
        )


def wilson(killed: int, counted: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's formula, which also holds near 0 and 1."""
    if not counted:
        return 0.0, 1.0
    share, spread = killed / counted, Z * Z / counted
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / counted + spread / (4 * counted)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
