"""Laws on how a turn ends: `bounded`, `answers`, `survives`."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, MismatchKind, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.laws.paired import unpaired
from agent_conformance.transcripts.finding import REFUSED, Level, refusal_by
from agent_conformance.transcripts.transcript import (
    BOUND_WITHOUT_LIMIT,
    FAILED,
    MANY,
    MOST_MEGABYTES,
    MOST_REFUSALS,
    MOST_REQUESTS,
    TurnRecord,
)

NOTHING = re.compile(
    r"""none | null | undefined | nan | \{\s*\} | \[\s*\] | "" | '' | \[object\ \w+\]
    | <(?:coroutine|generator|async_generator|function|bound\ method|object)\b.*>
    | <[\w.]+\ object\ at\ 0x[0-9a-f]+>""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
"""What a program writes where it has no text: nobody has said it, unless a script did."""


SUCCESS = re.compile(
    r"(?:(?:all|it|that|this|(?:the )?(?:task|request|work|job|turn|run))(?: is| was| has been|'s)? )?"
    r"(?:ok|okay|done|success|complete|completed|finished|succeeded)(?: successfully)?[.!]*",
    re.IGNORECASE,
)
"""A program's words for a success."""
CLAIM = re.compile(
    r"\b(?:done|completed?|finished|success|successful|successfully|succeeded|processed|accomplished|all set)\b",
    re.IGNORECASE,
)
"""What a sentence that tells of a success has, after an answer that had nothing in it or was declined."""
DOUBT = re.compile(
    r"""n[\N{APOSTROPHE}\N{RIGHT SINGLE QUOTATION MARK}]t\b
    | \b(?:no|not|none|nothing|never|without|empty|blank|cannot|could|unable|sorry|but|however|again)\b
    | \b(?:un\w+|in(?:complete|valid)|(?:fail|error|refus|declin|block|filter|reject|stop|limit)\w*)\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""What makes it a sentence that tells of something else, too."""
DECLINED = ("refusal", "content_filter", "blocked-prompt")
"""How an answer ends that the model or its filter declines."""
MARKUP = re.compile(r"[<>{}\[\]`|*#]|:\s*$", re.MULTILINE)
"""What an agent may have a reason to take out of a text."""


def check_bound(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """A turn ends within the bound, after which the fake answers no request."""
    for record in evidence.turns:
        counted = len(record.counted)
        if (passed := _passed(record)) is not None:
            expected, got = passed
            yield BOUNDED.broken(
                "bound",
                turn=record.number,
                request=counted + 1,
                expected=expected,
                got=f"{got}; the suite answered no more",
            )
        elif not evidence.has("request-limit") and counted > MANY:
            yield BOUNDED.broken(
                "shown",
                level="should",
                turn=record.number,
                request=END,
                expected=f"at most {MANY} requests in a turn (the suite stops at {BOUND_WITHOUT_LIMIT})",
                got=f"{counted} requests",
            )


def _passed(record: TurnRecord) -> tuple[str, str] | None:
    """The bound at which the fake stopped answering, and what exceeded it."""
    megabytes = sum(len(request.http.body) for request in record.requests) / 1_000_000
    if megabytes > MOST_MEGABYTES:
        return f"at most {MOST_MEGABYTES} MB of requests in a turn", f"{megabytes:.0f} MB"
    refusals = Counter(request.reason for request in record.requests if request.reason)
    if refusals and max(refusals.values()) >= MOST_REFUSALS and record.requests[-1].kind == "stopped":
        return f"at most {MOST_REFUSALS} requests in a turn that are refused for the same reason", "one more"
    if any(request.kind == "stopped" for request in record.requests[:MOST_REQUESTS]):
        counted = len(record.counted)
        return f"at most {counted} requests in a turn", f"request {counted + 1} was sent"
    if len(record.requests) > MOST_REQUESTS:
        return f"at most {MOST_REQUESTS} requests in a turn, refused and repeated ones included", "one more"
    return None


def check_endings(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """A turn ends in a reply of its own or a controlled failure, never in silence, a crash or a hang."""
    for record in evidence.turns:
        if record.outcome in ("crash", "hang", "flood"):
            if any(request.kind == "stopped" for request in record.requests):  # how it ends follows from the bound
                yield _ending(record, END, record.described_failure, kind="shown")
            else:
                kind: MismatchKind = "silence" if record.outcome == "hang" else "ending"
                yield _ending(
                    record, record.requests[-1].number if record.requests else 0, record.described_failure, kind=kind
                )
        elif record.outcome == "reply" and not record.reply.strip():
            blank = f'the reply "{quoted(record.reply)}"'
            yield _ending(record, END, blank, kind="shown", detail=f'the reply "", {_led_to_nothing(record)}')
        elif record.outcome == "reply" and NOTHING.fullmatch(record.reply.strip()) and not _was_said(record):
            got = f'the reply "{quoted(record.reply.strip())}", which no model and no tool has said'
            yield _ending(record, END, got, kind="shown")
        elif record.outcome == "reply" and not record.requests:
            got = f'the reply "{quoted(record.reply)}" of an earlier turn, and no request'
            yield _ending(record, END, got, kind="shown")
        elif record.outcome == "reply" and (half := _half(record)):
            yield _ending(record, END, half, kind="shown", detail="half an answer, without a word on it")
        elif record.outcome == "reply" and (unfinished := _unfinished(record)):
            yield _ending(record, END, unfinished, kind="shown", detail="words from amid the turn as its answer")
        elif record.outcome == "reply" and (hollow := _hollow(record)):
            yield _ending(record, END, hollow, kind="shown", level="should")


def _led_to_nothing(record: TurnRecord) -> str:
    """What came before a blank reply: agents forget each of these on its own, and in code of its own."""
    last = next((request for request in reversed(record.requests) if request.spec is not None), None)
    if last is None or last.spec is None:
        return "and no answer of the model"
    fault, finish = last.spec.fault, last.spec.finish
    if fault is not None and fault.status is None and fault.body is not None:
        return "after a page or nothing" if isinstance(fault.body, str) else "after an error under status 200"
    if last.status >= 400 or fault is not None:
        return "after a failure of the provider"
    if finish in DECLINED:
        return "after a refusal of the model" if finish == "refusal" else "after a filter"
    if last.calls:
        return "after a call"
    if last.said.strip():
        return "after an answer with words"
    return "after thoughts alone" if last.spec.thinking or last.spec.thoughts else "after an empty answer"


def _hollow(record: TurnRecord) -> str | None:
    """A reply that seems to be an answer, and is none of the model's: said as advice."""
    reply = record.reply.strip()
    shown = f'the reply "{quoted(reply)}"'
    if SUCCESS.fullmatch(reply) and not _was_said(record):
        return f"{shown}, which no model and no tool has said"
    last = record.counted[-1] if record.counted else None
    spec = last.spec if last is not None else None
    if last is None or spec is None or last.reply is None or last.calls or spec.fault is not None:
        return None
    text = last.said
    said, shorter = flat(text), flat(reply)
    if (not said or spec.finish in DECLINED) and CLAIM.search(reply) and not DOUBT.search(reply):
        tells_a_result = any(one.result.strip() and flat(one.result) in shorter for one in record.attempts)
        if not tells_a_result and not _was_said(record):
            return f"{shown}, which no model and no tool has said; its answer was {'declined' if said else 'empty'}"
    expect = record.turn.expect
    is_judged = expect.reply is not None or (expect.should is not None and expect.should.reply is not None)
    if is_judged or spec.means is not None or spec.quirks or MARKUP.search(text):
        return None
    return f'{shown}, a part of "{quoted(said)}"' if shorter in said and shorter != said else None


def _unfinished(record: TurnRecord) -> str | None:
    """A reply that is what the model wrote beside an earlier call, or what a tool returned, and nothing else, where the
    model last made a call, in the usual way, that the user has not denied: that the turn was ended, nobody says.
    """
    last = record.counted[-1] if record.counted else None
    spec = last.spec if last is not None else None
    if last is None or spec is None or not last.calls or any(one.answer is not True for one in record.approvals):
        return None
    if spec.finish is not None or spec.fault is not None or spec.means is not None or spec.quirks:
        return None
    reply = flat(record.reply)
    if reply != flat(last.said) and any(reply == flat(one.said) for one in record.counted):
        return f'the reply "{quoted(reply)}", which the model wrote beside an earlier call'
    # A tool whose result is shown as it is has had none before it in the turn.
    of_round = {(one.tool, one.requests_before) for one in record.attempts}
    ran_again = {tool for (tool, first), (same, then) in combinations(of_round, 2) if tool == same and first != then}
    if any(reply == flat(one.result) and one.tool in ran_again for one in record.attempts):
        return f'the reply "{quoted(reply)}", which is what a tool has returned'
    return None


def _half(record: TurnRecord) -> str | None:
    """A reply that is what came of an answer before the connection failed, and nothing else."""
    reply = flat(record.reply)
    if any(reply in flat(request.said) for request in record.counted if request.spec and request.spec.fault is None):
        return None
    for request in record.requests:
        if request.spec is None:
            continue
        fault, text = request.spec.fault, flat(request.spec.text or "")
        has_failed = fault is not None and (
            fault.cut_after is not None or fault.cut_at is not None or fault.error_event is not None
        )
        if has_failed and text.startswith(reply) and reply != text:
            return f'the reply "{quoted(reply)}", which is all that came of "{quoted(text)}"'
    return None


def _was_said(record: TurnRecord) -> bool:
    """Whether the reply stands in something that the model, a tool or the user said in this turn."""
    said = [request.said for request in record.requests]
    said += [record.turn.user_text, *(attempt.result for attempt in record.attempts)]
    return any(record.reply.strip() in text for text in said)


def _ending(
    record: TurnRecord, request: int, got: str, *, kind: MismatchKind, level: Level | None = None, detail: str = ""
) -> Mismatch:
    expected = "a reply that is not blank, or a controlled failure"
    return ANSWERS.broken(
        kind,
        turn=record.number,
        request=request,
        refused=record.last_refusal if record.outcome in FAILED else "",
        level=level,
        expected=expected,
        got=got,
        detail=detail,
        origin=record.place,
    )


def check_follow_up(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """After the last turn a follow-up message is accepted and answered."""
    record = evidence.follow_up
    if record is None:
        return
    refused = next((request for request in record.requests if request.refused and request.violation), None)
    token = record.turn.user_text.removesuffix(".").rsplit(" ", 1)[-1]
    level: Level = "must"
    detail = ""
    if refused is not None and refused.violation is not None:
        violation = refused.violation
        # Whether the real provider may have accepted the request, in which nothing else is wrong.
        level = "should" if violation.confidence == "inferred" and _first_unpaired(record) is None else "must"
        detail = refusal_by(violation.rule, violation.at)
        got = f"{REFUSED}{violation.rule}: {violation.status} {violation.message}"
    elif record.outcome in FAILED:
        detail = record.kind_of_failure
        got = f"{record.outcome}: {record.described_failure}"
    elif (problem := _first_unpaired(record)) is not None and not any(r.tolerated for r in record.requests):
        got = f"a request that holds {problem}"
    elif token not in record.reply:
        got = f'the reply "{quoted(record.reply)}"'
    else:
        return
    yield SURVIVES.broken(
        "survival",
        turn=record.number,
        request=refused.number if refused else END,
        level=level,
        place=refused.violation.at if refused and refused.violation else "",
        refused=record.last_refusal if refused is None and record.outcome in FAILED else "",
        expected=f'one more message, "{record.turn.user_text}", to be accepted and answered',
        got=got,
        detail=detail,
        origin=record.place,
    )


def _first_unpaired(record: TurnRecord) -> str | None:
    """The first call or result in the requests of the follow-up that lacks its counterpart."""
    problems = (problem for request in record.requests for _, problem in unpaired(request.view))
    return next(problems, None)


BOUNDED = Law("bounded", check_bound, Harm.HANG, may_end_case=True)
ANSWERS = Law("answers", check_endings, Harm.HANG, may_end_case=True, shows_log=True)
SURVIVES = Law("survives", check_follow_up, Harm.DATA, shows_log=True)
