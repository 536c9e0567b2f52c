"""The laws on a setup: `named-model`, that each provider is asked for the model that was set for it, also after a
change, and `key-kept`, that its key stands in the headers or the address of a request to it, and nowhere else."""

import re
from collections.abc import Iterator

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.scenario.derived.routes import fallback_of
from agent_conformance.transcripts.plain_texts import texts_of
from agent_conformance.transcripts.redaction import SETUP_KEY
from agent_conformance.transcripts.transcript import TurnRecord


def check_models(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Only where a case has several: elsewhere an agent may have reasons for a model of its own."""
    second = fallback_of(evidence.scenario, evidence.wire)
    if second is None and not any(turn.switch for turn in evidence.scenario.conversation):
        return
    for record, request in evidence.model_requests():
        wanted, got = second if request.target == second else record.target, request.target
        assert wanted is not None
        assert got is not None
        # Some clients write a prefix before the name: `models/`, or that of the provider
        if (wanted.wire, wanted.provider) != (got.wire, got.provider) or not (
            request.view.model == wanted.model or request.view.model.endswith(("/" + wanted.model, ":" + wanted.model))
        ):
            yield NAMED_MODEL.broken_by(
                record,
                request,
                expected=f"a request to {wanted}",
                got=f"one to {got.provider}, on {got.wire}, for the model {request.view.model or 'without a name'}",
            )
            return


NAMED_MODEL = Law("named-model", check_models, Harm.DATA)


def check_key(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """No reply, delta, failure, tool call, observed event, or text of a request has the key."""
    if not evidence.transcript.api_key:
        return
    # In what was hidden before it was cut, its name; its first characters before stars are a provider's, which masks it
    key = re.compile(rf"{re.escape(evidence.transcript.api_key)}|\${re.escape(SETUP_KEY)}(?!\*)")
    for record in evidence.turns:
        for place, text in _texts(record):
            if key.search(text):
                yield _broken(record, END, place, text)
        for request in record.requests:
            view = request.view
            results = (result.text for message in view.messages for result in message.results)
            texts = (view.system, *(message.text for message in view.messages), *results)
            if (message := next((text for text in texts if key.search(text)), None)) is not None:
                yield _broken(record, request.number, "a text of the request", message)


def check_key_of_another(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Each of two providers is sent its own key, and not that of the other one."""
    second = fallback_of(evidence.scenario, evidence.wire)
    if second is None or not evidence.transcript.api_key:
        return
    key = re.compile(rf"(second-)?(?:{re.escape(evidence.transcript.api_key)}|\${re.escape(SETUP_KEY)})")
    for record, request in evidence.model_requests():
        sent = [found for value in request.http.headers.values() for found in key.finditer(value)]
        is_second = request.target == second
        if any(bool(found[1]) != is_second for found in sent):
            got = f"a request to {second if is_second else 'the first provider'} with the key of the other"
            yield KEY_KEPT.broken_by(
                record, request, expected="the key of the provider that is asked", got=got, detail="another's key"
            )
            return


def check_keys(evidence: CaseEvidence) -> Iterator[Mismatch]:
    yield from check_key(evidence)
    yield from check_key_of_another(evidence)


def _texts(record: TurnRecord) -> Iterator[tuple[str, str]]:
    """What the turn shows to the user, hands to tools and reports to an observer."""
    yield "the reply", record.own_reply or ""
    yield "the deltas", "".join(record.deltas)
    if record.outcome == "error":
        yield "the text of the failure", record.failure
    for attempt in record.attempts:
        for text in texts_of(attempt.arguments):
            yield f"the arguments of {attempt.tool}", text
    for event in record.events:
        yield "an event for the observer", event


def _broken(record: TurnRecord, request: int, place: str, text: str) -> Mismatch:
    return KEY_KEPT.broken(
        "shown",
        turn=record.number,
        request=request,
        place=place,
        expected="no text with the API key of the setup",
        got=f'"{quoted(text)}"',
    )


KEY_KEPT = Law("key-kept", check_keys, Harm.DATA)
