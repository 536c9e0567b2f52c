"""Findings and the verdict of one case. Knows neither how it was run nor how it is printed."""

from dataclasses import dataclass, field
from typing import Literal

Level = Literal["must", "should"]
Outcome = Literal["pass", "fail", "error", "not-verified"]


@dataclass(frozen=True, slots=True)
class Trace:
    """A traceback of the agent as text: the frames that matter, empty where they are not to be shown, and all."""

    brief: str
    whole: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a case: request 0 is the turn as a whole, `path` a place in the request's body."""

    turn: int
    request: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A law or an expectation that did not hold.

    `id` has no `#`: `accepted:gemini/call-after-user-turn`, `paired`, `1.reply`, `2.should.requests[0]`, `snapshot`.
    `cause` groups findings of many cases in the summary: the rule's id, the law or the expectation's kind.
    `facts` are labelled lines in order: `at`, `expected` or `refused`, `got`, `source`.
    `consequences` are further findings of the same case that follow from it, each in a few words: `reply: not reached`.
    `trace` is that of the crash which it reports, or which follows from it.
    `not_checked` are the laws that could not be checked because of it.
    `detail` is what it shares with findings of the same cause in other cases: a field, a place in the agent's code.
    `cut`: how the streamed text was cut, where that is not the provider's way or in whole.
    `ends_case`: nothing that came after it was judged. `is_tolerated`: it breaks a rule that this run tolerates.
    `place` is where it was found, and `origin` the place in the agent's code where it crashed.
    """

    id: str
    level: Level
    cause: str
    facts: tuple[tuple[str, str], ...]
    consequences: tuple[str, ...] = ()
    trace: Trace | None = None
    not_checked: tuple[str, ...] = ()
    detail: str = ""
    cut: str = ""
    ends_case: bool = False
    is_tolerated: bool = False
    place: Place | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One per case. `reason` says why it is an error or not verified, and `trace` where the adapter raised it;
    `narrative` is the normalised transcript.
    """

    case: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    narrative: str = ""
    requests: int = 0
    executions: int = 0
    foreign_hosts: tuple[str, ...] = field(default=())
    trace: Trace | None = None

    def at_level(self, level: Level) -> tuple[Finding, ...]:
        """The findings that fail a run at this level: `must` alone, or both."""
        return tuple(f for f in self.findings if level == "should" or f.level == "must")
