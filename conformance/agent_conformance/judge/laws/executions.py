"""Laws on what the agent runs: `declared-only`, `sent-arguments`, `once`. One attempt breaks at most one of them."""

import json
from bisect import bisect_right
from collections.abc import Iterator

from agent_conformance.judge.calls import UNREADABLE, ModelCall, model_calls, same_arguments
from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import ACCEPTED, Attempt, TurnRecord


def check_executions(evidence: CaseEvidence) -> Iterator[Mismatch]:
    by_tool: dict[str, list[ModelCall]] = {}
    for call in model_calls(evidence):
        for tool in dict.fromkeys(call.runs):
            by_tool.setdefault(tool, []).append(call)
    request_offset = 0
    used: set[int] = set()
    for record in evidence.transcript.turns:
        for attempt in record.attempts:
            calls = by_tool.get(attempt.tool, [])
            before = bisect_right(calls, request_offset + attempt.requests_before, key=lambda call: call.order)
            yield from _attempt(evidence, record, attempt, calls[:before], used)
        request_offset += len(record.requests)


def _attempt(
    evidence: CaseEvidence, record: TurnRecord, attempt: Attempt, calls: list[ModelCall], used: set[int]
) -> Iterator[Mismatch]:
    """`calls` has the model's earlier calls of this tool; the newest that nothing ran for yet is nearly always its."""
    # Enabled tools of which the law `offered` says that they are missing: one cause is one finding.
    first = next((request for request in record.requests if request.kind in ACCEPTED), None)
    known = attempt.tool in (frozenset() if first is None else record.enabled - first.offered)
    schema = evidence.schema_of(attempt.tool)

    def is_usable(call: ModelCall) -> bool:
        return attempt.tool in call.enabled and (known or attempt.tool in call.offered)

    def is_of(call: ModelCall) -> bool:
        return call.arguments is not UNREADABLE and same_arguments(attempt.arguments, call.arguments, schema)

    unused = (call for call in reversed(calls) if id(call) not in used and is_usable(call))
    fresh = next(filter(is_of, unused), None)
    usable = [fresh] if fresh else list(filter(is_usable, calls))
    if not usable or not attempt.enabled:
        yield _broken(DECLARED_ONLY, record, attempt, _why_not_declared(attempt, calls, usable))
        return
    if not attempt.accepted and any(call.is_passed_on_in(attempt.arguments) for call in usable):
        return
    matching = [fresh] if fresh else [call for call in usable if is_of(call)]
    if not matching:
        sent = "; ".join(_sent(call) for call in usable[-3:])
        # Some agents leave out an optional text that is empty: models write one for what they leave out themselves.
        lacks_blanks = any(
            same_arguments(
                attempt.arguments, {key: value for key, value in call.arguments.items() if value != ""}, schema
            )
            for call in usable
            if isinstance(call.arguments, dict)
        )
        level: Level = "should" if attempt.accepted and lacks_blanks else "must"
        yield _broken(SENT_ARGUMENTS, record, attempt, f"arguments of a call of {attempt.tool}: {sent}", level)
        return
    if not attempt.ran:
        return
    if fresh is None:
        yield _broken(
            ONCE,
            record,
            attempt,
            f"at most {len(matching)} run{'s' if len(matching) > 1 else ''}, one for each such call of the model",
        )
        return
    used.add(id(fresh))


def _why_not_declared(attempt: Attempt, calls: list[ModelCall], usable: list[ModelCall]) -> str:
    if not calls:
        return f"no run of {attempt.tool}: the model did not call it"
    if not attempt.enabled or any(attempt.tool not in call.enabled for call in calls):
        return f"no run of {attempt.tool}: it is disabled"
    return f"no run of {attempt.tool}: the request did not offer it"


def _sent(call: ModelCall) -> str:
    if call.arguments is UNREADABLE:
        return f"{quoted(call.text or '', 100)!r}, which is no JSON object: no tool may run for it"
    arguments = quoted(json.dumps(call.arguments, ensure_ascii=False), 100)
    if call.added:
        arguments += f" (the tool has no parameter {' and no '.join(call.added)}: only the agent's declaration does)"
    return arguments if call.text is None else f"{arguments} (the model wrote {quoted(call.text, 100)!r})"


def _broken(law: Law, record: TurnRecord, attempt: Attempt, expected: str, level: Level = "must") -> Mismatch:
    verb = "ran" if attempt.accepted else "was attempted"
    arguments = quoted(json.dumps(attempt.arguments, ensure_ascii=False, default=repr), 120)
    earlier = record.requests[: attempt.requests_before]
    return law.broken(
        "execution",
        turn=record.number,
        request=earlier[-1].number if earlier else END,
        expected=expected,
        got=f"{attempt.tool} {verb} with {arguments}",
        level=level,
    )


DECLARED_ONLY = Law("declared-only", check_executions, Harm.DATA)
SENT_ARGUMENTS = Law("sent-arguments", check_executions, Harm.DATA)
ONCE = Law("once", check_executions, Harm.DATA)
