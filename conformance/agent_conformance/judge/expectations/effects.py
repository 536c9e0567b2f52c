"""The expectation `effects`: how often a tool runs in the whole case."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch
from agent_conformance.judge.expectations.requests import range_text
from agent_conformance.scenario.model import Range
from agent_conformance.transcripts.finding import Subject
from agent_conformance.transcripts.transcript import TurnRecord


def effects(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Too many runs are named in the turn of the first one too many, too few at the end of a whole case."""
    for number, (tool, wanted) in enumerate(evidence.scenario.effects.items()):
        runs = [record for record in evidence.turns for attempt in record.executions if attempt.tool == tool]
        if wanted.max is not None and len(runs) > wanted.max:
            yield _mismatch(evidence, number, tool, wanted, runs, runs[wanted.max])
        elif len(runs) < (wanted.min or 0) and len(evidence.turns) >= len(evidence.scenario.conversation):
            yield _mismatch(evidence, number, tool, wanted, runs, evidence.turns[-1])


def _mismatch(
    evidence: CaseEvidence, number: int, tool: str, wanted: Range, runs: list[TurnRecord], record: TurnRecord
) -> Mismatch:
    turns = ", ".join(f"turn {turn}" for turn in dict.fromkeys(run.number for run in runs))
    often = f"{range_text(wanted)} time{'' if (wanted.max or wanted.min) == 1 else 's'}"
    times = "once" if len(runs) == 1 else f"{len(runs)} times"
    return Mismatch(
        subject=Subject("expectation", "effects", number=number),
        kind="expectation",
        level=evidence.scenario.level,
        turn=record.number,
        request=END,
        expected=f"{tool} to run {often} in the whole conversation",
        got=f"it ran {times}, in {turns}" if runs else "it did not run",
    )
