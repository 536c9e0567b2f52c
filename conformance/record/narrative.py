"""A performance told in text that people read and snapshots compare: neutral, normalised, the same on every wire.

Knows transcripts; neither findings nor files.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conformance.record.transcript import Attempt, RecordedRequest, Transcript, TurnRecord
from fakes import View, ViewMessage


def narrative(transcript: Transcript, *, scrub: Sequence[str | re.Pattern[str]] = ()) -> str:
    """Step by step: what was asked, what the model said, what ran, what the user saw.

    Call ids become `id-1`, `id-2` in the order of their appearance; the state directory becomes `STATE`; what a pattern
    of `scrub` matches becomes `...`. A request is told by what it has that the one before had not.
    """
    names = _Ids(transcript)
    text = "\n".join(line for record in transcript.turns for line in _turn(record, names)) + "\n"
    if transcript.state_dir:
        text = text.replace(transcript.state_dir, "STATE")
    for pattern in scrub:
        text = re.sub(pattern, "...", text)
    return text


class _Ids:
    """Call ids in the order in which they appear."""

    def __init__(self, transcript: Transcript) -> None:
        self._names: dict[str, str] = {}
        for _, request in transcript.requests():
            for call in request.calls:
                self.name(call.id)

    def name(self, id: str | None) -> str:
        if id is None:
            return "no id"
        return self._names.setdefault(id, f"id-{len(self._names) + 1}")


def _turn(record: TurnRecord, names: _Ids) -> Iterator[str]:
    yield f"turn {record.number}" + (" (one more message)" if record.is_follow_up else "")
    yield from _labelled("user", record.turn.user)
    previous: View | None = None
    told = 0
    for place, request in enumerate(record.requests, 1):
        for attempt in record.attempts[told:]:
            if attempt.requests_before >= place:
                break
            yield from _attempt(attempt)
            told += 1
        yield from _request(request, previous, names)
        previous = request.view
    for attempt in record.attempts[told:]:
        yield from _attempt(attempt)
    if record.outcome == "reply":
        yield from _labelled("reply", record.reply)
    else:
        yield from _labelled(record.outcome, record.failure)


def _request(request: RecordedRequest, previous: View | None, names: _Ids) -> Iterator[str]:
    view = request.view
    kind = "" if request.counts else f" ({request.kind})"
    yield f"  request {request.number}{kind}: offers {', '.join(tool.name for tool in view.tools) or 'nothing'}"
    if view.system and (previous is None or previous.system != view.system):
        yield from _labelled("system", view.system, "    ")
    start = _common(previous.messages if previous else (), view.messages)
    if previous is not None and start < len(previous.messages):
        yield f"    again from message {start + 1}"
    for message in view.messages[start:]:
        yield from _message(message, names)
    if request.violation is not None:
        yield from _labelled(f"refused {request.violation.rule}", request.violation.message, "  ")
    elif request.reply is not None and request.kind != "retry":
        yield from _reply(request, names)


def _common(old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> int:
    """How many messages both begin with; the last old one may only have grown, and is then told again."""
    count = 0
    for before, now in zip(old, new, strict=False):
        if before != now:
            break
        count += 1
    return count


def _message(message: ViewMessage, names: _Ids) -> Iterator[str]:
    if message.thinking:
        yield from _labelled(f"{message.role} thinks", message.thinking, "    ")
    if message.text or not (message.calls or message.results):
        yield from _labelled(message.role, message.text, "    ")
    for call in message.calls:
        yield f"    {message.role} calls {call.name} {_flat(call.arguments_text)} ({names.name(call.id)})"
    for result in message.results:
        word = "error" if result.is_error else "result"
        yield from _labelled(f"{word} for {names.name(result.id)}", result.text, "    ")


def _reply(request: RecordedRequest, names: _Ids) -> Iterator[str]:
    reply = request.reply
    assert reply is not None
    if reply.fault is not None:
        given = {key: value for key, value in _members(reply.fault) if value not in (None, ())}
        yield f"  model fails: {_json(given)}"
    if reply.thinking:
        yield from _labelled("model thinks", reply.thinking)
    if reply.text is not None:
        yield from _labelled("model", reply.text)
    for call, served in zip(reply.calls, request.calls, strict=False):
        arguments = call.arguments_text if call.arguments_text is not None else _json(call.arguments)
        yield f"  model calls {served.name} {_flat(arguments)} ({names.name(served.id)})"
    if reply.finish is not None:
        yield f"  model ends: {reply.finish}"


def _attempt(attempt: Attempt) -> Iterator[str]:
    verb = "ran" if attempt.accepted else "refused to run"
    ending = "raised" if attempt.failed else "gave"
    yield f"  {verb} {attempt.tool} {_json(attempt.arguments)}"
    yield from _labelled(ending, attempt.result, "    ")


def _labelled(label: str, text: str, indent: str = "  ") -> Iterator[str]:
    lines = text.split("\n")
    yield f"{indent}{label}: {lines[0]}".rstrip()
    for line in lines[1:]:
        yield f"{indent}  | {line}".rstrip()


def _members(fault: Any) -> Iterable[tuple[str, Any]]:
    return ((name, getattr(fault, name)) for name in fault.__slots__)


def _flat(text: str) -> str:
    return text.replace("\n", "\\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr, sort_keys=True)
