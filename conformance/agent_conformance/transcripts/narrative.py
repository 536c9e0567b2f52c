"""A case run as text that people read and snapshots compare: normalised, and the same on every wire."""

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache, partial

from agent_conformance.transcripts.transcript import (
    OUTSIDE_TURN,
    Approval,
    Attempt,
    RecordedRequest,
    Transcript,
    TurnRecord,
)
from fake_providers import View
from fake_providers.values.patterns import DATE, TIME, UUID, replaced, with_names
from fake_providers.view import ViewMessage
from fake_providers.wire_neutral_lines import CallIds, arguments_of, flat_json, labelled, message_lines, reply_lines

_PIN = re.compile(r"\bpin[0-9a-f]{8}\b")


def narrative(
    transcript: Transcript, *, scrub: Sequence[str | re.Pattern[str]] = (), given: Callable[[], str] = str
) -> str:
    """Turn by turn: the user's message, what the model replied, what ran, what the user saw.

    Call ids become `id-1`, `id-2` in the order of their appearance; the state directory becomes `STATE`; what a pattern
    of `scrub` matches becomes `...`, and so do times and ids that do not stand in `given`, the text of the scenario. Of
    a request only what is new since the one before is written.
    """
    ids = CallIds()
    for _, request in transcript.requests():
        for call in request.calls:
            ids.name(call.id)
    previous: dict[str | None, View] = {}
    text = "\n".join(line for record in transcript.turns for line in _turn(record, ids, previous)) + "\n"
    if transcript.state_dir:
        text = text.replace(transcript.state_dir, "STATE")
    for pattern in scrub:
        text = replaced(pattern, "...", text)
    # The word of the message that follows the last turn: each case has its own, and equal cases share one
    # text
    asked = "".join(record.turn.user_text for record in transcript.turns if record.is_follow_up)
    text = with_names(text, {**ids.names, **dict.fromkeys(_PIN.findall(asked), "pin")})
    # Those that agents shorten end with a part that looks like an id, and is none.
    return without_changing(
        text, given=given, kept={tool.name for _, request in transcript.requests() for tool in request.view.tools}
    )


def _turn(record: TurnRecord, names: CallIds, previous: dict[str | None, View]) -> Iterator[str]:
    """`previous` has the last request of each session's conversation. A side request is written in full."""
    about = " (one more message)" if record.is_follow_up else ""
    yield f"turn {record.number}{about}" + (f" in session {record.turn.session}" if record.turn.session else "")
    if record.turn.compact:
        yield "  the user asks for a shorter conversation"
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
    for steer, after in record.said:
        if after == requests:
            yield from labelled("the user says", steer.user)


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
        verb = "ran" if action.ran else "began to run" if action.accepted else "refused to run"
        ending = "raised" if action.failed else "gave"
        yield f"  {verb} {action.tool} {flat_json(action.arguments)}"
        if action.lost:
            yield f"    the agent was killed {action.lost} that"
        else:
            yield from labelled(ending, action.result, "    ")
    else:
        answer = {True: "allowed", False: "denied", "pending": "no answer yet"}[action.answer]
        yield f"  asked to allow {action.tool} {flat_json(action.arguments)}: {answer}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AP]M)?(?: (?:UTC|GMT|[A-Z]{3,4}|[+-]\d{4}))?"
_WORDED = re.compile(
    rf"(?<![\w-])(?:{_WEEKDAY},? )?"
    rf"(?:{_MONTH} +\d{{1,2}}(?:st|nd|rd|th)?,?(?: {_CLOCK})? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}})"
    rf"(?:,?(?: at)? {_CLOCK})?(?![\w-])"
)
"""`Sunday, November 22, 2026`, `Sun, 22 Nov 2026 17:34:10 GMT`, `Sun Nov 22 17:34:10 UTC 2026`."""
_CLOCK_TIME = re.compile(r"(?<![\w:.-])\d\d:\d\d:\d\d(?:[.,]\d+)?(?![\w:])")
_EPOCH = re.compile(r"(?<![\w.-])1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?![\w-])")
"""Seconds, milliseconds, microseconds or nanoseconds of the years 2017 to 2033."""
_ADDRESS = re.compile(r"(?<![\w.])(127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\]):\d+(?:/[0-9a-f]{20}\b)?")
"""The part of the path is where a fake of the suite is mounted."""
_OBJECT = re.compile(r"\b0x[0-9a-f]{6,16}\b", re.IGNORECASE)
_TEMPORARY = re.compile(r"(?<![\w-])tmp[a-z0-9_]{8}(?![\w-])")
"""The addresses of objects, and the names that Python's `tempfile` makes."""
_TOKEN_LENGTH = 16
_TOKEN = re.compile(rf"(?<![\w$-])[A-Za-z0-9_-]{{{_TOKEN_LENGTH},80}}(?![\w-])")

