"""The laws: what holds in every case, whatever the scenario expects. Each reads one case run."""

from collections.abc import Iterator

from conformance.judge.evidence import CaseEvidence, Mismatch
from conformance.judge.laws.ending import ANSWERS, BOUNDED, SURVIVES
from conformance.judge.laws.executions import DECLARED_ONLY, ONCE, SENT_ARGUMENTS
from conformance.judge.laws.law import Law
from conformance.judge.laws.offered import OFFERED
from conformance.judge.laws.paired import PAIRED
from conformance.judge.laws.requests import ACCEPTED, ASKED, SYSTEM_KEPT, USER_FIRST
from conformance.judge.laws.user_text import NO_PROTOCOL_TEXT, STREAM_IS_REPLY

LAWS: tuple[Law, ...] = (
    ACCEPTED,
    ASKED,
    SYSTEM_KEPT,
    USER_FIRST,
    OFFERED,
    PAIRED,
    DECLARED_ONLY,
    SENT_ARGUMENTS,
    ONCE,
    NO_PROTOCOL_TEXT,
    STREAM_IS_REPLY,
    BOUNDED,
    ANSWERS,
    SURVIVES,
)
"""In the order in which findings at one place are listed."""

_BY_ID: dict[str, Law] = {law.id: law for law in LAWS}
_CHECKS = tuple(dict.fromkeys(law.check for law in LAWS))


def broken_laws(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Everything that breaks a law, but for the laws that the scenario waives."""
    for check in _CHECKS:
        for mismatch in check(evidence):
            law = law_of(mismatch.id)
            if law is None or law.id not in evidence.scenario.waive:
                yield mismatch


def law_of(id: str) -> Law | None:
    """The law in the id of a finding: `accepted` in `accepted:openai/role`, none in `1.reply`."""
    return _BY_ID.get(id.partition(":")[0])
