"""What a finding is about: a law of the suite, a rule of a provider, an expectation, or a snapshot. Knows findings."""

from dataclasses import dataclass
from typing import Literal, get_args

from conformance.record.finding import Finding
from conformance.scenario.model import LawId

FindingKind = Literal["law", "rule", "expectation", "snapshot"]

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
    return Subject("snapshot" if law == "snapshot" else "expectation")