_DIGITS = re.compile(r"\d.*\d")
_MINUTES = re.compile(r":\d\d:")
_EPOCH_DIGITS = re.compile(r"1[5-9]\d{8}")
_HOSTS = ("127.0.0.1:", "0.0.0.0:", "localhost:", "[::1]:")

_CLOCKS = ((TIME, "TIME"), (_WORDED, "DATE"), (DATE, "DATE"), (_CLOCK_TIME, "TIME"), (_EPOCH, "TIME"))
LONGEST_KEPT = 100_000
"""Characters of a line of which it is remembered whether anything in it changes."""
_ID_TAIL = 12
"""The part of an id behind its last prefix, such as `sess_`, has at least so many letters and digits."""

Given = Callable[[], str]


def without_changing(text: str, *, given: Given = str, kept: Collection[str] = ()) -> str:
    """The text with `TIME`, `DATE`, `PORT`, `uuid-1` and `agent-id-1` in place of these.

    `given` is what the scenario says, called where something was found; what stands in it, or in `kept`, stays.
    """
    change = _Change(given, frozenset(kept))
    return "\n".join(
        _changed(line, change) if (_has_any_kept(line) if len(line) <= LONGEST_KEPT else _finds_any(line)) else line
        for line in text.split("\n")
    )


@lru_cache(maxsize=256)
def _has_any_kept(line: str) -> bool:
    """Cases of one scenario come one after the other, on each wire and in each mode, and say nearly the same."""
    return _finds_any(line)


def _finds_any(line: str) -> bool:
    """What each pattern needs is looked for first, which is much quicker: nearly no line has anything."""
    return (
        (_DIGITS.search(line) is not None and (_finds_time(line) or _finds_made_up(line)))
        or (line.count("-") >= 4 and UUID.search(line) is not None)
        or (any(host in line for host in _HOSTS) and _ADDRESS.search(line) is not None)
        or ("0x" in line.lower() and _OBJECT.search(line) is not None)
        or ("tmp" in line and _TEMPORARY.search(line) is not None)
    )


def _finds_time(line: str) -> bool:
    return (
        (line.count("-") >= 2 and (TIME.search(line) or DATE.search(line)) is not None)
        or (_MINUTES.search(line) is not None and _CLOCK_TIME.search(line) is not None)
        or (_EPOCH_DIGITS.search(line) is not None and _EPOCH.search(line) is not None)
        or (any(month in line for month in _MONTHS) and _WORDED.search(line) is not None)
    )


def _finds_made_up(line: str) -> bool:
    long = (word for word in line.split() if len(word) >= _TOKEN_LENGTH)
    return any(_is_made_up(token) for word in long for token in _TOKEN.findall(word))


def _changed(line: str, change: "_Change") -> str:
    line = UUID.sub(lambda found: change.numbered(found, "uuid"), line)
    for pattern, name in _CLOCKS:
        line = pattern.sub(partial(change.named, name=name), line)
    line = _ADDRESS.sub(lambda found: change.named(found, f"{found[1]}:PORT"), line)
    line = _OBJECT.sub(lambda found: change.named(found, "0x..."), line)
    line = _TEMPORARY.sub(lambda found: change.named(found, "tmp..."), line)
    return _TOKEN.sub(lambda found: change.numbered(found, "agent-id") if _is_made_up(found[0]) else found[0], line)


class _Change:
    """What is replaced by what. Equal ids get one number, so that which is which stays visible."""

    def __init__(self, given: Given, kept: frozenset[str]) -> None:
        self._read, self._kept = given, kept
        self._given: str | None = None
        self._numbers: dict[str, dict[str, str]] = {}

    def named(self, found: re.Match[str], name: str) -> str:
        return found[0] if self._stays(found[0]) else name

    def numbered(self, found: re.Match[str], kind: str) -> str:
        if self._stays(found[0]):
            return found[0]
        names = self._numbers.setdefault(kind, {})
        return names.setdefault(found[0].lower(), f"{kind}-{len(names) + 1}")

    def _stays(self, text: str) -> bool:
        if self._given is None:
            self._given = self._read()
        return text in self._kept or text in self._given


def _is_made_up(token: str) -> bool:
    """Whether no person would write it: hexadecimal digits, or letters and digits mixed, behind a prefix or alone."""
    tail = re.split(r"[_-]", token)[-1]
    digits = sum(char.isdigit() for char in tail)
    letters = len(tail) - digits
    if len(tail) < _ID_TAIL or digits < 2 or letters < 2:
        return False
    is_hex = re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", tail) is not None
    runs = len(re.findall(r"\d+", tail))
    return is_hex or runs >= 3 or (runs >= 2 and tail.upper() != tail != tail.lower())


