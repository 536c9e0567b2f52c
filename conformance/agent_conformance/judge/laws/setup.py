"""The laws on a setup.

`named-model`: each provider is asked for the model that was set for it, also after a change. `key-kept`: its key stands
in the headers or the address of a request to it, and nowhere else. `tool-choice`: the model is made to call what the
setup says, and afterwards is free to answer.
"""

import re
from collections.abc import Iterator
from itertools import islice, takewhile

from agent_conformance.judge.case_evidence import END, CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.scenario.derived.routes import fallback_of
from agent_conformance.scenario.model import NamedToolSpec
from agent_conformance.transcripts.redaction import SETUP_KEY
from agent_conformance.transcripts.shown_texts import texts_of
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers.models import traits


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


THINKING = frozenset({"thinking", "reasoner"})
"""Traits of models whose reasoning excludes a forced call (deepseek-ai/DeepSeek-V3#1376)."""


def check_choice(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The first request of the case forces the call, no request after its result does; `none` leaves no call open."""
    choice = evidence.scenario.tool_choice
    if choice is None:
        return
    for place, record in enumerate(evidence.turns):
        requests = [request for request in record.requests if request.kind in CONVERSATION]
        if choice == "none":
            yield from _allowed(record, requests)
            continue
        if place == 0 and choice != "auto":
            failed = [*takewhile(lambda one: one.kind == "fault", requests)]  # which is requested again
            first = [one for one in requests[: len(failed) + 1] if one.target == requests[0].target]
            yield from islice(_not_forced(evidence, record, first), 1)
        for request in requests:
            yield from _still_forced(evidence, record, request)


def _allowed(record: TurnRecord, requests: list[RecordedRequest]) -> Iterator[Mismatch]:
    for request in requests:
        if request.view.tools and not request.view.forbids_calls:
            yield TOOL_CHOICE.broken_by(
                record,
                request,
                expected="a request that forbids calls or offers no tools, as `tool_choice: none` says",
                got="a request that lets the model call tools",
            )


def _not_forced(evidence: CaseEvidence, record: TurnRecord, first: list[RecordedRequest]) -> Iterator[Mismatch]:
    choice = evidence.scenario.tool_choice
    for request in first:
        forces = request.view.forces
        met = forces == {choice.tool} if isinstance(choice, NamedToolSpec) else bool(forces)
        # Whether the provider may refuse a forced call because the model reasons.
        if met or (
            request.view.thinks or not THINKING.isdisjoint(traits(evidence.wire, request.view.model, evidence.provider))
        ):
            continue
        wanted = choice.tool if isinstance(choice, NamedToolSpec) else "a tool"
        yield TOOL_CHOICE.broken_by(
            record, request, expected=f"a request that makes the model call {wanted}", got=_got(request)
        )


def _still_forced(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Iterator[Mismatch]:
    """A named tool is forced until it has run. That `required` and `auto` force a call no longer is advice."""
    choice, forces = evidence.scenario.tool_choice, request.view.forces
    named = choice.tool if isinstance(choice, NamedToolSpec) else None
    ran = [attempt.tool for attempt in record.attempts[: request.attempts_before] if attempt.ran]
    own = forces - {tool.name for tool in evidence.scenario.tools}
    if not forces or own or not (ran or choice == "auto"):
        return
    if named is not None and named not in ran:
        return
    yield TOOL_CHOICE.broken_by(
        record,
        request,
        level="must" if forces == {named} else "should",
        expected="a request that lets the model answer" + (f", after the result of {ran[-1]}" if ran else ""),
        got=_got(request),
    )


def _got(request: RecordedRequest) -> str:
    forces = sorted(request.view.forces)
    return f"a request that forces a call of {' or '.join(forces)}" if forces else "a request that forces no call"


TOOL_CHOICE = Law("tool-choice", check_choice, Harm.DATA)
