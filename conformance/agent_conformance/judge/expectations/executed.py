"""The expectation `executed`, and that calls which the model wrote as text are run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agent_conformance.judge.calls import same_arguments, same_call
from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted, unmet
from agent_conformance.judge.expectations.requests import range_text
from agent_conformance.scenario.model import Demands, Range
from agent_conformance.transcripts.finding import Subject
from agent_conformance.transcripts.transcript import Approval, Attempt, TurnRecord

Wanted = Mapping[str, Any]


def executed(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    wanted = demands.executed
    if wanted is None:
        return
    ran = record.executions
    if wanted.any_order is not None:
        fits, expected = (
            _same_in_any_order(evidence, ran, wanted.any_order),
            _listed(wanted.any_order) + ", in any order",
        )
    elif wanted.one_of is not None:
        fits = any(_same_in_order(evidence, ran, choice) for choice in wanted.one_of)
        expected = "one of: " + " | ".join(_listed(choice) for choice in wanted.one_of)
    else:
        fits, expected = _same_in_order(evidence, ran, wanted.in_order or []), _listed(wanted.in_order or [])
    if not fits:
        yield unmet(record, "executed", expected, f"{_ran(ran)}{_refused(record)}")


def approvals(evidence: CaseEvidence, record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """What the user is asked to allow: each of these calls once, in any order."""
    if demands.approvals is None:
        return
    if not _asked_about(evidence, record.approvals, demands.approvals):
        yield unmet(
            record,
            "approvals",
            "the user to be asked about " + (_listed(demands.approvals) if demands.approvals else "nothing"),
            ", ".join(_call(one.tool, one.arguments) for one in record.approvals) or "no question",
        )


def _asked_about(evidence: CaseEvidence, asked: Sequence[Approval], wanted: Sequence[Wanted]) -> bool:
    """Questions without arguments come last: they fit any call of their tool."""
    rest = list(wanted)
    for one in sorted(asked, key=lambda question: question.arguments is None):
        schema = evidence.schema_of(one.tool)
        found = next((want for want in rest if _is_question(one, *_only(want), schema)), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def _is_question(question: Approval, tool: str, arguments: Any, schema: Mapping[str, Any]) -> bool:
    same = question.arguments is None or same_arguments(question.arguments, arguments, schema)
    return question.tool == tool and same


def calls_from_text(evidence: CaseEvidence, record: TurnRecord) -> Iterator[Mismatch]:
    """Calls that the model wrote as text, and that a correct agent runs, are run. Such a text has what the tool takes,
    and nothing that the agent requires besides.
    """
    for number, reply in enumerate(record.turn.model):
        means = reply.means
        served = next((request for request in record.requests if request.spec is reply), None)
        if means is None or means.handling != "run" or served is None:
            continue
        for call in means.calls:
            runs = (call.name, *call.may_run)
            if served.requires_more.intersection(runs):
                continue
            sent = call.arguments or {}
            if not any(
                attempt.tool in runs and _matches(evidence, attempt, attempt.tool, sent)
                for attempt in record.executions
            ):
                expected = _listed([{call.name: sent}]) + ", which the model wrote as text"
                yield unmet(record, "means", expected, _ran(record.executions), number=number)
                return


def _same_in_order(evidence: CaseEvidence, ran: Sequence[Attempt], wanted: Sequence[Wanted]) -> bool:
    return len(ran) == len(wanted) and all(
        _matches(evidence, attempt, *_only(want)) for attempt, want in zip(ran, wanted, strict=True)
    )


def _same_in_any_order(evidence: CaseEvidence, ran: Sequence[Attempt], wanted: Sequence[Wanted]) -> bool:
    rest = list(wanted)
    for attempt in ran:
        found = next((want for want in rest if _matches(evidence, attempt, *_only(want))), None)
        if found is None:
            return False
        rest.remove(found)
    return not rest


def _matches(evidence: CaseEvidence, attempt: Attempt, name: str, arguments: Any) -> bool:
    return same_call(evidence, attempt.tool, attempt.arguments, name, arguments)


def _only(want: Wanted) -> tuple[str, Any]:
    return next(iter(want.items()))


def _listed(wanted: Sequence[Wanted]) -> str:
    return ", ".join(_call(*_only(want)) for want in wanted) or "no tool to run"


def _ran(attempts: Sequence[Attempt]) -> str:
    return ", ".join(_call(attempt.tool, attempt.arguments) for attempt in attempts) or "no tool ran"


def _refused(record: TurnRecord) -> str:
    """The first call that did not run for its arguments."""
    for attempt in record.attempts:
        if attempt.enabled and not attempt.accepted:
            return f"; {_call(attempt.tool, attempt.arguments)} was called, which the tool's parameters refuse"
    return ""


def _call(name: str, arguments: Any) -> str:
    return f"{name} {quoted(json.dumps(arguments, ensure_ascii=False, default=repr), 100)}"


# The expectation `effects`: how often a tool runs in the whole case


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
