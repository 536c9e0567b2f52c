"""The laws: what holds in every case, whatever the scenario expects. Each reads one case run."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import get_args

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.laws.law import Law
from agent_conformance.scenario.model import LawId
from agent_conformance.transcripts.finding import Subject

_DECLARED: dict[str, Law] = {
    value.id: value
    for module in sorted(found.name for found in pkgutil.iter_modules(__path__, f"{__name__}."))
    for value in vars(import_module(module)).values()
    if isinstance(value, Law)
}
if _DECLARED.keys() != set(get_args(LawId)):
    raise TypeError(
        f"laws that only LawId or only a module of {__name__} has: {sorted(_DECLARED.keys() ^ set(get_args(LawId)))}"
    )

LAWS: tuple[Law, ...] = tuple(_DECLARED[id] for id in get_args(LawId))
"""In the order in which findings at one place are listed."""

_BY_ID: dict[str, Law] = {law.id: law for law in LAWS}
_CHECKS = tuple(dict.fromkeys(law.check for law in LAWS))


def broken_laws(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Everything that breaks a law, but for the laws that the scenario waives."""
    for check in _CHECKS:
        for mismatch in check(evidence):
            law = law_of(mismatch.subject)
            if law is None or law.id not in evidence.scenario.waive:
                yield mismatch


def law_of(subject: Subject) -> Law | None:
    """The law that was broken: `accepted` by what breaks a rule of a provider, none by an expectation."""
    return _BY_ID.get(subject.law)
