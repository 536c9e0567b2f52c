"""The law `no-picture-text`: a picture reaches the model as a picture or in words, and not as base64 in a text."""

import re
from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.scenario.derived.pictures import has_pictures
from agent_conformance.transcripts.transcript import CONVERSATION
from fake_providers import View

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