AS_BEFORE = "history as before"
EXCEPT = f"{AS_BEFORE}, except"
NO_SYSTEM = "no system text any more"

MOST_ALIGNED = 400
"""Of so many changed messages it is found out which stayed; of more, all are gone or new: the search is quadratic."""

Opcode = tuple[str, int, int, int, int]


def history_lines(view: View, previous: View | None, ids: CallIds, *, indent: str) -> Iterator[str]:
    """The system text where it changed, what became of each earlier message, then the new messages.

    `previous` is the request before of the same conversation. Messages are counted from 1, without system messages.
    """
    if view.system != (previous.system if previous else ""):
        yield from labelled("system", view.system, indent) if view.system else (f"{indent}{NO_SYSTEM}",)
    if previous is None:
        yield from _messages(view.messages, ids, indent)
        return
    *earlier, (_, _, _, first_new, _) = _changes(previous.messages, view.messages)
    if previous.messages:
        yield f"{indent}{EXCEPT if earlier else AS_BEFORE}"
    for change in earlier:
        yield from _changed_messages(change, view.messages, ids, f"{indent}  ")
    yield from _messages(view.messages[first_new:], ids, indent)


def offers(view: View, previous: View | None) -> str:
    """The names of the tools that the request offers, where they are others than before."""
    names = [tool.name for tool in view.tools]
    if previous is not None and names == [tool.name for tool in previous.tools]:
        return "offers as before"
    return f"offers {', '.join(names) or 'nothing'}"


def _messages(messages: Sequence[ViewMessage], ids: CallIds, indent: str) -> Iterator[str]:
    for message in messages:
        yield from message_lines(message, ids, indent)


def _changed_messages(change: Opcode, messages: Sequence[ViewMessage], ids: CallIds, indent: str) -> Iterator[str]:
    """One change of the earlier messages; what a message is now stands below it."""
    kind, first, end, new_first, new_end = change
    if kind == "delete":
        yield (
            f"{indent}message {first + 1} is gone"
            if end == first + 1
            else (f"{indent}messages {first + 1} to {end} are gone")
        )
        return
    yield f"{indent}message {first + 1} is now" if kind == "replace" else f"{indent}before message {first + 1} is new"
    yield from _messages(messages[new_first:new_end], ids, f"{indent}  ")


def _changes(old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> list[Opcode]:
    """Each message that was replaced, is gone or was put between the earlier ones; last, what was appended."""
    start = 0
    while start < min(len(old), len(new)) and _key(old[start]) == _key(new[start]):
        start += 1
    if start == len(old):
        return [("insert", start, start, start, len(new))]
    changes = [change for opcode in _opcodes(old, new, start) for change in _single(opcode, old, new)]
    if changes and changes[-1][0] == "insert" and changes[-1][1] == len(old):
        return changes
    return [*changes, ("insert", len(old), len(old), len(new), len(new))]


def _opcodes(old: Sequence[ViewMessage], new: Sequence[ViewMessage], start: int) -> list[Opcode]:
    """What differs from the first message on that is not the same."""
    if max(len(old), len(new)) - start > MOST_ALIGNED:
        return [("replace", start, len(old), start, len(new))]
    keys = [_key(message) for message in old[start:]], [_key(message) for message in new[start:]]
    matcher: SequenceMatcher[Hashable] = SequenceMatcher(None, *keys, autojunk=False)
    return [
        (kind, a + start, b + start, c + start, d + start)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _single(opcode: Opcode, old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> Iterator[Opcode]:
    """Messages that were replaced one by one, as long as the roles agree; the rest is gone, and new."""
    kind, first, end, new_first, new_end = opcode
    while kind == "replace" and first < end and new_first < new_end and old[first].role == new[new_first].role:
        yield ("replace", first, first + 1, new_first, new_first + 1)
        first, new_first = first + 1, new_first + 1
    if first < end:
        yield ("delete", first, end, new_first, new_first)
    if new_first < new_end:
        yield ("insert", end, end, new_first, new_end)


def _key(message: ViewMessage) -> Hashable:
    """The content of a message. `at` is left out: a message that was put before it moves its place in the body."""
    calls = tuple((call.id, call.name, call.arguments_text) for call in message.calls)
    results = tuple((result.id, result.text, result.is_error, result.pictures) for result in message.results)
    return (message.role, message.text, message.thinking, calls, results, message.pictures)
