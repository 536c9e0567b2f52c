"""The law `narration-apart`, which is advice: the reply is the model's answer, without what it said beside calls."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.transcripts.transcript import TurnRecord


def check_narration(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Only of replies that the agent itself gives: deltas show what the model says while it says it."""
    for record in evidence.turns:
        narration = _joined(record) if record.own_reply and record.outcome == "reply" else None
        if narration is not None:
            yield NARRATION_APART.broken(
                "shown",
                turn=record.number,
                request=END,
                expected="the model's answer as the reply, without the text that it wrote with an earlier call",
                got=f'"{quoted(narration, 80)}" in front of it: "{quoted(record.reply)}"',
            )


def _joined(record: TurnRecord) -> str | None:
    """The text beside a call with which the reply begins, in front of the answer."""
    specs = [request.spec for request in record.counted if request.spec is not None]
    answer = flat(specs[-1].text or "") if specs and not specs[-1].calls else ""
    for spec in specs[:-1]:
        text = flat(spec.text or "") if spec.calls and spec.means is None else ""
        rest = flat(record.reply).removeprefix(text)
        if text and answer and rest != flat(record.reply) and answer in rest and not answer.startswith(text):
            return text
    return None


NARRATION_APART = Law("narration-apart", check_narration, Harm.WORDS, level="should")
