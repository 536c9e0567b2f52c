"""What one scenario demands on top of the laws, step by step."""

from collections.abc import Iterator
from dataclasses import replace

from conformance.judge.evidence import Evidence, Fault
from conformance.judge.expectations.executed import executed, lifted
from conformance.judge.expectations.replies import narration, outcome, reply
from conformance.judge.expectations.requests import request_count, requests, state
from conformance.record.finding import Level
from conformance.record.transcript import TurnRecord
from conformance.scenario.model import Demands


def expectations(evidence: Evidence) -> Iterator[Fault]:
    """Every demand of every turn that was run; ids are `<turn>.<demand>`, those of advice `<turn>.should.<demand>`."""
    level: Level = evidence.scenario.level
    for record in evidence.turns:
        demands = record.turn.expect
        graver = _softer(level, evidence, record)
        yield from _of_turn(evidence, record, demands, prefix=f"{record.number}.", level=graver, outright=True)
        if demands.should is not None:
            should = f"{record.number}.should."
            yield from _of_turn(evidence, record, demands.should, prefix=should, level="should", outright=False)
        yield from _as(lifted(evidence, record), f"{record.number}.should.", "should")


def _softer(level: Level, evidence: Evidence, record: TurnRecord) -> Level:
    """Advice where the turn turns on text that only open models write and the wire serves none."""
    hinges = any(reply.means is not None and reply.means.verdict != "text" for reply in record.turn.model)
    return evidence.text_level if level == "must" and hinges else level


def _of_turn(
    evidence: Evidence, record: TurnRecord, demands: Demands, *, prefix: str, level: Level, outright: bool
) -> Iterator[Fault]:
    found = [
        *outcome(record, demands, outright=outright),
        *reply(record, demands),
        *narration(record, demands),
        *executed(evidence, record, demands),
        *request_count(record, demands),
        *requests(evidence, record, demands),
        *state(record, demands),
    ]
    yield from _as(found, prefix, level)


def _as(faults: list[Fault] | Iterator[Fault], prefix: str, level: Level) -> Iterator[Fault]:
    for fault in faults:
        yield replace(fault, id=prefix + fault.id, level=level, cause=fault.id.split("[")[0])
