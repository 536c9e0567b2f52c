"""What a scenario expects beyond the laws, turn by turn."""

from collections.abc import Iterator

from msgspec.structs import replace

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.expectations.requests import pictures_in_results, request_count, requests, state
from agent_conformance.judge.expectations.turns import (
    approvals,
    calls_from_text,
    effects,
    executed,
    narration,
    outcome,
    reply,
)
from agent_conformance.scenario.model import Demands
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import TurnRecord


def expectations(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Mismatches of every turn that ran, and of the whole case.

    Ids are `<turn>.<field>`, those of advice `<turn>.should.<field>`, and `effects[n]`.
    """
    level: Level = evidence.scenario.level
    for record in evidence.turns:
        demands = record.turn.expect
        # Advice where the turn depends on text that only open models write, and the wire serves none of them
        depends_on_text = any(reply.means is not None and reply.means.handling != "show" for reply in record.turn.model)
        turn_level = evidence.text_level if level == "must" and depends_on_text else level
        for mismatch in _of_turn(evidence, record, demands, is_default=True):
            yield replace(mismatch, level=turn_level)
        if demands.should is not None:
            yield from _as_advice(_of_turn(evidence, record, demands.should, is_default=False))
        yield from _as_advice(calls_from_text(evidence, record))
        yield from _as_advice(pictures_in_results(evidence, record))
    yield from effects(evidence)


def _of_turn(evidence: CaseEvidence, record: TurnRecord, demands: Demands, *, is_default: bool) -> Iterator[Mismatch]:
    yield from outcome(record, demands, is_default=is_default)
    if record.outcome != "cancelled" or evidence.has("deltas"):  # else nothing is shown before the end
        yield from reply(record, demands)
    yield from narration(record, demands)
    yield from executed(evidence, record, demands)
    yield from approvals(evidence, record, demands)
    yield from request_count(record, demands)
    yield from requests(evidence, record, demands)
    yield from state(record, demands)


def _as_advice(mismatches: Iterator[Mismatch]) -> Iterator[Mismatch]:
    for mismatch in mismatches:
        yield replace(mismatch, subject=replace(mismatch.subject, is_advice=True), level="should")
