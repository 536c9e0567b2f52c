"""From a case that ran to its record in the results. Knows the case's result and its transcripts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.record.finding import Finding, Trace
from agent_conformance.record.transcript import Transcript
from agent_conformance.report.baseline import Entry
from agent_conformance.report.case_report import FindingState
from agent_conformance.report.comparison import CaseResult
from agent_conformance.report.printing import MULTILINE, facts_of
from agent_conformance.results.bodies import Bodies
from agent_conformance.results.model import Body, CaseRecord, FindingResult, SnapshotResult
from agent_conformance.results.texts import TextCleaner, printable_lines
from agent_conformance.results.turn_records import turns_of
from agent_conformance.scenario.cases import Case

LONGEST_NARRATIVE = 200_000


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
        narrative=text.block(ran.narrative, LONGEST_NARRATIVE).rstrip("\n"),
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
