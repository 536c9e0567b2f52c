"""Laws on what the agent runs: `declared-only`, `sent-arguments`, `once`; one attempt has at most one finding."""

import json
from collections.abc import Iterator

from conformance.judge.arguments import same_arguments
from conformance.judge.calls import UNREADABLE, MadeCall, calls_made
from conformance.judge.evidence import END, Evidence, Fault, quoted
from conformance.record.transcript import Attempt, TurnRecord


def executions(evidence: Evidence) -> Iterator[Fault]:
    made = calls_made(evidence)
    request_offset = 0
    used: set[int] = set()
    for record in evidence.transcript.turns:
        for attempt in record.attempts:
            before = [call for call in made if call.order <= request_offset + attempt.requests_before]
            yield from _attempt(evidence, record, attempt, before, used)
        request_offset += len(record.requests)


def _attempt(
    evidence: Evidence, record: TurnRecord, attempt: Attempt, made: list[MadeCall], used: set[int]
) -> Iterator[Fault]:
    calls = [call for call in made if call.allows(attempt.tool)]
    usable = [call for call in calls if attempt.tool in call.offered and attempt.tool in call.enabled]
    if not usable or not attempt.enabled:
        yield _fault("declared-only", record, attempt, _why_not_declared(attempt, calls, usable))
        return
    spec = evidence.tool(attempt.tool)
    schema = spec.parameters if spec else {}
    matching = [
        call
        for call in usable
        if call.arguments is not UNREADABLE and same_arguments(attempt.arguments, call.arguments, schema)
    ]
    if not attempt.accepted and any(call.is_handed_on_in(attempt.arguments) for call in usable):
        return
    if not matching:
        sent = "; ".join(_sent(call) for call in usable[-3:])
        yield _fault("sent-arguments", record, attempt, f"arguments of a call of {attempt.tool}: {sent}")
        return
    if not attempt.accepted:
        return
    fresh = [call for call in matching if id(call) not in used]
    if not fresh:
        yield _fault(
            "once",
            record,
            attempt,
            f"at most {len(matching)} run{'s' if len(matching) > 1 else ''}: so many such calls were made",
        )
        return
    used.add(id(fresh[0]))


def _why_not_declared(attempt: Attempt, calls: list[MadeCall], usable: list[MadeCall]) -> str:
    if not calls:
        return f"no run of {attempt.tool}: the model did not call it"
    if not attempt.enabled or any(attempt.tool not in call.enabled for call in calls):
        return f"no run of {attempt.tool}: it is disabled"
    return f"no run of {attempt.tool}: the request did not offer it"


def _sent(call: MadeCall) -> str:
    if call.arguments is UNREADABLE:
        return "text that is no JSON object, for which nothing may run"
    return quoted(json.dumps(call.arguments, ensure_ascii=False), 100)


def _fault(law: str, record: TurnRecord, attempt: Attempt, expected: str) -> Fault:
    verb = "ran" if attempt.accepted else "was attempted"
    arguments = quoted(json.dumps(attempt.arguments, ensure_ascii=False, default=repr), 120)
    return Fault(
        id=law,
        kind="execution",
        level="must",
        turn=record.number,
        request=_request_before(record, attempt),
        expected=expected,
        got=f"{attempt.tool} {verb} with {arguments}",
        cause=law,
    )


def _request_before(record: TurnRecord, attempt: Attempt) -> int:
    earlier = record.requests[: attempt.requests_before]
    return earlier[-1].number if earlier else END
