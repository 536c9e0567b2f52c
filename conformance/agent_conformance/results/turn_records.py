"""The turns of a transcript as results keep them. Knows transcripts; judges nothing."""

from collections.abc import Iterator

from agent_conformance.record.history import history_lines
from agent_conformance.record.transcript import OUTSIDE_TURN, Approval, Attempt, RecordedRequest, Transcript, TurnRecord
from agent_conformance.results.bodies import Bodies
from agent_conformance.results.model import (
    ApprovalResult,
    AttemptResult,
    RequestResult,
    TurnResult,
    ViolationResult,
)
from agent_conformance.results.texts import TextCleaner
from fake_providers import View, Violation
from fake_providers.neutral_text import CallIds, arguments_of, flat_json, reply_lines

ANSWERS = {True: "allowed", False: "denied", "pending": "pending"}


def turns_of(transcript: Transcript, text: TextCleaner, bodies: Bodies) -> tuple[TurnResult, ...]:
    names = CallIds()
    for _, request in transcript.requests():
        for call in request.calls:
            names.name(call.id)
    previous: dict[str | None, View] = {}
    return tuple(_turn(record, previous, names, text, bodies) for record in transcript.turns)


def _turn(
    record: TurnRecord, previous: dict[str | None, View], names: CallIds, text: TextCleaner, bodies: Bodies
) -> TurnResult:
    """`previous` has the last request of each session's conversation."""
    steer = record.turn.steer
    return TurnResult(
        number=record.number,
        user=text.block(record.turn.user_text),
        reply=text.block(record.reply),
        outcome=record.outcome,
        failure=text.block(record.failure),
        place=text.line(str(record.place or "")),
        session=record.turn.session or "",
        is_follow_up=record.is_follow_up,
        steer=text.block(steer.user) if steer is not None and record.steered_after is not None else "",
        steered_after=record.steered_after,
        withdrawn=tuple(map(text.block, record.withdrawn)),
        attempts=tuple(_attempt(attempt, text) for attempt in record.attempts),
        approvals=tuple(_approval(approval, text) for approval in record.approvals),
        events=tuple(map(text.block, record.events)),
        requests=tuple(_requests(record, previous, names, text, bodies)),
    )


def _requests(
    record: TurnRecord, previous: dict[str | None, View], names: CallIds, text: TextCleaner, bodies: Bodies
) -> Iterator[RequestResult]:
    for request in record.requests:
        before = None if request.kind in OUTSIDE_TURN else previous.get(record.turn.session)
        news = "\n".join(history_lines(request.view, before, names, indent=""))
        yield RequestResult(
            number=request.number,
            kind=request.kind,
            status=request.status,
            provider=request.target.provider if request.target else "",
            wire=request.target.wire if request.target else "",
            model=text.line(request.view.model),
            offers=text.lines(tool.name for tool in request.view.tools),
            news=text.block(news),
            answer=text.block("\n".join(_answer(request, names))),
            violation=_violation(request.violation, text) if request.violation else None,
            tolerated=tuple(_violation(violation, text) for violation in request.tolerated),
            attempts_before=request.attempts_before,
            request=bodies.request(request.http),
            response=bodies.response(request.response),
        )
        if request.kind not in OUTSIDE_TURN:
            previous[record.turn.session] = request.view


def _answer(request: RecordedRequest, names: CallIds) -> Iterator[str]:
    if request.reply is None or request.violation is not None:
        return
    calls = [
        f"{served.name} {arguments_of(call)} ({names.name(served.id)})"
        for call, served in zip(request.reply.calls, request.calls, strict=False)
    ]
    yield from reply_lines(request.reply, calls, indent="")


def _violation(violation: Violation, text: TextCleaner) -> ViolationResult:
    return ViolationResult(violation.rule, text.line(violation.at), text.line(violation.message))


def _attempt(attempt: Attempt, text: TextCleaner) -> AttemptResult:
    return AttemptResult(
        order=attempt.order,
        tool=text.line(attempt.tool),
        arguments=text.block(flat_json(attempt.arguments)),
        accepted=attempt.accepted,
        result=text.block(attempt.result),
        failed=attempt.failed,
        lost=attempt.lost or "",
        requests_before=attempt.requests_before,
    )


def _approval(approval: Approval, text: TextCleaner) -> ApprovalResult:
    return ApprovalResult(
        tool=text.line(approval.tool),
        arguments=text.block(flat_json(approval.arguments)),
        answer=ANSWERS[approval.answer],
        attempts_before=approval.attempts_before,
        requests_before=approval.requests_before,
    )
