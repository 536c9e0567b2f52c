"""A case run as text that people read and snapshots compare: normalised, and the same on every wire.

Knows transcripts; neither findings nor files.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from agent_conformance.record.changing import without_changing
from agent_conformance.record.history import history_lines, offers
from agent_conformance.record.transcript import OUTSIDE_TURN, Approval, Attempt, RecordedRequest, Transcript, TurnRecord
from fake_providers import View
from fake_providers.changing_text import with_names
from fake_providers.neutral_text import CallIds, arguments_of, flat_json, labelled, reply_lines
from fake_providers.patterns import replaced

_PIN = re.compile(r"\bpin[0-9a-f]{8}\b")


def narrative(
    transcript: Transcript, *, scrub: Sequence[str | re.Pattern[str]] = (), given: Callable[[], str] = str
) -> str:
    """Turn by turn: the user's message, what the model replied, what ran, what the user saw.

    Call ids become `id-1`, `id-2` in the order of their appearance; the state directory becomes `STATE`; what a pattern
    of `scrub` matches becomes `...`, and so do times and ids that do not stand in `given`, the text of the scenario. Of
    a request only what is new since the one before is written.
    """
    ids = _ids_of_calls(transcript)
    previous: dict[str | None, View] = {}
    text = "\n".join(line for record in transcript.turns for line in _turn(record, ids, previous)) + "\n"
    if transcript.state_dir:
        text = text.replace(transcript.state_dir, "STATE")
    for pattern in scrub:
        text = replaced(pattern, "...", text)
    text = with_names(text, {**ids.names, **_follow_up_word(transcript)})
    return without_changing(text, given=given, kept=_names_of_tools(transcript))


def _follow_up_word(transcript: Transcript) -> dict[str, str]:
    """The word of the message that follows the last turn: each case has its own, and equal cases share one text."""
    asked = "".join(record.turn.user_text for record in transcript.turns if record.is_follow_up)
    return dict.fromkeys(_PIN.findall(asked), "pin")


def _names_of_tools(transcript: Transcript) -> set[str]:
    """Those that agents shorten end with a part that looks like an id, and is none."""
    return {tool.name for _, request in transcript.requests() for tool in request.view.tools}


def _ids_of_calls(transcript: Transcript) -> CallIds:
    ids = CallIds()
    for _, request in transcript.requests():
        for call in request.calls:
            ids.name(call.id)
    return ids


def _turn(record: TurnRecord, names: CallIds, previous: dict[str | None, View]) -> Iterator[str]:
    """`previous` has the last request of each session's conversation. A side request is written in full."""
    about = " (one more message)" if record.is_follow_up else ""
    yield f"turn {record.number}{about}" + (f" in session {record.turn.session}" if record.turn.session else "")
    yield from labelled("user", record.turn.user_text)
    written = 0
    actions = list(_actions(record))
    for place, request in enumerate(record.requests, 1):
        yield from _said_after(record, place - 1)
        for action in actions[written:]:
            if action.requests_before >= place:
                break
            yield from _action(action)
            written += 1
        if request.kind in OUTSIDE_TURN:
            yield from _request(request, None, names)
            continue
        yield from _request(request, previous.get(record.turn.session), names)
        previous[record.turn.session] = request.view
    yield from _said_after(record, len(record.requests))
    for action in actions[written:]:
        yield from _action(action)
    for text in record.withdrawn:
        yield from labelled("withdrawn", text)
    if record.outcome == "reply":
        yield from labelled("reply", record.reply)
    else:
        yield from labelled(record.outcome, record.failure)


def _said_after(record: TurnRecord, requests: int) -> Iterator[str]:
    """What the user said when so many requests had arrived; also after the last one."""
    if record.turn.steer is not None and record.steered_after == requests:
        yield from labelled("the user says", record.turn.steer.user)


def _request(request: RecordedRequest, previous: View | None, names: CallIds) -> Iterator[str]:
    view = request.view
    kind = "" if request.counts else f" ({request.kind})"
    yield f"  request {request.number}{kind}: {offers(view, previous)}"
    yield from history_lines(view, previous, names, indent="    ")
    for breach in request.tolerated:
        yield from labelled(f"tolerated {breach.rule}", breach.message, "    ")
    if request.violation is not None:
        yield from labelled(f"refused {request.violation.rule}", request.violation.message, "  ")
    elif request.reply is not None and request.kind != "retry":
        yield from _reply(request, names)


def _reply(request: RecordedRequest, names: CallIds) -> Iterator[str]:
    reply = request.reply
    assert reply is not None
    calls = [
        f"{served.name} {arguments_of(call)} ({names.name(served.id)})"
        for call, served in zip(reply.calls, request.calls, strict=False)
    ]
    yield from reply_lines(reply, calls, indent="  ")


def _actions(record: TurnRecord) -> Iterator[Attempt | Approval]:
    """What the agent did between requests, in order."""
    for place in range(len(record.attempts) + 1):
        yield from (approval for approval in record.approvals if approval.attempts_before == place)
        yield from record.attempts[place : place + 1]


def _action(action: Attempt | Approval) -> Iterator[str]:
    if isinstance(action, Attempt):
        yield from _attempt(action)
    else:
        answer = {True: "allowed", False: "denied", "pending": "no answer yet"}[action.answer]
        yield f"  asked to allow {action.tool} {flat_json(action.arguments)}: {answer}"


def _attempt(attempt: Attempt) -> Iterator[str]:
    verb = "ran" if attempt.ran else "began to run" if attempt.accepted else "refused to run"
    ending = "raised" if attempt.failed else "gave"
    yield f"  {verb} {attempt.tool} {flat_json(attempt.arguments)}"
    if attempt.lost:
        yield f"    the agent was killed {attempt.lost} that"
    else:
        yield from labelled(ending, attempt.result, "    ")
