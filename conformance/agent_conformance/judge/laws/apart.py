"""The law `apart`: nothing that was said in one session, or in one case, reaches another."""

import json
import re
from collections.abc import Iterator

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.quotations import plain, quotations
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers import View

SHORTEST = 6
"""Shorter texts may stand anywhere."""
PIN = re.compile(r"\bpin[0-9a-f]{8}\b")
"""The word of a case: each case ends with a message that has one of its own, so that nothing else can have said it."""


def check(evidence: CaseEvidence) -> Iterator[Mismatch]:
    yield from check_sessions(evidence)
    # The first word of another case, in a request, an argument or a reply: what is shared goes on to the end.
    said = evidence.follow_up
    own = set(PIN.findall(said.turn.user_text)) if said is not None else set()
    for record in evidence.transcript.turns:
        for request in record.requests:
            content = request.http.body
            if b"pin" in content and (other := set(PIN.findall(content.decode(errors="replace"))) - own):
                yield _of_another_case(record, request, other, "in its messages")
                return
        arguments = (
            json.dumps([attempt.arguments for attempt in record.attempts], default=repr) if record.attempts else ""
        )
        for text, place in ((arguments, "in the arguments of a tool"), (record.reply, "in the reply")):
            if other := set(PIN.findall(text)) - own:
                yield _of_another_case(record, None, other, place)
                return


def _of_another_case(record: TurnRecord, request: RecordedRequest | None, words: set[str], place: str) -> Mismatch:
    return APART.broken(
        "request" if request is not None else "execution",
        turn=record.number,
        request=request.number if request is not None else END,
        expected="nothing that was said in another case: each has an adapter of its own",
        got=f"{min(words)} {place}, which the user said at the end of another case",
    )


def check_sessions(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """No text of users, models and tools is in a request of another session; declarations are in all.

    What the system prompt of the first request has, nobody has said yet.
    """
    turns = evidence.turns
    if len({record.turn.session for record in turns}) < 2:
        return
    first = next((request for _, request in evidence.model_requests()), None)
    prompt = flat(f"{evidence.scenario.system}\n{first.view.system if first is not None else ''}")
    for record in turns:
        own = [text for one in turns if one.turn.session == record.turn.session for text in _said_in(one)]
        others = [text for one in turns if one.turn.session != record.turn.session for text in _said_in(one)]
        foreign = [text for text in others if text not in prompt and not any(text in mine for mine in own)]
        for request in record.requests:
            is_summary = request.kind == "side" and evidence.scenario.may_be_shortened
            if not is_summary and (request.kind not in CONVERSATION or request.refused):
                continue
            found = _first_in(request.view, foreign) or _instructed(request.view.system, foreign, [prompt, *own])
            if found is not None:
                yield APART.broken_by(
                    record,
                    request,
                    expected="no words of another session in this one",
                    got=f'"{quoted(found, 120)}", which was said in another session',
                )


def _instructed(system: str, foreign: list[str], known: list[str]) -> str | None:
    """The first of these texts of which something stands in the system prompt, in whatever form."""
    known_text = "\n".join(known)
    new = plain("\n".join(line for line in system.splitlines() if flat(line) not in known_text))
    if not new:
        return None
    own = plain(known_text)
    return next((text for text in foreign if quotations(plain(text), new, own)), None)


def _said_in(record: TurnRecord) -> Iterator[str]:
    replies = [request.said for request in record.requests]
    texts = [record.turn.user_text, *replies, *(attempt.result for attempt in record.attempts)]
    return (flat(text) for text in texts if text and len(flat(text)) >= SHORTEST)


def _first_in(view: View, texts: list[str]) -> str | None:
    said = (text for one in view.messages for text in (one.text, *(result.text for result in one.results)))
    sent = flat("\n".join((view.system, *said)))
    return next((text for text in texts if text in sent), None)


APART = Law("apart", check, Harm.DATA)
