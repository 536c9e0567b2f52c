"""A performance told in text that people read and snapshots compare: neutral, normalised, the same on every wire.

Knows transcripts; neither findings nor files.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from conformance.record.transcript import Attempt, Exchange, StepRecord, Transcript
from fakes import View, ViewMessage


def narrative(transcript: Transcript, *, scrub: Sequence[str | re.Pattern[str]] = ()) -> str:
    """Step by step: what was asked, what the model said, what ran, what the user saw.

    Call ids become `id-1`, `id-2` in the order of their appearance; the state directory becomes `STATE`; what a pattern
    of `scrub` matches becomes `...`. A request is told by what it has that the one before had not.
    """
    names = _Ids(transcript)
    text = "\n".join(line for record in transcript.steps for line in _step(record, names)) + "\n"
    if transcript.state_dir:
        text = text.replace(transcript.state_dir, "STATE")
    for pattern in scrub:
        text = re.sub(pattern, "...", text)
    return text


class _Ids:
    """Call ids in the order in which they appear."""

    def __init__(self, transcript: Transcript) -> None:
        self._names: dict[str, str] = {}
        for _, exchange in transcript.exchanges():
            for call in exchange.calls:
                self.name(call.id)

    def name(self, id: str | None) -> str:
        if id is None:
            return "no id"
        return self._names.setdefault(id, f"id-{len(self._names) + 1}")


def _step(record: StepRecord, names: _Ids) -> Iterator[str]:
    yield f"step {record.number}" + (" (one more message)" if record.is_survival else "")
    yield from _labelled("user", record.step.user)
    previous: View | None = None
    told = 0
    for place, exchange in enumerate(record.exchanges, 1):
        for attempt in record.attempts[told:]:
            if attempt.exchanges_before >= place:
                break
            yield from _attempt(attempt)
            told += 1
        yield from _exchange(exchange, previous, names)
        previous = exchange.view
    for attempt in record.attempts[told:]:
        yield from _attempt(attempt)
    if record.outcome == "reply":
        yield from _labelled("reply", record.reply)
    else:
        yield from _labelled(record.outcome, record.failure)


def _exchange(exchange: Exchange, previous: View | None, names: _Ids) -> Iterator[str]:
    view = exchange.view
    kind = "" if exchange.counts else f" ({exchange.kind})"
    yield f"  request {exchange.number}{kind}: offers {', '.join(tool.name for tool in view.tools) or 'nothing'}"
    if view.system and (previous is None or previous.system != view.system):
        yield from _labelled("system", view.system, "    ")
    start = _common(previous.messages if previous else (), view.messages)
    if previous is not None and start < len(previous.messages):
        yield f"    again from message {start + 1}"
    for message in view.messages[start:]:
        yield from _message(message, names)
    if exchange.violation is not None:
        yield from _labelled(f"refused {exchange.violation.rule}", exchange.violation.message, "  ")
    elif exchange.reply is not None and exchange.kind != "repeat":
        yield from _reply(exchange, names)


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


def _reply(exchange: Exchange, names: _Ids) -> Iterator[str]:
    reply = exchange.reply
    assert reply is not None
    if reply.fault is not None:
        given = {key: value for key, value in _members(reply.fault) if value not in (None, ())}
        yield f"  model fails: {_json(given)}"
    if reply.thinking:
        yield from _labelled("model thinks", reply.thinking)
    if reply.text is not None:
        yield from _labelled("model", reply.text)
    for call, served in zip(reply.calls, exchange.calls, strict=False):
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
