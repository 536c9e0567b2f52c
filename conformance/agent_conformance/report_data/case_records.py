"""From a case that ran to its record in the results."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.baseline.baseline import Entry
from agent_conformance.baseline.case_report import MULTILINE, FindingState, facts_of
from agent_conformance.baseline.comparison import CaseResult
from agent_conformance.report_data.model import (
    ApprovalResult,
    AttemptResult,
    Body,
    CaseRecord,
    FindingResult,
    RequestResult,
    SaidResult,
    SnapshotResult,
    TurnResult,
    ViolationResult,
)
from agent_conformance.report_data.texts import TextCleaner, printable_lines
from agent_conformance.scenario.cases import Case
from agent_conformance.transcripts.finding import Finding, Trace
from agent_conformance.transcripts.narrative import history_lines
from agent_conformance.transcripts.transcript import OUTSIDE_TURN, RecordedRequest, Transcript, TurnRecord
from fake_providers import Request, Response, View, Violation
from fake_providers.wire_neutral_lines import CallIds, arguments_of, flat_json, reply_lines

MOST_OF_BODY = 200_000
"""Characters of one body."""
MOST_OF_CASE = 1_000_000
"""Characters of all bodies of one case."""


@dataclass(slots=True)
class Bodies:
    """What one case sent and got. `left_out` counts what came after the bound was reached."""

    text: TextCleaner
    kept: dict[str, Body] = field(default_factory=dict)
    left_out: int = 0
    _characters: int = 0

    def request(self, request: Request) -> str:
        """The id of this request's body."""
        text, cut = self._text(request.body)
        path = self.text.line(request.path)
        return self._keep(Body(text, self._headers(request.headers.items()), request.method, path, cut=cut))

    def response(self, response: Response | None) -> str:
        if response is None:
            return ""
        text, cut = self._text(response.body)
        return self._keep(Body(text, self._headers(response.headers), status=response.status, cut=cut))

    def _text(self, body: bytes) -> tuple[str, int]:
        return self.text.body(body.decode("utf-8", "backslashreplace"), MOST_OF_BODY)

    def _headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((self.text.line(name), self.text.line(value)) for name, value in headers)

    def _keep(self, body: Body) -> str:
        id = hashlib.sha256(repr(body).encode(errors="backslashreplace")).hexdigest()[:16]
        if id in self.kept:
            return id
        if self._characters > MOST_OF_CASE:
            self.left_out += 1
            return ""
        self._characters += len(body.text)
        self.kept[id] = body
        return id


@dataclass(frozen=True, slots=True)
class RanCase:
    """One case as it ran. `narrative` is that of `transcript`, which is None where an error ended the case run."""

    case: Case
    result: CaseResult
    transcript: Transcript | None
    narrative: str
    seconds: float
    rerun: str


def transcript_with_finding(result: CaseResult, transcripts: Sequence[Transcript]) -> Transcript | None:
    """Of the ways in which the text was cut, the one that has the first finding."""
    cuts = [finding.cut for finding in (*result.new, *(known for known, _ in result.known))]
    first = transcripts[0] if transcripts else None
    return next((each for each in transcripts if cuts and each.split == cuts[0]), first)


def case_record(
    ran: RanCase, *, hide: Callable[[str], str], with_turns: bool = False
) -> tuple[CaseRecord, dict[str, Body]]:
    """The record, and the bodies that it names. `with_turns`: also where there is no finding."""
    case, result, transcript = ran.case, ran.result, ran.transcript
    text = TextCleaner(hide, transcript.state_dir if transcript is not None else "")
    bodies = Bodies(text)
    findings = tuple(_findings(result, text))
    shows_turns = transcript is not None and (with_turns or bool(findings) or result.outcome == "error")
    turns = turns_of(transcript, text, bodies) if transcript is not None and shows_turns else ()
    record = CaseRecord(
        id=case.id,
        scenario=case.file.id,
        example=text.line(case.row or ""),
        area=case.file.area,
        profile=case.scenario.profile,
        wire=case.wire,
        provider=case.provider,
        mode=case.mode,
        file=text.line(case.file.shown),
        title=text.line(case.scenario.description),
        outcome=result.outcome,
        sources=(text.line(case.scenario.source),) if case.scenario.source else (),
        reason=result.not_scored or text.block(result.verdict.reason),
        missing=tuple(sorted(case.missing)),
        seconds=round(ran.seconds, 3),
        rerun=printable_lines(hide(ran.rerun)),
        foreign_hosts=text.lines(result.verdict.foreign_hosts),
        stale=text.lines(entry.finding for entry in result.stale),
        findings=findings,
        trace=_trace(result.verdict.trace, text),
        snapshot=_snapshot(result, text),
        narrative=text.transcript(ran.narrative).rstrip("\n"),
        cut="" if transcript is None or transcript.split == "provider" else transcript.split,
        turns=turns,
        left_out=bodies.left_out,
    )
    return record, bodies.kept


