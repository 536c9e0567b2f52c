"""Laws on what the agent sends: `accepted`, `asked`, `system-kept`, `user-first`, `no-picture-text`."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, MismatchKind, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.shortened_texts import (
    ANCHOR,
    LEAST,
    cut_of,
    hint,
    is_for_a_summary,
    is_for_the_shape,
    may_be_shorter,
    stands_for,
)
from agent_conformance.scenario.derived.half_characters import whole_part
from agent_conformance.scenario.derived.pictures import has_pictures
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers import View


def check_refusals(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The provider refuses no request. Refusals by an inferred rule are advice: the real provider may accept it."""
    for record, request in evidence.transcript.requests():
        # What this run tolerates: the fake accepted it, and the real provider would not
        for breach in request.tolerated:
            yield ACCEPTED.broken(
                "tolerated",
                turn=record.number,
                request=request.number,
                expected="",
                got=f"its messages: {described(request.view)}",
                place=breach.at,
                refused=f"{breach.status} {breach.message}",
                level="should" if breach.confidence == "inferred" else "must",
                rule=breach.rule,
            )
    for record in evidence.turns:
        for request in record.requests:
            violation = request.violation
            if request.kind != "refused" or violation is None:
                continue
            level: Level | None = "should" if violation.confidence == "inferred" else "must"
            kind: MismatchKind = "ending"
            if violation.about == "picture":
                level = level_of_refusal(evidence, record, request)
                kind = "ending" if level == "must" else "request"
            if level is None:
                continue
            yield ACCEPTED.broken(
                kind,
                turn=record.number,
                request=request.number,
                expected="",
                got=f"its messages: {described(request.view)}",
                place=violation.at,
                refused=f"{violation.status} {violation.message}",
                level=level,
                rule=violation.rule,
            )


