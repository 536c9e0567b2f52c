"""Findings and the verdict of one case.

An id stands in baselines, in reports and on command lines, so that a code is never given another meaning:

    paired                          a law
    accepted:openai/tools-empty     a rule of a provider, by way of the law that it breaks
    1.reply, 2.should.requests[0]   an expectation of a turn
    effects[1]                      an expectation of the whole case
    relation:wire                   a relation between two runs
    snapshot                        the snapshot
"""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from msgspec import Struct

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.scenario.model import LawId

FindingKind = Literal["law", "rule", "expectation", "snapshot", "relation"]

LAW_IDS = frozenset((*get_args(LawId), "foreign-host"))
"""`foreign-host` is advice that scenarios need not waive."""
ACCEPTED: LawId = "accepted"
"""The law that every rule of a provider is a case of."""
RELATION = "relation"

_EXPECTATION = re.compile(
    r"(?:(?P<turn>\d+)\.)?(?P<advice>should\.)?(?P<name>[\w-]+)(?:\[(?P<number>\d+)\])?(?:\.(?P<part>\w+))?"
)


class Subject(Struct, frozen=True):
    """`name` is that of the law, the rule, the relation or the field of `expect`, and `law` the law that was broken.

    The rest is of expectations: the `turn`, 0 for the whole case, whether it stands under `should`, its `number` in a
    list, and the `part` of it.
    """

    kind: FindingKind
    name: str
    law: str = ""
    turn: int = 0
    is_advice: bool = False
    number: int | None = None
    part: str = ""

    @property
    def rule(self) -> str:
        return self.name if self.kind == "rule" else ""

    @property
    def relation(self) -> str:
        return self.name if self.kind == "relation" else ""

    @property
    def code(self) -> str:
        """What findings of many cases have in common: the rule, the law or the field, wherever it stands."""
        return f"{RELATION}:{self.name}" if self.kind == "relation" else self.name

    @property
    def id(self) -> str:
        """Unique within a case."""
        if self.kind == "rule":
            return f"{self.law}:{self.name}"
        if self.kind != "expectation":
            return self.code
        turn = f"{self.turn}." if self.turn else ""
        number = "" if self.number is None else f"[{self.number}]"
        return f"{turn}{'should.' * self.is_advice}{self.name}{number}{'.' * bool(self.part)}{self.part}"


SNAPSHOT = Subject("snapshot", "snapshot")

CRASH = "crash at "
REFUSED = "its request was refused by "
"""How the details of a crash and of a turn begin that ended in a refusal; then come the place in the code, and the rule
with the field: `openai/content-null at messages[].content`."""
Root = tuple[str, str]
"""Findings with equal roots are one cause."""


def root_of(code: str, detail: str) -> Root:
    """A crash is one wherever it shows, and so is a rule's refusal of a field; otherwise the code and the detail."""
    if detail.startswith(CRASH):
        return ("", detail)
    if detail.startswith(REFUSED):
        rule, _, field = detail.removeprefix(REFUSED).partition(" at ")
        return (rule, field)
    return (code, detail)


def refusal_by(rule: str, path: str) -> str:
    """The detail of a turn that ended in a refusal."""
    return f"{REFUSED}{rule}" + (f" at {field_of(path)}" if path else "")


def field_of(path: str) -> str:
    """The place in a body without its numbers."""
    return re.sub(r"\.\d+(?=\.|$)", ".N", re.sub(r"\[\d+\]", "[]", path))


def law_subject(law: str) -> Subject:
    return Subject("law", law, law=law)


def rule_subject(rule: str, law: str = ACCEPTED) -> Subject:
    return Subject("rule", rule, law=law)


def relation_subject(relation: str) -> Subject:
    return Subject("relation", relation)


def subject_of(id: str) -> Subject:
    """What an id is about that somebody typed, or that a file has. A rule may stand alone: `openai/tools-empty`."""
    law, colon, name = id.partition(":")
    if law == RELATION and colon:
        return relation_subject(name)
    if colon and law in LAW_IDS:
        return rule_subject(name, law)
    if "/" in id:
        return rule_subject(id)
    if id in LAW_IDS:
        return law_subject(id)
    if id == SNAPSHOT.name:
        return SNAPSHOT
    found = _EXPECTATION.fullmatch(id)
    if found is None:
        return Subject("expectation", id)
    return Subject(
        "expectation",
        found["name"],
        turn=int(found["turn"] or 0),
        is_advice=bool(found["advice"]),
        number=None if found["number"] is None else int(found["number"]),
        part=found["part"] or "",
    )


Level = Literal["must", "should"]
Outcome = Literal["pass", "fail", "error", "not-verified"]


class Trace(Struct, frozen=True):
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


class Consequence(Struct, frozen=True):
    """A further finding of the same case that follows from another one, in a few words."""

    subject: Subject
    text: str

    def __str__(self) -> str:
        return f"{self.subject.id}: {self.text}"


class Finding(Struct, frozen=True):
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
    `is_flaky`: the case ran a second time, without it.
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
    is_flaky: bool = False
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


class Verdict(Struct, frozen=True):
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
    foreign_hosts: tuple[str, ...] = ()
    left_running: tuple[str, ...] = ()
    trace: Trace | None = None

    def at_level(self, level: Level) -> tuple[Finding, ...]:
        """The findings that fail a run at this level: `must` alone, or both."""
        return tuple(f for f in self.findings if level == "should" or f.level == "must")
