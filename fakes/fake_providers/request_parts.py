"""The messages and tools of a request: what was read and accepted before is not read and judged again.

An agent sends its history again with a little more, so nearly all parts of a request are the bytes of parts before.
"""

import itertools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import msgspec

from fake_providers.http import Request
from fake_providers.rule import CURRENT, Violation
from fake_providers.rulebook import Asked, Rulebook, asked
from fake_providers.values.json_texts import LARGE

LONGEST_PART = 64 * 1024
"""Bytes of a part beyond which it is forgotten at once: pictures mostly."""
MOST_BYTES = 1024 * 1024
"""How large the parts may become before the older half is forgotten, as sent: up to twice as much is kept, and their
values take up to ten times as much memory."""
MOST_SCOPES = 256
FEWEST_MESSAGES = 12
"""Of a conversation that is shown without its middle."""
MOST_NEW = 8
"""Messages by which a conversation has grown since it was accepted."""
KEPT_EXCHANGES = 2
"""Accepted exchanges that are shown before what is new."""
MOST_KEPT = 50_000
"""Messages of the conversations that are kept, twice at most; each costs a pointer."""
SHORT = 2000
"""Bytes of a body whose parameters are kept as they are."""
SHALLOW = 60
"""Levels of a part up to which every provider's parser takes it."""
BETAS = ("anthropic-beta", "openai-beta")
"""The headers that rules read."""

_DOCUMENT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_NUMBERS = itertools.count(1)
"""Numbers the scopes of all wires and providers, since some of them share their parts."""
_ESCAPED_LETTER = re.compile(rb"\\u00[2-7]")
"""An escape of ASCII: a needed text may be written with it."""
# What opens and closes a level; strings are matched too, and whole, as brackets in them count for nothing.
_TOKENS = re.compile(rb'"(?:\\.|[^"\\])*+"|[\[\]{}]', re.DOTALL)


@dataclass(slots=True, eq=False)
class Part:
    """One message or tool: its JSON value, and where a request with it was accepted: the scope, and the list."""

    text: bytes
    value: Any
    accepted: set[tuple[int, str]] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Parts:
    """A body that is an object: its value, and its parts by the member that lists them."""

    value: dict[str, Any]
    lists: dict[str, list[Part]]
    parameters: Any
    """The names and texts of the other members, as they were sent, or a hash of them."""


class PartReader:
    """Asked the bodies of one wire.

    `lists` are the members of a body whose items are parts, and `parse` reads the JSON of a part or a parameter as the
    wire's own parser does; it raises `ValueError` for all that this parser refuses or takes in another way.
    """

    def __init__(self, parse: Callable[[str], Any], *lists: str) -> None:
        self._parse = parse
        self._lists = frozenset(lists)
        self._young: dict[bytes, Part] = {}
        self._old: dict[bytes, Part] = {}
        self._bytes = 0
        self._lock = threading.Lock()
        self._last: tuple[bytes, Parts | None] = (b"", None)

    def read(self, body: bytes) -> Parts | None:
        """None for a body that the wire's own parser has to read: no object, large, nested deep, or not plain JSON.

        What is returned is shared between callers, and never to be changed.
        """
        if len(body) > LARGE:
            return None
        last = self._last
        if last[0] is body:
            return last[1]
        try:
            parts = self._read(body)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            parts = None
        self._last = (body, parts)
        return parts

    def _read(self, body: bytes) -> Parts:
        value: dict[str, Any] = {}
        lists: dict[str, list[Part]] = {}
        parameters: list[Any] = []
        known = self._bytes
        for name, raw in _DOCUMENT.decode(body).items():
            text = bytes(raw)
            if name in self._lists and text[:1] == b"[":
                found = lists[name] = [self._part(bytes(item)) for item in _LIST.decode(text)]
                value[name] = [part.value for part in found]
            else:
                value[name] = self._part(text).value if text[:1] == b"{" else self._value(text)
                parameters += (name, text)
        if self._bytes > max(known, MOST_BYTES):
            with self._lock:
                if self._bytes > MOST_BYTES:
                    self._old, self._young, self._bytes = self._young, {}, 0
        return Parts(value, lists, tuple(parameters) if len(body) <= SHORT else _hash_of(parameters))

    def _part(self, text: bytes) -> Part:
        part = self._young.get(text)
        if part is not None:
            return part
        part = self._old.get(text)
        if part is None:
            value = self._value(text)
            if not isinstance(value, dict):
                raise ValueError("no message and no tool")
            part = Part(text, value)
        if len(text) <= LONGEST_PART:
            self._young[text] = part
            self._bytes += len(text)
        return part

    def _value(self, text: bytes) -> Any:
        if text.count(b"{") + text.count(b"[") > SHALLOW and _depth(text) > SHALLOW:
            raise ValueError("nested deep")
        return self._parse(text.decode())


