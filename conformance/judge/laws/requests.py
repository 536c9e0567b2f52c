"""Laws on what the agent sends: `accepted`, `asked`, `user-first`."""

from collections.abc import Iterator

from conformance.judge.evidence import Evidence, Fault, flat, quoted
from conformance.record.transcript import RecordedRequest, TurnRecord
from fakes import View


def accepted(evidence: Evidence) -> Iterator[Fault]:
    """The provider refuses no request. Refusals by an inferred rule are advice: the real provider may not refuse."""
    for record in evidence.turns:
        for request in record.requests:
            violation = request.violation
            if request.kind != "refused" or violation is None:
                continue
            yield Fault(
                id=f"accepted:{violation.rule}",
                kind="ending",
                level="should" if violation.confidence == "inferred" else "must",
                turn=record.number,
                request=request.number,
                expected="",
                got=f"the request was {described(request.view)}",
                place=violation.at,
                refused=f"{violation.status} {violation.message}",
                cause=violation.rule,
            )


def asked(evidence: Evidence) -> Iterator[Fault]:
    """Every request of a turn contains the user's message of that turn."""
    limited = evidence.scenario.limits.context_tokens is not None or evidence.scenario.window is not None
    for record, request in evidence.model_requests():
        message = record.turn.user.strip()
        wanted = message[:200] if limited else message
        if request.refused or not wanted:
            continue
        said = "\n".join(message.text for message in request.view.messages if message.role == "user")
        if flat(wanted) not in flat(said):
            yield _request_fault(
                "asked",
                record,
                request,
                expected=f'the user\'s message of this step: "{quoted(wanted, 80)}"',
                got=f"a request without it: {described(request.view)}",
            )


def user_first(evidence: Evidence) -> Iterator[Fault]:
    """No request begins with a tool call or result, nor lacks any user message; a greeting in front is advice."""
    for record, request in evidence.model_requests():
        if request.refused or not request.view.messages:
            continue
        messages = request.view.messages
        first = messages[0]
        if first.role == "user":
            continue
        called = first.role == "tool" or bool(first.calls)
        none = all(message.role != "user" for message in messages)
        yield _request_fault(
            "user-first",
            record,
            request,
            level="must" if called or none else "should",
            place=first.at,
            expected="a request that begins, after the system messages, with a user message",
            got=f"it begins with {_opening(request.view)}" + ("; there is no user message at all" if none else ""),
        )


def _request_fault(
    law: str,
    record: TurnRecord,
    request: RecordedRequest,
    *,
    expected: str,
    got: str,
    place: str = "",
    level: str = "must",
) -> Fault:
    return Fault(
        id=law,
        kind="request",
        level="must" if level == "must" else "should",
        turn=record.number,
        request=request.number,
        expected=expected,
        got=got,
        place=place,
        cause=law,
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
        words: str = message.role
        if message.calls:
            words += f" calls {', '.join(call.name for call in message.calls)}"
        if message.results:
            words = f"{len(message.results)} result{'s' if len(message.results) > 1 else ''}"
        parts.append(words)
    more = len(view.messages) - len(parts)
    text = "; ".join(parts) or "without any message"
    return f"{text}; and {more} more" if more else text
