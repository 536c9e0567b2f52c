"""Which recorded exchange a request is for; and for one that is not recorded, the nearest and where it differs.

Two requests are the same if their bodies say the same. Not compared are the order of members, names for a user or a
cache, and the times, ids and ports in texts, which change from run to run. Keys are hidden as in cassettes.
"""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agent_conformance.cassettes.bodies import url_without_keys
from agent_conformance.cassettes.decoding import request_of, wire_of
from agent_conformance.cassettes.recorded_exchange import RecordedExchange
from agent_conformance.transcripts.redaction import redacted
from fake_providers.http import Request
from fake_providers.registry import provider_wires
from fake_providers.values.patterns import DATE, PORT, TIME, UUID
from fake_providers.wire import Wire

NOT_COMPARED = frozenset(("metadata", "user", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"))
"""Members of a body that say whose it is, and not what it asks."""
LONGEST = 80
"""Characters of a value in a message."""

_HIDDEN = re.compile(r"\$[A-Z][A-Z0-9_]*")
"""How a cassette writes a key; on another machine the same key may have another name."""

Leaf = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A request as it is compared. `target` is what stands in the path; `leaves` are the values of the body."""

    target: str
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """`message` names the nearest request, and the first difference."""

    message: str


class RecordedQuestions:
    """The exchanges of a cassette by request. Does not change, so that all clients of a server share it."""

    def __init__(self, exchanges: Sequence[RecordedExchange]) -> None:
        self._recorded: dict[Question, list[RecordedExchange]] = {}
        for exchange in exchanges:
            self._recorded.setdefault(_question_of(exchange), []).append(exchange)

    def find(self, asked: Question) -> Sequence[RecordedExchange] | NotRecorded:
        """The exchanges with this request, in the order of the file."""
        found = self._recorded.get(asked)
        return NotRecorded(self._nearest(asked)) if found is None else found

    def _nearest(self, asked: Question) -> str:
        same = [(known, recorded) for known, recorded in self._recorded.items() if known.target == asked.target]
        if not same:
            targets = ", ".join(dict.fromkeys(known.target for known in self._recorded))
            return f"no request to {asked.target} is recorded. Recorded are requests to {targets}."
        leaves = set(asked.leaves)
        nearest, recorded = max(same, key=lambda one: len(leaves & set(one[0].leaves)) - len(one[0].leaves) / 1e6)
        place = recorded[0].place
        return f"this request is not recorded. The nearest is {place}: {_difference(nearest.leaves, asked.leaves)}"


class RecordedAnswers:
    """What one client gets. A request recorded several times gets the responses in order, the last one for ever.
    Thread-safe.
    """

    def __init__(self, questions: RecordedQuestions) -> None:
        self._questions = questions
        self._lock = threading.Lock()
        self._sent: dict[Question, int] = {}

    def answer(self, request: Request, wire: Wire | None) -> RecordedExchange | NotRecorded:
        asked = question(request, wire)
        found = self._questions.find(asked)
        if isinstance(found, NotRecorded) or len(found) == 1:
            return found if isinstance(found, NotRecorded) else found[0]
        with self._lock:
            number = self._sent.get(asked, 0)
            self._sent[asked] = number + 1
        return found[min(number, len(found) - 1)]


def question(request: Request, wire: Wire | None) -> Question:
    """`wire` is None for a request that is none of the model's."""
    route = wire.route(request) if wire is not None else None
    if wire is not None and route is not None:
        mode = "stream" if route.stream else "plain"
        return Question(f"{wire.name} ({mode}), model {route.model or 'unknown'}", _leaves_of(request.body))
    return Question(f"{request.method} {url_without_keys(request.path)}", _leaves_of(request.body))


def _question_of(exchange: RecordedExchange) -> Question:
    request = exchange.request
    found = wire_of(exchange)
    if found is None:
        return question(Request(request.method, request.path, request.headers_by_name, request.body), None)
    wire = next(wire for wire in provider_wires(found.provider) if wire.name == found.wire)
    return question(request_of(request, found), wire)


def _leaves_of(body: bytes) -> tuple[Leaf, ...]:
    """Each value with its place, in the order of the places' names; of a body that is no JSON, the text."""
    text = redacted(body.decode("utf-8", errors="replace"))
    try:
        value = json.loads(text)
        if isinstance(value, dict):
            value = {name: member for name, member in value.items() if name not in NOT_COMPARED}
        return tuple(_leaves(value, ""))
    except (ValueError, RecursionError):
        return (("", _steady(text)),) if text else ()


def _leaves(value: Any, place: str) -> Iterator[Leaf]:
    if isinstance(value, dict) and value:
        for name in sorted(value):
            yield from _leaves(value[name], f"{place}.{name}" if place else name)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, f"{place}[{index}]")
    elif isinstance(value, str):
        yield place, _steady(value)
    else:
        yield place, json.dumps(value)


def _steady(text: str) -> str:
    """The text without what changes from run to run."""
    text = UUID.sub("UUID", DATE.sub("DATE", TIME.sub("TIME", text)))
    return repr(_HIDDEN.sub("$KEY", PORT.sub(r"\1:PORT", text)))


def _difference(recorded: Sequence[Leaf], sent: Sequence[Leaf]) -> str:
    """The first place of the request that differs, with both values."""
    old, new = dict(recorded), dict(sent)
    for place, value in sent:
        if place not in old:
            return f"`{place}` is new: {_short(value)}"
        if old[place] != value:
            return f"at `{place}` it has {_short(old[place])}, and this request has {_short(value)}"
    missing = next((place for place, _ in recorded if place not in new), "")
    return (
        f"this request lacks `{missing}`, which is {_short(old[missing])} there" if missing else "they differ in order"
    )


def _short(value: str) -> str:
    return value if len(value) <= LONGEST else f"{value[:LONGEST]}..."
