"""Sorting out what follows from what: one cause, one finding. Knows no law and no expectation by its meaning."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.judge.evidence import END, Fault, flat
from conformance.record.finding import Finding

_EVERYTHING = frozenset({"ending", "bound", "request", "execution", "shown", "failure", "survival", "expectation"})

EXPLAINS: Mapping[str, frozenset[str]] = {
    "ending": _EVERYTHING,
    "bound": _EVERYTHING,
    "request": frozenset({"bound", "shown", "failure", "survival", "expectation"}),
    "execution": frozenset({"failure", "survival", "expectation"}),
    "shown": frozenset({"failure", "expectation"}),
    "failure": frozenset({"expectation"}),
    "survival": frozenset(),
    "expectation": frozenset(),
}
"""Which later faults are consequences of a fault of each kind."""


@dataclass(slots=True)
class _Cause:
    fault: Fault
    consequences: list[str]
    again: int = 0


def findings(faults: Iterable[Fault]) -> tuple[Finding, ...]:
    """One finding for each cause, in the order in which they were met; the same id again is counted under the first."""
    causes: list[_Cause] = []
    for fault in sorted(faults, key=_position):
        known = next((cause for cause in causes if cause.fault.id == fault.id), None)
        if known is not None:
            known.again += 1
            continue
        cause = next((cause for cause in causes if _explains(cause.fault, fault)), None)
        if cause is not None:
            cause.consequences.append(_consequence(fault))
        else:
            causes.append(_Cause(fault, []))
    return tuple(_finding(cause) for cause in causes)


BRIEF = 70
"""Characters that are told of a consequence: what matters is the cause."""

_RANK = {
    "ending": 0,
    "bound": 1,
    "request": 2,
    "execution": 3,
    "shown": 4,
    "failure": 5,
    "expectation": 6,
    "survival": 7,
}


def _position(fault: Fault) -> tuple[int, int, int, int]:
    ended = 1 if fault.request == END else 0
    return (fault.turn, ended, fault.request if not ended else 0, _RANK[fault.kind])


def _explains(cause: Fault, fault: Fault) -> bool:
    """A must may explain anything of its kind's list, advice only advice; an advisory refusal explains all the same."""
    if fault.kind not in EXPLAINS[cause.kind]:
        return False
    return cause.level == "must" or fault.level == "should" or cause.kind == "ending"


def _consequence(fault: Fault) -> str:
    """`1.outcome: error: ...`, in at most some 80 characters."""
    text = flat(fault.got or fault.refused)
    return f"{fault.id}: {text if len(text) <= BRIEF else text[: BRIEF - 4] + ' ...'}"


def _finding(cause: _Cause) -> Finding:
    fault = cause.fault
    facts = [("at", fault.at)]
    if fault.refused:
        facts.append(("refused", fault.refused))
    if fault.expected:
        facts.append(("expected", fault.expected))
    if fault.got:
        facts.append(("got", fault.got))
    if cause.again:
        facts.append(("again", f"{cause.again} more time{'s' if cause.again > 1 else ''} in this case"))
    return Finding(fault.id, fault.level, fault.cause or fault.id, tuple(facts), tuple(cause.consequences))
