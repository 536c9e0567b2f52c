"""One line of what the doctor says. Knows nothing of how it was found out."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "not working", "works, not declared", "not declared", "not tried", "advice"]
"""`not working` is declared, or needed by every case, and was not seen: it alone fails an examination."""

TOPICS = ("reached", "requests", "tools", "features")


@dataclass(frozen=True, slots=True)
class Check:
    """`topic` is a target, something of each request, or a feature. `seen` and `change` are sentences, or empty.

    `group` is where it is printed: one of `TOPICS`.
    """

    group: str
    topic: str
    status: Status
    seen: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What was seen instead of what was expected, and what to change in the adapter."""

    seen: str
    change: str = ""
