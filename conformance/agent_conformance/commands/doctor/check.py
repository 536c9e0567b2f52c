"""One line of the doctor's report. Knows nothing of how it was found."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "not working", "works, not declared", "not declared", "not tried", "advice"]
"""`not working`: it is declared, or every case needs it, and it did not work. Only this makes the exit code 1."""

TOPICS = ("reached", "requests", "tools", "features")


@dataclass(frozen=True, slots=True)
class Check:
    """`topic` is a target, something of each request, or a feature. `got` and `fix` are sentences, or empty.

    `group` is where it is printed: one of `TOPICS`.
    """

    group: str
    topic: str
    status: Status
    got: str = ""
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What happened instead of what was expected, and what to change in the adapter.

    `is_about_feature` is false for what kept the probe from showing anything about the feature.
    """

    got: str
    fix: str = ""
    is_about_feature: bool = True