def _hash_of(parameters: list[Any]) -> bytes:
    texts = (text.encode() if isinstance(text, str) else text for text in parameters)
    return blake2b(b"".join(b"%d:%b" % (len(text), text) for text in texts)).digest()


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for token in _TOKENS.findall(text):
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


Judge = Callable[[Any, Asked | None], Violation | None]
"""Judges the value of a body by the rules that read so much of it, by all for None."""


class AcceptedParts:
    """What was accepted on one wire by these books, by scope: provider, target, parameters and betas."""

    def __init__(self, *books: Rulebook) -> None:
        self._books = books
        self._needed: frozenset[bytes] | None = None
        self._scopes: dict[Any, int] = {}
        self._histories = Histories()

    def judge(self, request: Request, parts: Parts, *, provider: str, judge: Judge) -> Violation | None:
        """What `judge` finds in the body, which need not look at parts again that it has accepted in this scope.

        Nothing is remembered while rules are tolerated.
        """
        if CURRENT.get() is not None:
            return judge(parts.value, None)
        shape = tuple((name, bool(found)) for name, found in parts.lists.items())
        scope = (provider, request.path, request.stored, parts.parameters, shape, *map(request.headers.get, BETAS))
        number = self._scopes.get(scope, 0)
        fresh = parts.lists
        grown = None
        if number:
            fresh = {
                name: [part for part in found if (number, name) not in part.accepted]
                for name, found in parts.lists.items()
            }
            grown = self._histories.grown(number, parts)
        if grown is None:
            absent = self._absent_from(request.body)
        else:
            absent = grown.absent & self._absent_from(b"".join([part.text for part in grown.new]))
        if not number or fresh == parts.lists:
            violation = judge(parts.value, asked("all", absent))
        else:
            window = None if grown is None else grown.window
            violation = judge(parts.value, None) if _finds_any(parts, fresh, window, absent, judge) else None
        if violation is None:
            number = number or self._number_of(scope)
            for name, found in fresh.items():
                for part in found:
                    if len(part.accepted) >= MOST_SCOPES:  # most are of scopes that are forgotten
                        part.accepted.clear()
                    part.accepted.add((number, name))
            self._histories.keep(number, parts, absent)
        return violation

    def _absent_from(self, text: bytes) -> frozenset[bytes]:
        """The members that rules need and that no string of the JSON text has."""
        if self._needed is None:
            self._needed = frozenset().union(*(book.needed_members for book in self._books))
        if b"\\u00" in text and _ESCAPED_LETTER.search(text):
            return frozenset()
        # What stands between two quotation marks: every name and string without one, and what is between them.
        return self._needed.difference(text.split(b'"'))

    def _number_of(self, scope: Any) -> int:
        if len(self._scopes) >= MOST_SCOPES:
            self._scopes.clear()
        number = self._scopes[scope] = next(_NUMBERS)
        return number


