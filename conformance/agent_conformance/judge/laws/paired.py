"""The law `paired`: calls and results belong together, in every request and from one request to the next."""

import json
from collections.abc import Iterator

from agent_conformance.judge.calls import (
    UNREADABLE,
    ModelCall,
    Round,
    begins_with,
    model_calls,
    pairing,
    rounds,
    same_call,
    same_conversation,
)
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, quoted
from agent_conformance.judge.laws.kept_whole import MUST_CHANGE
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.shortened_texts import hint, is_for_a_summary, stands_for
from agent_conformance.scenario.derived.faults import has_harmful_fault, has_harmful_quirk, has_repeated_ids
from agent_conformance.transcripts.transcript import ANSWERED, CONVERSATION, Attempt, RecordedRequest, TurnRecord
from fake_providers import View, ViewCall
from fake_providers.replies.call_validation import mismatches

ONE_RESULT = "every call answered by exactly one native result before the next model message"
FORGETFUL = frozenset(("zai",))
"""Providers that take a result without an id and do not show it to the model: agentjido/req_llm#985."""
NOTHING = View(model="", stream=False)
"""What was sent before the first request."""


def check_pairing(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Within each request, and for agents with native tools from one request of a turn to the next."""
    for record, request in evidence.model_requests():
        if request.refused:
            continue
        for place, problem in unpaired(request.view):
            yield PAIRED.broken_by(record, request, expected=ONE_RESULT, got=problem, place=place)
        if evidence.provider in FORGETFUL:
            for one in rounds(request.view):
                if one.calls and not all(result.id for result in one.results):
                    got = "a result without an id, which this provider accepts and drops"
                    yield PAIRED.broken_by(record, request, expected=ONE_RESULT, got=got, place=one.at)
    if evidence.has("native-tools"):
        yield from _missing_in_next(evidence)
        yield from _missing_at_first(evidence)


def unpaired(view: View) -> Iterator[tuple[str, str]]:
    """Each place of a request where a call has no result, or more than one, or a result has no call."""
    for one in rounds(view):
        for problem in _problems(one) if one.calls or one.results else ():
            yield one.at, problem


def _problems(one: Round) -> Iterator[str]:
    paired = pairing(one)
    for result in paired.extra_results:
        if any(result.id is not None and call.id == result.id for call in one.calls):
            yield f"two results for the call {result.id}"
        else:
            yield f"a result{_in_brackets(result.id)} without a call in the model's last message"
    for call in paired.open_calls:
        yield f"a call of {call.name}{_in_brackets(call.id)} without a result before the model's next message"


def _missing_in_next(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Each call that reached the agent is in the next request of the turn, with its result."""
    calls: dict[int, list[ModelCall]] = {}
    for call in model_calls(evidence):
        calls.setdefault(id(call.request), []).append(call)
    served = {call.id for of_request in calls.values() for call in of_request if call.id is not None}
    for record in evidence.turns:
        reached = (one for one in record.requests if one.kind in CONVERSATION and one.kind != "window")
        requests = [one for one in reached if not is_for_a_summary(evidence, one)]
        for request, following in _followed(requests):
            if following.refused or request.kind == "fault":
                continue
            yield from _lost_in_odd_deltas(record, request, following)
            called = calls.get(id(request), [])
            came = _added_calls(request.view, following.view)
            others = served - {call.id for call in called}
            for call in _not_among([call for call in came if call.id not in others], called):
                of_tool = [one for one in _between(record, request, following) if one.tool == call.name]
                own = [
                    one for one in of_tool if same_call(evidence, one.tool, one.arguments, call.name, call.arguments)
                ]
                # Whether a summary stands for the call, made by the model with the call's result before it
                if any(stands_for(evidence, record, following, one.result) for one in own or of_tool):
                    continue
                has_run = any(one.ran for one in own)
                if not has_run and _asks_for_words_instead(evidence, call, record, following):
                    continue
                if _must_come_back(evidence, call, has_run=has_run) and not _was_thrown_away(
                    evidence, call, following.view
                ):
                    yield PAIRED.broken_by(
                        record,
                        following,
                        expected=f"the model's call of {call.name}{_beside(call, called)}, answered by a native result",
                        got=f"a request in which the call is missing: {_calls_of(following.view)}"
                        f"{hint(record, following)}",
                    )


def _followed(requests: list[RecordedRequest]) -> Iterator[tuple[RecordedRequest, RecordedRequest]]:
    """Each request with the next one, and with the second try of that where it got a fault that may pass."""
    for place, request in enumerate(requests):
        for number, following in enumerate(requests[place + 1 :]):
            if number and following.target != request.target:
                break
            yield request, following
            if following.kind != "fault" or following.status in MUST_CHANGE:
                break


def _added_calls(before: View, view: View) -> list[ViewCall]:
    """The calls that a request has after those of the request before; all of them, if it does not go on from there.

    A window that drops the oldest messages, and a summary, leave no such beginning, or nothing that is longer.
    """
    goes_on = view.text_length > before.text_length and len(view.messages) >= len(before.messages)
    goes_on = goes_on and all(begins_with(new, old) for new, old in zip(view.messages, before.messages, strict=False))
    kept = sum(len(message.calls) for message in before.messages) if goes_on else 0
    return [call for message in view.messages for call in message.calls][kept:]


def _not_among(came: list[ViewCall], called: list[ModelCall]) -> list[ModelCall]:
    """The calls of a reply for which none has come, each taken by one: by id, then by name and arguments, then by name.

    An agent may have its own ids, and arguments in another spelling. Of calls that are the same it may keep one.
    """
    open_calls, left = list(called), list(came)
    found: list[ModelCall] = []
    for is_same in (_same_id, _same_call, _same_name):
        for call in list(open_calls):
            if (taken := next((one for one in left if is_same(one, call)), None)) is not None:
                left.remove(taken)
                open_calls.remove(call)
                found.append(call)
    kept = [(call.name, call.arguments) for call in found]
    return [call for call in open_calls if (call.name, call.arguments) not in kept]


def _same_id(sent: ViewCall, call: ModelCall) -> bool:
    return call.id is not None and sent.id == call.id


def _same_call(sent: ViewCall, call: ModelCall) -> bool:
    return sent.name == call.name and sent.arguments == call.arguments


def _same_name(sent: ViewCall, call: ModelCall) -> bool:
    return sent.name == call.name


def _beside(call: ModelCall, called: list[ModelCall]) -> str:
    """Which of several calls of one tool it is."""
    if sum(one.name == call.name for one in called) < 2:
        return ""
    arguments = json.dumps(call.arguments, ensure_ascii=False) if call.arguments is not UNREADABLE else call.text or ""
    return f" with {quoted(arguments, 60)}"


def _missing_at_first(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Each call that ran before the first request of a turn, once the user had allowed it, is in that request."""
    last: tuple[TurnRecord, RecordedRequest] | None = None
    for record in evidence.turns:
        requests = [one for one in record.requests if one.kind in ANSWERED and not is_for_a_summary(evidence, one)]
        asked_in, last = last, (record, requests[-1]) if requests else last
        first = requests[0] if requests else None
        if first is None:
            continue
        was_asked = asked_in is not None and asked_in[0].awaits_user and asked_in[0].turn.session == record.turn.session
        left = _added_calls(asked_in[1].view if asked_in and was_asked else NOTHING, first.view)
        ran = [attempt for attempt in record.attempts[: first.attempts_before] if attempt.ran]
        own = {
            id(one): [call for call in left if same_call(evidence, one.tool, one.arguments, call.name, call.arguments)]
            for one in ran
        }
        for attempt in sorted(ran, key=lambda one: not own[id(one)]):
            known = [call for call in own[id(attempt)] if call in left]
            if taken := next(iter(known or [call for call in left if call.name == attempt.tool]), None):
                left.remove(taken)
                continue
            if stands_for(evidence, record, first, attempt.result):
                continue
            yield PAIRED.broken_by(
                record,
                first,
                expected=f"the call of {attempt.tool} that ran before this request, answered by a native result",
                got=f"a request in which the call is missing: {_calls_of(first.view)}{hint(record, first)}",
            )


def _lost_in_odd_deltas(record: TurnRecord, request: RecordedRequest, following: RecordedRequest) -> Iterator[Mismatch]:
    """Calls in odd deltas run all, or are answered all, or none of them runs; that one is lost is what happens."""
    if request.spec is None or not has_harmful_quirk(request.spec):
        return
    before, after = (sum(len(message.calls) for message in one.view.messages) for one in (request, following))
    names = {call.name for call in request.calls}
    ran = [attempt for attempt in _between(record, request, following) if attempt.tool in names and attempt.accepted]
    if ran and after - before < len(request.calls):
        yield PAIRED.broken_by(
            record,
            following,
            expected=f"all {len(request.calls)} calls of the model, each answered, since one of them ran",
            got=f"{after - before} of them: {_calls_of(following.view)}",
        )


def _between(record: TurnRecord, request: RecordedRequest, following: RecordedRequest) -> list[Attempt]:
    return record.attempts[request.attempts_before : following.attempts_before]


def _asks_for_words_instead(
    evidence: CaseEvidence, call: ModelCall, record: TurnRecord, following: RecordedRequest
) -> bool:
    """Whether the call repeats one that stands there with its result, and the request leaves room for words alone: an
    agent that stops a model which repeats itself may throw the call away.
    """
    if record.enabled_at(following) & following.offered:
        return False
    pairs = (pair for one in rounds(following.view) for pair in pairing(one).pairs)
    return any(same_call(evidence, sent.name, sent.arguments, call.name, call.arguments) for sent, _ in pairs)


def _must_come_back(evidence: CaseEvidence, call: ModelCall, *, has_run: bool) -> bool:
    """Well-formed, of an offered tool, whole, and in a reply that ended as replies with calls end.

    A call that has run arrived, though the client left before the last byte.
    """
    if not (call.native and (call.arrived or has_run) and call.name in call.offered):
        return False
    if call.arguments is UNREADABLE or evidence.tool(call.name) is None:
        return False
    spec = call.request.spec
    if spec is None or has_repeated_ids(spec) or has_harmful_quirk(spec):
        return False
    return spec.finish is None and not has_harmful_fault(spec)


def _was_thrown_away(evidence: CaseEvidence, call: ModelCall, view: View) -> bool:
    """Whether the reply had a call that its tool would refuse, and the same is requested again, as if without it."""
    spec = evidence.tool(call.name)
    is_refused = spec is not None and bool(mismatches(spec.parameters, call.arguments))
    return is_refused and same_conversation(view, call.request.view)


def _calls_of(view: View) -> str:
    names = [call.name for message in view.messages for call in message.calls]
    results = sum(len(message.results) for message in view.messages)
    return f"calls: {', '.join(names) or 'none'}; native results: {results}"


def _in_brackets(id: str | None) -> str:
    return f" ({id})" if id is not None else ""


PAIRED = Law("paired", check_pairing, Harm.DATA)
