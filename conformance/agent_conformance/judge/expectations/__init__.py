"""What a scenario expects beyond the laws, turn by turn."""

from collections.abc import Iterator
from dataclasses import replace

from agent_conformance.judge.evidence import CaseEvidence, Mismatch
from agent_conformance.judge.expectations.effects import effects
from agent_conformance.judge.expectations.executed import approvals, calls_from_text, executed
from agent_conformance.judge.expectations.pictures import pictures_in_results
from agent_conformance.judge.expectations.replies import narration, outcome, reply
from agent_conformance.judge.expectations.requests import request_count, requests, state
from agent_conformance.record.finding import Level
from agent_conformance.record.transcript import TurnRecord
from agent_conformance.scenario.model import Demands


def expectations(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Mismatches of every turn that ran, and of the whole case.

    Ids are `<turn>.<field>`, those of advice `<turn>.should.<field>`, and `effects[n]`.
    """
    level: Level = evidence.scenario.level
    for record in evidence.turns:
        demands = record.turn.expect
        turn_level = _level_of(level, evidence, record)
        yield from _of_turn(evidence, record, demands, prefix=f"{record.number}.", level=turn_level, is_default=True)
        if demands.should is not None:
            should = f"{record.number}.should."
            yield from _of_turn(evidence, record, demands.should, prefix=should, level="should", is_default=False)
        yield from _with_prefix(calls_from_text(evidence, record), f"{record.number}.should.", "should")
        yield from _with_prefix(pictures_in_results(evidence, record), f"{record.number}.should.", "should")
    yield from effects(evidence)


def _level_of(level: Level, evidence: CaseEvidence, record: TurnRecord) -> Level:
    """Advice where the turn depends on text that only open models write, and the wire serves none of them."""
    depends_on_text = any(reply.means is not None and reply.means.handling != "show" for reply in record.turn.model)
    return evidence.text_level if level == "must" and depends_on_text else level


def _of_turn(
    evidence: CaseEvidence, record: TurnRecord, demands: Demands, *, prefix: str, level: Level, is_default: bool
) -> Iterator[Mismatch]:
    found = [
        *outcome(record, demands, is_default=is_default),
        *reply(record, demands),
        *narration(record, demands),
        *executed(evidence, record, demands),
        *approvals(evidence, record, demands),
        *request_count(record, demands),
        *requests(evidence, record, demands),
        *state(record, demands),
    ]
    yield from _with_prefix(found, prefix, level)


def _with_prefix(mismatches: list[Mismatch] | Iterator[Mismatch], prefix: str, level: Level) -> Iterator[Mismatch]:
    for mismatch in mismatches:
        yield replace(mismatch, id=prefix + mismatch.id, level=level, cause=mismatch.id.split("[")[0])
