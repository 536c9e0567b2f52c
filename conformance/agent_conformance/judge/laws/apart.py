"""The law `apart`: nothing that was said in one session stands in the messages of another."""

from collections.abc import Iterator

from agent_conformance.judge.evidence import CaseEvidence, Mismatch, flat, quoted
from agent_conformance.judge.laws.law import Law
from agent_conformance.record.transcript import CONVERSATION, TurnRecord
from fake_providers import View

SHORTEST = 6
"""Shorter texts may stand anywhere."""


def check_sessions(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Of users, models and tools; system prompts and declarations are those of every session."""
    turns = evidence.turns
    if len({record.turn.session for record in turns}) < 2:
        return
    for record in turns:
        own = [text for one in turns if one.turn.session == record.turn.session for text in _said_in(one)]
        others = [text for one in turns if one.turn.session != record.turn.session for text in _said_in(one)]
        foreign = [text for text in others if not any(text in mine for mine in own)]
        for request in record.requests:
            found = _first_in(request.view, foreign) if request.kind in CONVERSATION and not request.refused else None
            if found is not None:
                yield APART.broken_by(
                    record,
                    request,
                    expected="no words of another session in the messages of this one",
                    got=f'"{quoted(found, 120)}", which was said in another session',
                )


def _said_in(record: TurnRecord) -> Iterator[str]:
    replies = [request.reply.text for request in record.requests if request.reply is not None]
    texts = [record.turn.user_text, *replies, *(attempt.result for attempt in record.attempts)]
    return (flat(text) for text in texts if text and len(flat(text)) >= SHORTEST)


def _first_in(view: View, texts: list[str]) -> str | None:
    messages = flat("\n".join(t for m in view.messages for t in (m.text, *(result.text for result in m.results))))
    return next((text for text in texts if text in messages), None)


APART = Law("apart", check_sessions)
