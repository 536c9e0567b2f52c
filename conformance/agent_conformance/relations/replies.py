"""What the user has in the end of a turn, without what may be shown before it. Knows turns as they were recorded."""

import re

from agent_conformance.record.transcript import TurnRecord


def final_reply(record: TurnRecord) -> str:
    """The reply without texts at its beginning that the model wrote with calls, and without blank space around lines.

    A streamed reply has these texts where an agent shows them, and a plain one often has not.
    """
    text = record.reply.strip()
    narrations = sorted(_narrations(record), key=len, reverse=True)
    while (said := next((said for said in narrations if text.startswith(said)), None)) is not None:
        text = text[len(said) :].lstrip()
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines))


def _narrations(record: TurnRecord) -> set[str]:
    """What the model said in answers after which it was asked again; of a call as text, the words around it."""
    answers = [request for request in record.requests if request.reply is not None and request.kind != "retry"]
    said: set[str] = set()
    for request in answers:
        assert request.reply is not None
        if request.reply.calls or request is not answers[-1]:
            means = request.spec.means if request.spec is not None else None
            said |= {request.reply.text or "", (means.show if means is not None else None) or ""}
    return {text.strip() for text in said if text.strip()}