def check_user_message(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Every request of a turn contains the user's message of that turn."""
    limited = may_be_shorter(evidence)
    resumed = {id(after) for before, after in pairwise(evidence.turns) if before.is_unfinished}
    for record, request in evidence.model_requests():
        message = whole_part(record.turn.user_text).strip()
        if id(record) in resumed and request is not record.requests[-1]:
            continue  # an agent that waited for the user, or was killed, may first finish what it had begun
        wanted = message[:200] if limited else message
        if request.refused or not wanted:
            continue
        if flat(wanted) in user_text(request) or is_shorter(request, flat(wanted)):
            continue
        if stands_for(evidence, record, request, wanted):
            continue
        if not is_for_a_summary(evidence, request) and not is_for_the_shape(evidence, record, request):
            yield ASKED.broken_by(
                record,
                request,
                expected=f'the user\'s message of this turn: "{quoted(wanted, 80)}"',
                got=f"a request without it: {described(request.view)}{hint(record, request)}",
            )


def user_text(request: RecordedRequest) -> str:
    """All that the user says in it, flat."""
    return flat("\n".join(message.text for message in request.view.messages if message.role == "user"))


def is_shorter(request: RecordedRequest, wanted: str) -> bool:
    """Whether a cut of the message stands there, with a mark that says so."""
    cut = cut_of(wanted, user_text(request))
    return cut is not None and cut.has_sign


def check_system_prompt(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Once a request had the system prompt, every later one has it, wherever the agent puts it. A cut has a mark."""
    prompt = flat(evidence.scenario.system)
    was_sent = False
    for record, request in evidence.model_requests():
        if request.refused or not prompt:
            continue
        sent = flat("\n".join((request.view.system, *(message.text for message in request.view.messages))))
        if prompt in sent:
            was_sent = True
        elif not was_sent and not may_be_shorter(evidence) and (kept := _part_of_prompt(evidence, sent)) is not None:
            yield SYSTEM_KEPT.broken_by(
                record,
                request,
                expected=f'the whole system prompt "{quoted(prompt, 80)}", or a mark where it was cut',
                got=f"{kept} of its {len(prompt)} characters, and no mark",
            )
        elif was_sent and not (is_for_a_summary(evidence, request) or is_for_the_shape(evidence, record, request)):
            yield SYSTEM_KEPT.broken_by(
                record,
                request,
                expected=f'the system prompt, which earlier requests had: "{quoted(prompt, 80)}"',
                got=f"a request without it: {described(request.view)}{hint(record, request)}",
            )


def _part_of_prompt(evidence: CaseEvidence, sent: str) -> int | None:
    """How many characters of the system prompt were sent, if it was cut without a mark.

    It may be written in another way, with its lines as items of a list, as markup, or with a part in other words.
    """
    sent, prompt = html.unescape(sent), flat(evidence.scenario.system)
    cut = cut_of(prompt, sent)
    start, end = sent.find(prompt[:ANCHOR]), sent.rfind(prompt[-ANCHOR:]) + ANCHOR
    if len(prompt) < 2 * ANCHOR + LEAST or (0 <= start < end and end - start > len(prompt) - LEAST):
        return None
    lines = Counter(flat(line) for line in evidence.scenario.system.splitlines() if line.strip())
    is_whole = all(sent.count(line) >= times for line, times in lines.items())
    return None if cut is None or cut.has_sign or is_whole else cut.kept


NEED_A_USER_MESSAGE = ("vllm", "llama.cpp", "ollama")
"""Providers that serve open models, where a chat template refused a request without any user message: `No user query
found in messages.` (vllm-project/vllm#36432, diegosouzapw/OmniRoute#4982, anomalyco/opencode#47367). The fakes serve
every model and accept it. No harm is known of a request that a provider accepts and that only begins with a call;
providers that refuse one do so by a rule."""


def check_first_message(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Every request begins with a user message. Advice, but for a request without any where that is known to fail."""
    for record, request in evidence.model_requests():
        if request.refused or not request.view.messages:
            continue
        messages = request.view.messages
        first = messages[0]
        if first.role == "user":
            continue
        none = all(message.role != "user" for message in messages)
        yield USER_FIRST.broken_by(
            record,
            request,
            level="must" if none and evidence.provider in NEED_A_USER_MESSAGE else "should",
            place=first.at,
            expected="a request that begins, after the system messages, with a user message",
            got=f"it begins with {_opening(request.view)}" + ("; there is no user message at all" if none else ""),
            detail=f"it begins with {'a tool result' if first.role == 'tool' else 'an assistant message'}",
        )


def _opening(view: View) -> str:
    first = view.messages[0]
    if first.calls:
        return f"an assistant message that calls {', '.join(call.name for call in first.calls)}"
    if first.role == "tool":
        return "a tool result"
    return f'an assistant message: "{quoted(first.text, 60)}"'


def described(view: View) -> str:
    """The shape of a request in one line: its roles, calls and results."""
    parts = []
    for message in view.messages[:12]:
        part: str = message.role
        if message.calls:
            part += f" calls {', '.join(call.name for call in message.calls)}"
        if message.results:
            part = f"{len(message.results)} result{'s' if len(message.results) > 1 else ''}"
        parts.append(part)
    more = len(view.messages) - len(parts)
    text = "; ".join(parts) or "without any message"
    return f"{text}; and {more} more" if more else text


ACCEPTED = Law("accepted", check_refusals, Harm.REFUSAL, may_end_case=True)
ASKED = Law("asked", check_user_message, Harm.DATA)
SYSTEM_KEPT = Law("system-kept", check_system_prompt, Harm.DATA)
USER_FIRST = Law("user-first", check_first_message, Harm.DATA)


# When a refused picture breaks the law `accepted`: learning a provider's limit from one refusal is right


MOST_REFUSALS = 2
"""Of the same body: a client may try once more."""


def level_of_refusal(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Level | None:
    """The level of the refusal of a picture; None where the agent recovers from it.

    It recovers within the turn, or gives up once and goes on in the next turn, which is advice. A second turn that
    ends like this shows that the picture stays in the conversation for ever.
    """
    before = record.requests[: _place(record, request)]
    same = [other for other in before if other.refused and other.http.body == request.http.body]
    if len(same) >= MOST_REFUSALS:
        return "must"
    if not _ends_refused(record):
        return None
    ended = [other for other in evidence.turns if _ends_refused(other)]
    if len(ended) == 1:
        return "should"
    return "must" if record is not ended[0] else None


def _ends_refused(record: TurnRecord) -> bool:
    """Whether nothing was accepted after the refusal of a picture."""
    refused = [
        request
        for request in record.requests
        if request.refused and request.violation is not None and request.violation.about == "picture"
    ]
    return bool(refused) and not any(other.counts for other in record.requests[_place(record, refused[-1]) :])


def _place(record: TurnRecord, request: RecordedRequest) -> int:
    return next(place for place, other in enumerate(record.requests) if other is request)


BASE64 = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|PHN2Zy)(?:[A-Za-z0-9+/=_-]|\\/){200,}")
"""More than 200 characters of the base64 of a PNG, a JPEG, a GIF or an SVG, from its beginning."""


def check_picture_text(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Advice for an agent that does not declare `images`: what it makes of parts may be its framework's doing."""
    if not has_pictures(evidence.scenario):
        return
    requests = ((record, request) for record in evidence.turns for request in record.requests)
    for record, request in (one for one in requests if one[1].kind in (*CONVERSATION, "side")):
        found = next(filter(None, map(BASE64.search, _texts(request.view))), None)
        if found is not None:
            yield NO_PICTURE_TEXT.broken_by(
                record,
                request,
                level="must" if evidence.has("images") else "should",
                expected="a picture as a picture, or words about it",
                got=f'base64 in a text: "{quoted(found[0], 60)}"',
            )


def _texts(view: View) -> Iterator[str]:
    yield view.system
    for message in view.messages:
        if message.role != "assistant":
            yield message.text
        yield from (result.text for result in message.results)


NO_PICTURE_TEXT = Law("no-picture-text", check_picture_text, Harm.WORDS)
