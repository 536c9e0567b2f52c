"""What a finding is about: a law, a rule of a provider, an expectation, a snapshot or a relation. Knows findings."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from agent_conformance.record.finding import Finding
from agent_conformance.scenario.model import LawId

FindingKind = Literal["law", "rule", "expectation", "snapshot", "relation"]

LAW_IDS = frozenset((*get_args(LawId), "foreign-host"))
"""`foreign-host` is advice that scenarios need not waive."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The law and the provider's rule that were broken, each empty if there is none."""

    kind: FindingKind
    law: str = ""
    rule: str = ""


def subject_of(finding: Finding) -> Subject:
    law = finding.id.partition(":")[0]
    if "/" in finding.cause:
        return Subject("rule", law, finding.cause)
    if law in LAW_IDS:
        return Subject("law", law)
    others: dict[str, FindingKind] = {"snapshot": "snapshot", "relation": "relation"}
    return Subject(others.get(law, "expectation"))


def relation_of(finding: str) -> str:
    """The relation that a finding with this id is about; empty for any other finding."""
    kind, _, relation = finding.partition(":")
    return relation if kind == "relation" else ""


def checks_relation(relation: str, *, relations: Collection[str], others: Iterable[str]) -> bool:
    """Whether a run that checks these relations has checked this one in a case with these other findings at `must`.

    A case that fails anyway is compared with none.
    """
    return relation in relations and all(relation_of(other) for other in others)
