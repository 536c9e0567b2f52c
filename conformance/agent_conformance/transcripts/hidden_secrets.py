"""A transcript as the rest of the suite may read it: secrets are replaced before any text is judged, normalised, cut,
escaped or counted, because a part of a secret is not recognised any more.

Knows transcripts; which texts are secret is in `redaction`. The bytes of requests and responses stay as they were sent:
whoever shows them hides what they say as a whole.
"""

from collections.abc import Iterator
from dataclasses import replace

from agent_conformance.transcripts.redaction import SECRETS, Key, rebuilt, text_without_keys
from agent_conformance.transcripts.secret_names import without_needless_escapes
from agent_conformance.transcripts.transcript import Transcript, TurnRecord
from fake_providers.neutral_text import flat_json


def without_secrets(transcript: Transcript) -> Transcript:
    """The same object if it has none, which is quick to see."""
    text = without_needless_escapes("\n".join(_texts(transcript)))
    keys = [key for key in SECRETS.known() if key.may_be_in(text)]
    turns = [_turn_without(record, keys) for record in transcript.turns] if keys else transcript.turns
    if all(new is old for new, old in zip(turns, transcript.turns, strict=True)):
        return transcript
    return replace(transcript, turns=turns)


def _texts(transcript: Transcript) -> Iterator[str]:
    """Whatever the agent said, as it was said. The body of a request has all that its view has."""
    for record in transcript.turns:
        yield from ("".join(record.deltas), record.failure, record.log_tail, record.hidden_crash)
        yield str(record.place or "")
        yield from (*record.withdrawn, *record.events, record.own_reply or "")
        if record.trace is not None:
            yield record.trace.whole
            yield record.trace.brief
        for request in record.requests:
            yield request.http.path
            yield request.http.body.decode("utf-8", "backslashreplace")
        for attempt in record.attempts:
            yield f"{attempt.tool} {flat_json(attempt.arguments)} {attempt.result}"
        for approval in record.approvals:
            yield f"{approval.tool} {flat_json(approval.arguments)}"


def _turn_without(record: TurnRecord, keys: list[Key]) -> TurnRecord:
    hidden: TurnRecord = rebuilt(record, lambda text: text_without_keys(text, keys))
    said = "".join(record.deltas)
    if (shown := text_without_keys(said, keys)) != "".join(hidden.deltas):
        hidden = replace(hidden, deltas=[shown])  # the pieces of a secret are none
    return hidden