def _finds_any(
    parts: Parts, fresh: dict[str, list[Part]], window: dict[str, Any] | None, absent: frozenset[bytes], judge: Judge
) -> bool:
    """Whether a rule finds anything: one that reads single parts in the new ones alone, one that reads exchanges in the
    window, any other in the whole. Where there is a window, the tools are those of an accepted request."""
    try:
        if any(fresh.values()):
            shown = {
                name: [part.value for part in fresh[name]] if name in fresh else value
                for name, value in parts.value.items()
            }
            if judge(shown, asked("parts", absent)) is not None:
                return True
        if window is None:
            return judge(parts.value, asked("several", absent)) is not None
        near = judge(window, asked("exchanges", absent))
        return near is not None or judge(parts.value, asked("request", absent)) is not None
    except Exception:
        return True  # a rule may rely on what an earlier one refuses, which was not asked here


@dataclass(frozen=True, slots=True)
class Grown:
    """A request whose conversation was accepted but for the `new` messages: the body without the middle of the
    conversation, None where nothing can be left out, and what was absent from the accepted one."""

    new: list[Part]
    window: dict[str, Any] | None
    absent: frozenset[bytes]


class Histories:
    """The conversations that were accepted, by the number of their scope and the tools beside them, each with the
    members that are absent from the request.

    A request whose first messages were accepted as they are, all but the newest, is shown to the rules that read
    exchanges without its middle: its beginning up to the user's first message, the last exchanges that were accepted,
    and what is new.
    """

    def __init__(self) -> None:
        self._young: dict[tuple[Any, ...], frozenset[bytes]] = {}
        self._old: dict[tuple[Any, ...], frozenset[bytes]] = {}
        self._parts = 0
        self._lock = threading.Lock()

    def grown(self, number: int, parts: Parts) -> Grown | None:
        """None where the messages were not accepted before, or are few."""
        name, found, scope = _conversation_of(number, parts)
        if len(found) < FEWEST_MESSAGES:
            return None
        for new in range(min(MOST_NEW, len(found)) + 1):
            key = (*scope, *found[: len(found) - new])
            absent = self._young.get(key)
            absent = self._old.get(key) if absent is None else absent
            if absent is not None:
                values = parts.value[name]
                shown = shown_of(values, len(found) - new)
                window = None if shown is values else {**parts.value, name: shown}
                return Grown(found[len(found) - new :], window, absent)
        return None

    def keep(self, number: int, parts: Parts, absent: frozenset[bytes]) -> None:
        _, found, scope = _conversation_of(number, parts)
        if len(found) < FEWEST_MESSAGES - MOST_NEW:
            return
        with self._lock:
            self._young[(*scope, *found)] = absent
            self._parts += len(found)
            if self._parts > MOST_KEPT:
                self._old, self._young, self._parts = self._young, {}, 0


def _conversation_of(number: int, parts: Parts) -> tuple[str, list[Part], tuple[Any, ...]]:
    """The name of the list that is the conversation, its parts, and all that must be the same beside it."""
    name = next((name for name in parts.lists if name != "tools"), "")
    others = tuple((other, *found) for other, found in parts.lists.items() if other != name)
    return name, parts.lists.get(name, []), (number, others)


def shown_of(messages: list[Any], accepted: int) -> list[Any]:
    """The messages without the middle of the first `accepted` ones; all of them where nothing can be left out."""
    first = next((index for index, message in enumerate(messages) if message.get("role") == "user"), accepted)
    openings = (
        index
        for index in range(accepted - 1, first + 1, -1)
        if _is_models(messages[index]) and not _is_models(messages[index - 1])
    )
    start = next(itertools.islice(openings, KEPT_EXCHANGES - 1, None), None)
    return messages if start is None else [*messages[: first + 1], *messages[start:]]


def _is_models(message: Any) -> bool:
    """Whether the model wrote it. Items of Responses without a role are calls, their results, and reasoning."""
    role = message.get("role")
    return role in ("assistant", "model") if role else not str(message.get("type")).endswith("_output")
