"""The law `steered`: what the user says during a turn reaches the model as the user's words, and stays."""

from collections.abc import Iterator
from itertools import pairwise

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.requests import described, is_shorter, user_text
from agent_conformance.judge.laws.restored import OwnWords
from agent_conformance.judge.shortened_texts import is_for_a_summary, may_be_shorter, stands_for
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord


def check_steering(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """In no result, never between a call and its result, in the order in which it was said, and from then on there: in
    each request of the turn that has begun to send it, and at the end of each later turn.
    """
    turns = evidence.transcript.turns
    for place, steered in enumerate(turns):
        for steer, _ in steered.said:
            yield from _check(evidence, place, flat(steer.user))
        yield from _out_of_order(evidence, place, [flat(steer.user) for steer, _ in steered.said])


def _out_of_order(evidence: CaseEvidence, place: int, said: list[str]) -> Iterator[Mismatch]:
    """The first request that has two of these messages, the later one first: it may take back what the other asks."""
    turns = evidence.transcript.turns
    for record in (one for one in turns[place:] if one.turn.session == turns[place].turn.session):
        for request in _of_conversation(record):
            sent = user_text(request)
            for before, after in pairwise(text for text in said if text in sent):
                if before not in after and after not in before and sent.find(after) < sent.find(before):
                    yield STEERED.broken_by(
                        record,
                        request,
                        expected=f'"{quoted(before, 60)}", which the user said first, before "{quoted(after, 60)}"',
                        got="the later message stands first",
                        detail="messages of the user in another order",
                    )
                    return


def _of_conversation(record: TurnRecord) -> list[RecordedRequest]:
    return [one for one in record.requests if one.kind in CONVERSATION and not one.refused]


def _check(evidence: CaseEvidence, place: int, message: str) -> Iterator[Mismatch]:
    turns = evidence.transcript.turns
    steered = turns[place]
    was_heard, own_words = False, OwnWords(evidence)
    for record in (one for one in turns[place:] if one.turn.session == steered.turn.session):
        if was_heard and any(one.turn.restart for one in turns[place + 1 :] if one.number <= record.number):
            break  # that it is lost by a restart is for `restored`
        requests = _of_conversation(record)
        for request in requests:
            yield from _misplaced(record, request, message)
        was_heard = was_heard or any(message in user_text(request) for request in requests)
        if record is steered:
            yield from _forgotten(evidence, record, requests, message)
        if record is steered or not requests or (was_heard and may_be_shorter(evidence)):
            continue  # where the context is limited, an older turn may go
        last = requests[-1]
        if stands_for(evidence, record, last, message):
            break
        if message not in user_text(last) and not (was_heard and own_words.are_in(last.view)):
            is_stopped = steered.outcome == "cancelled"
            is_gone = is_stopped and flat(steered.turn.user_text) not in user_text(last)
            if not (was_heard and is_gone):  # a turn that the user has cancelled may be forgotten as a whole
                # What no request has had may have gone back to where the user types.
                yield _missing(record, last, message, level="should" if is_stopped and not was_heard else "must")
            break


def _misplaced(record: TurnRecord, request: RecordedRequest, message: str) -> Iterator[Mismatch]:
    view = request.view
    for result in (result for one in view.messages for result in one.results):
        if message in flat(result.text):
            yield STEERED.broken_by(
                record,
                request,
                expected=f'"{quoted(message, 80)}" as words of the user',
                got=f'it stands in the result of a tool: "{quoted(result.text, 120)}"',
            )
            return
    for before, now, after in zip(view.messages, view.messages[1:], view.messages[2:], strict=False):
        if before.calls and now.role == "user" and message in flat(now.text) and after.results:
            yield STEERED.broken_by(
                record,
                request,
                place=now.at,
                expected=f'"{quoted(message, 80)}" after all results of the calls before it',
                got=f"it stands between calls and their results: {described(view)}",
            )
            return


def _forgotten(
    evidence: CaseEvidence, record: TurnRecord, requests: list[RecordedRequest], message: str
) -> Iterator[Mismatch]:
    """A request of its own turn that does not have it any more: it belongs to the question, like the user's message."""
    heard = False
    for request in requests:
        if message in user_text(request):
            heard = True
        elif heard and not (
            is_shorter(request, message)
            or stands_for(evidence, record, request, message)
            or is_for_a_summary(evidence, request)
        ):
            yield _missing(record, request, message, when="during this turn, and which an earlier request had")
            return


def _missing(
    record: TurnRecord,
    request: RecordedRequest,
    message: str,
    *,
    when: str = "during an earlier turn",
    level: Level = "must",
) -> Mismatch:
    return STEERED.broken_by(
        record,
        request,
        level=level,
        expected=f'what the user said {when}: "{quoted(message, 80)}"',
        got=f"a request without it: {described(request.view)}",
    )


STEERED = Law("steered", check_steering, Harm.DATA)
