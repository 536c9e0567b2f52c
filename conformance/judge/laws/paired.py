"""The law `paired`: calls and results belong together, in every request and from one request to the next."""

import itertools
from collections.abc import Iterator, Sequence

from conformance.judge.calls import UNREADABLE, MadeCall, calls_made
from conformance.judge.evidence import Evidence, Fault
from conformance.record.transcript import CONVERSATION, RecordedRequest, TurnRecord
from conformance.scenario.faults import comes_to_harm
from fakes import View, ViewCall, ViewResult


def paired(evidence: Evidence) -> Iterator[Fault]:
    for record, request in evidence.model_requests():
        if request.refused:
            continue
        for place, problem in mispaired(request.view):
            yield _fault(record, request, place=place, got=problem)
    if evidence.has("native-tools"):
        yield from _unanswered_in_next(evidence)


def mispaired(view: View) -> Iterator[tuple[str, str]]:
    """Each place of a request where a call lacks its one result, or a result its call."""
    open_calls: list[ViewCall] = []
    results: list[ViewResult] = []
    place = ""
    for message in view.messages:
        if message.role == "assistant":
            yield from _compare(place, open_calls, results)
            open_calls, results, place = list(message.calls), [], message.at
        else:
            results += message.results
            place = place or message.at
    yield from _compare(place, open_calls, results)


def _compare(place: str, calls: Sequence[ViewCall], results: Sequence[ViewResult]) -> Iterator[tuple[str, str]]:
    open_calls = list(calls)
    loose: list[ViewResult] = []
    for result in results:
        match = next((call for call in open_calls if result.id is not None and call.id == result.id), None)
        if match is None:
            loose.append(result)
        else:
            open_calls.remove(match)
    for result in loose:
        match = next((call for call in open_calls if result.id is None or call.id is None), None)
        if match is not None:
            open_calls.remove(match)
        elif any(result.id is not None and call.id == result.id for call in calls):
            yield place, f"two results for the call {result.id}"
        else:
            yield place, f"a result{_named(result.id)} without a call in the model's last message"
    for call in open_calls:
        yield place, f"a call of {call.name}{_named(call.id)} without a result before the model's next message"


def _unanswered_in_next(evidence: Evidence) -> Iterator[Fault]:
    """A call that reached the agent is in the next request of the turn, answered."""
    made = calls_made(evidence)
    for record in evidence.turns:
        requests = [e for e in record.requests if e.kind in CONVERSATION]
        for request, following in itertools.pairwise(requests):
            if following.refused or request.kind == "fault":
                continue
            for call in made:
                if call.request is request and _must_come_back(evidence, call) and not _is_in(following.view, call):
                    yield _fault(
                        record,
                        following,
                        expected=f"the model's call of {call.name}, answered by a native result",
                        got=f"a request in which the call is missing: {_calls_of(following.view)}",
                    )


def _must_come_back(evidence: Evidence, call: MadeCall) -> bool:
    """Well-formed, of an offered tool, whole, and in a reply that ended as calls end."""
    if not (call.native and call.reached and call.name in call.offered):
        return False
    if call.arguments is UNREADABLE or evidence.tool(call.name) is None:
        return False
    spec = call.request.spec
    return spec is not None and spec.finish in (None, "stop") and not comes_to_harm(spec)


def _is_in(view: View, call: MadeCall) -> bool:
    return any(
        sent.name == call.name or (call.id is not None and sent.id == call.id)
        for message in view.messages
        for sent in message.calls
    )


def _calls_of(view: View) -> str:
    names = [call.name for message in view.messages for call in message.calls]
    results = sum(len(message.results) for message in view.messages)
    return f"calls: {', '.join(names) or 'none'}; native results: {results}"


def _named(id: str | None) -> str:
    return f" ({id})" if id is not None else ""


def _fault(
    record: TurnRecord,
    request: RecordedRequest,
    *,
    got: str,
    expected: str = "every call answered by exactly one native result before the next model message",
    place: str = "",
) -> Fault:
    return Fault(
        id="paired",
        kind="request",
        level="must",
        turn=record.number,
        request=request.number,
        expected=expected,
        got=got,
        place=place,
        cause="paired",
    )
