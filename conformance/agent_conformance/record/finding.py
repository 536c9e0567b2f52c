"""Findings and the verdict of one case. Knows neither how it was run nor how it is printed."""

from dataclasses import dataclass, field
from typing import Literal

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.record.subject import Subject

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

    def __str__(self) -> str:
        request = [f"request {self.request}"] if self.request else []
        return ", ".join([f"turn {self.turn}", *request, *([self.path] if self.path else [])])


@dataclass(frozen=True, slots=True)
class ScenarioPlace:
    """Where a scenario says what it is about: `line` documents it, `demand` is that of the expectation that a finding
    is about, 0 for a finding about anything else. `source` is where it is known from, an address or a text.
    """

    file: str
    line: int
    demand: int = 0
    source: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f"   {self.source}" if self.source else "")


@dataclass(frozen=True, slots=True)
class Consequence:
    """A further finding of the same case that follows from another one, in a few words."""

    subject: Subject
    text: str

    def __str__(self) -> str:
        return f"{self.subject.id}: {self.text}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A law or an expectation that did not hold.

    `place` is where in the conversation it was found, `recorded` where the snapshot stands that differs, `origin` the
    place in the agent's code where it crashed, and `scenario` where the scenario stands.
    `refused`, `expected` and `got` are the evidence, each in a line; `again` counts how often it was found once more in
    this case. `diff` compares two conversations, and `scrub` is a pattern for what changes in them from run to run.
    `log` is the end of the agent's standard error, and `trace` that of the crash which it reports, or which follows
    from it.
    `consequences` are further findings of the same case that follow from it.
    `not_checked` are the laws that could not be checked because of it.
    `detail` is what it shares with findings of the same code in other cases: a field, a place in the agent's code.
    `cut`: how the streamed text was cut, where that is not the provider's way or in whole.
    `ends_case`: nothing that came after it was judged. `is_tolerated`: it breaks a rule that this run tolerates.
    """

    subject: Subject
    level: Level
    place: Place | None = None
    recorded: str = ""
    refused: str = ""
    expected: str = ""
    got: str = ""
    again: int = 0
    diff: str = ""
    scrub: str = ""
    log: str = ""
    cut: str = ""
    detail: str = ""
    consequences: tuple[Consequence, ...] = ()
    trace: Trace | None = None
    not_checked: tuple[str, ...] = ()
    ends_case: bool = False
    is_tolerated: bool = False
    origin: CodePlace | None = None
    scenario: ScenarioPlace | None = None

    @property
    def id(self) -> str:
        """Unique within its case: `accepted:gemini/call-after-user-turn`, `paired`, `1.reply`."""
        return self.subject.id

    @property
    def code(self) -> str:
        """What it is about in all cases: the rule's id, the law's, or the field of the expectation."""
        return self.subject.code

    @property
    def at(self) -> str:
        return self.recorded or (str(self.place) if self.place else "")

    @property
    def evidence(self) -> tuple[str, str, str]:
        return (self.refused, self.expected, self.got)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One per case. `reason` says why it is an error or not verified, and `trace` where the adapter raised it;
    `narrative` is the normalised transcript. `left_running` are daemons of the agent's program,
    which the suite has ended.
    """

    case: str
    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    narrative: str = ""
    requests: int = 0
    executions: int = 0
    foreign_hosts: tuple[str, ...] = field(default=())
    left_running: tuple[str, ...] = ()
    trace: Trace | None = None

    def at_level(self, level: Level) -> tuple[Finding, ...]:
        """The findings that fail a run at this level: `must` alone, or both."""
        return tuple(f for f in self.findings if level == "should" or f.level == "must")
