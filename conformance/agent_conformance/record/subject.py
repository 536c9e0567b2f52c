"""What a finding is about, and the id that says so: written and read here alone.

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


@dataclass(frozen=True, slots=True)
class Subject:
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