def _findings(result: CaseResult, text: TextCleaner) -> Iterator[FindingResult]:
    yield from (_finding(finding, "new", text) for finding in result.new)
    yield from (_finding(finding, "known", text, entry) for finding, entry in result.known)
    yield from (_finding(finding, "advice", text) for finding in result.advice)
    yield from (_finding(finding, "later", text) for finding in result.later)


def _finding(finding: Finding, state: FindingState, text: TextCleaner, entry: Entry | None = None) -> FindingResult:
    subject, scenario = finding.subject, finding.scenario
    return FindingResult(
        id=text.line(finding.id),
        cause=text.line(finding.code),
        kind=subject.kind,
        level=finding.level,
        state=state,
        law=subject.law,
        rule=text.line(subject.rule),
        detail=text.line(finding.detail),
        facts=tuple(
            (label, text.block(value) if label in MULTILINE else text.line(value)) for label, value in facts_of(finding)
        ),
        consequences=text.lines(map(str, finding.consequences)),
        not_checked=finding.not_checked,
        trace=_trace(finding.trace, text),
        source=text.line(str(scenario or "")),
        place=finding.place,
        file_line=text.line(finding.origin.in_agent.raised_at if finding.origin else ""),
        origin=_origin(finding.origin, text),
        scenario=scenario and replace(scenario, file=text.line(scenario.file), source=text.line(scenario.source)),
        cut=finding.cut,
        known=text.line(entry.explained) if entry else "",
        ends_case=finding.ends_case,
        is_tolerated=finding.is_tolerated,
        is_flaky=finding.is_flaky or (entry is not None and entry.flaky),
    )


def _origin(place: CodePlace | None, text: TextCleaner) -> CodePlace | None:
    if place is None:
        return None
    return CodePlace(text.line(place.file), place.line, _origin(place.called_from, text))


def _snapshot(result: CaseResult, text: TextCleaner) -> SnapshotResult:
    if result.snapshot is None:
        return SnapshotResult()
    return SnapshotResult(result.snapshot.state, text.block(result.snapshot.diff))


def _trace(trace: Trace | None, text: TextCleaner) -> str:
    return "" if trace is None else text.block(trace.whole or trace.brief)


ANSWERS = {True: "allowed", False: "denied", "pending": "pending"}


def turns_of(transcript: Transcript, text: TextCleaner, bodies: Bodies) -> tuple[TurnResult, ...]:
    names = CallIds()
    for _, request in transcript.requests():
        for call in request.calls:
            names.name(call.id)
    previous: dict[str | None, View] = {}
    # `previous` has the last request of each session's conversation.
    return tuple(
        TurnResult(
            number=record.number,
            user=text.block(record.turn.user_text),
            reply=text.block(record.reply),
            outcome=record.outcome,
            failure=text.block(record.failure),
            place=text.line(str(record.place or "")),
            session=record.turn.session or "",
            is_follow_up=record.is_follow_up,
            said=tuple(SaidResult(text.block(steer.user), after) for steer, after in record.said),
            withdrawn=tuple(map(text.block, record.withdrawn)),
            attempts=tuple(
                AttemptResult(
                    order=attempt.order,
                    tool=text.line(attempt.tool),
                    arguments=text.block(flat_json(attempt.arguments)),
                    accepted=attempt.accepted,
                    result=text.block(attempt.result),
                    failed=attempt.failed,
                    lost=attempt.lost or "",
                    requests_before=attempt.requests_before,
                )
                for attempt in record.attempts
            ),
            approvals=tuple(
                ApprovalResult(
                    tool=text.line(approval.tool),
                    arguments=text.block(flat_json(approval.arguments)),
                    answer=ANSWERS[approval.answer],
                    attempts_before=approval.attempts_before,
                    requests_before=approval.requests_before,
                )
                for approval in record.approvals
            ),
            events=tuple(map(text.block, record.events)),
            requests=tuple(_requests(record, previous, names, text, bodies)),
        )
        for record in transcript.turns
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
