"""The messages and tools of a request: what was read before is not read again.

An agent sends its history again with a little more, so nearly all parts of a request are the bytes of parts before.
"""

import re
import threading
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, field

from fake_providers.values.json_texts import LARGE

_S = TypeVar("_S")
_T = TypeVar("_T")
LONGEST_PART = 64 * 1024
"""Bytes of a part beyond which it is forgotten at once: pictures mostly."""
MOST_BYTES = 1024 * 1024
"""How large the parts may become before the older half is forgotten, as sent: up to twice as much is kept, and their
values take up to ten times as much memory."""
MOST_SCOPES = 256
LONG_LIST = 512
"""Bytes of a list from which on it is kept: of tools as it is, of messages with what is around it in the body."""
LONGEST_KEPT = 256 * 1024
"""Bytes of a list, or of a body, beyond which it is forgotten at once."""
BEGINNING = 256
"""Bytes by which bodies are looked up."""
MOST_ALIKE = 16
"""Bodies that begin alike, of parallel conversations."""
LONG_PARAMETER = 100
"""Bytes from which on a parameter is kept as parts are."""
SHALLOW = 60
"""Levels of a part up to which every provider's parser takes it."""

_DOCUMENT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
ESCAPED_LETTER = re.compile(rb"\\u00[2-7]")
"""An escape of ASCII: a needed text, or the name of a member, may be written with it."""
_SPACE = b" \t\n\r"
# What opens and closes a level; strings are matched too, and whole, as brackets in them count for nothing.
_TOKENS = re.compile(rb'"(?:\\.|[^"\\])*+"|[\[\]{}]', re.DOTALL)


class Part(Struct, eq=False):
    """One message, tool or long parameter: its JSON value, and where a request with it was accepted: the scope, and the
    list."""

    text: bytes
    value: Any
    accepted: AbstractSet[tuple[int, str]] = frozenset()
    converted: tuple[Any, int, Any] | None = None
    """By which function, for which place in its list, into what."""


class NotKept(Struct, frozen=True):
    """A parameter that is too long to be kept."""

    digest: bytes


class PartList(Struct, eq=False):
    """The parts of one list, which may begin with those of a list that was read before.

    `accepted` has where the whole of it was accepted: the number of the scope and the other lists, with the members
    that rules need and that the request had. `earlier` is a list with which it begins, and `new` the parts after that.
    """

    parts: list[Part]
    values: list[Any]
    earlier: "PartList | None" = None
    new: list[Part] = field(default_factory=list)
    accepted: dict[Any, frozenset[bytes]] = field(default_factory=dict)
    made: dict[Any, Any] = field(default_factory=dict)
    """By each function what it made of the whole list."""


class Parts(Struct, eq=False):
    """A body that is an object: its value, and its parts by the member that lists them."""

    value: dict[str, Any]
    lists: dict[str, PartList]
    parameters: tuple[Any, ...]
    """The names of the other members, and what stands for their texts, as they were sent."""
    conversation: str
    """Which list has the messages; empty where none has."""
    beside: tuple[PartList, ...]
    """The other lists."""
    head: bytes = b""
    """The body up to the end of the last message, and `tail` what is after it: where another body has more messages
    between the same two, nothing else of it is read. Empty where that cannot be."""
    tail: bytes = b""
    reader: "PartReader | None" = None

    def is_around(self, body: bytes) -> bool:
        known = len(self.head) + len(self.tail)
        return known <= len(body) and body.startswith(self.head) and body.endswith(self.tail)


class PartReader:
    """Asked the bodies of one wire.

    `lists` are the members of a body whose items are parts; `around_tools` is the one that is an object with the tools,
    where these are no member of the body itself. `parse` reads the JSON of a part or a parameter as the wire's own
    parser does; it raises `ValueError` for all that this parser refuses or takes in another way.
    """

    def __init__(self, parse: Callable[[bytes], Any], *lists: str, around_tools: str | None = None) -> None:
        self._parse = parse
        self._around_tools = around_tools
        self._lists = frozenset(lists)
        self._young: dict[bytes, Part] = {}
        self._old: dict[bytes, Part] = {}
        self._bytes = 0
        self._bodies: dict[bytes, list[Parts]] = {}
        self._bytes_of_bodies = 0
        self._tools: dict[bytes, PartList] = {}
        self._bytes_of_tools = 0
        self._of_parameters: dict[Any, Any] = {}
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

    def folded(
        self, body: bytes, name: str, convert: Callable[[int, Any], _T], fold: Callable[[_S | None, list[_T]], _S]
    ) -> _S | None:
        """What `fold` makes of this list, from what it made of its beginning and what `convert` makes of each new item
        from its place and its value. Kept, since nearly all was in the request before. None where the body has no such
        list, or is read otherwise."""
        parts = self.read(body)
        found = None if parts is None else parts.lists.get(name)
        if found is None:
            return None
        made: _S | None = found.made.get(fold)
        if made is None:
            earlier = found.earlier
            before: _S | None = None if earlier is None else earlier.made.get(fold)
            start = 0 if earlier is None or before is None else len(earlier.parts)
            new = []
            for index, part in enumerate(found.parts[start:], start):
                kept = part.converted
                if kept is None or kept[0] is not convert or kept[1] != index:
                    kept = part.converted = (convert, index, convert(index, part.value))
                new.append(kept[2])
            made = found.made[fold] = fold(before, new)
        return made

    def made(self, body: bytes, name: str, make: Callable[[Any], _T]) -> _T | None:
        """The same of the list as a whole."""
        parts = self.read(body)
        found = None if parts is None else parts.lists.get(name)
        if found is None:
            return None
        if make not in found.made:
            found.made[make] = make(found.values)
        kept: _T = found.made[make]
        return kept

    def of_parameters(self, body: bytes, make: Callable[[Any], _T]) -> _T | None:
        """The same of the members that are no such lists: requests of one agent mostly have the same."""
        parts = self.read(body)
        if parts is None:
            return None
        key = (make, parts.parameters)
        kept: _T | None = self._of_parameters.get(key)
        if kept is None:
            kept = make(
                {
                    name: value
                    for name, value in parts.value.items()
                    if name not in parts.lists and name != self._around_tools
                }
            )
            bounded(self._of_parameters)[key] = kept
        return kept

    def _read(self, body: bytes) -> Parts:
        known = self._bytes
        earlier = None
        with self._lock:
            for known_parts in reversed(self._bodies.get(body[:BEGINNING], ())):
                if known_parts.is_around(body):
                    earlier = known_parts
                    break
        parts = None if earlier is None else self._going_on(earlier, body)
        if parts is None:
            earlier, parts = None, self._whole(body)
        if parts is not earlier and parts.head and len(body) <= LONGEST_KEPT:
            self._keep(parts, earlier, body[:BEGINNING])
        if self._bytes > max(known, MOST_BYTES):
            with self._lock:
                if self._bytes > MOST_BYTES:
                    self._old, self._young, self._bytes = self._young, {}, 0
        return parts

    def _going_on(self, earlier: Parts, body: bytes) -> Parts | None:
        """The same body with more messages; None where something else stands between its two ends."""
        middle = body[len(earlier.head) : len(body) - len(earlier.tail)]
        if not middle:
            return earlier
        more = middle.lstrip(_SPACE)
        if more[:1] != b",":
            return None
        name = earlier.conversation
        before = earlier.lists[name]
        try:
            new, values = self._parts_in(b"[" + more[1:] + b"]")
        except (ValueError, msgspec.MsgspecError):
            return None
        if not new:
            return None
        found = PartList([*before.parts, *new], [*before.values, *values], before, new)
        if before.earlier is not None and not before.accepted:  # what was refused is no longer of use
            found.earlier, found.new = before.earlier, [*before.new, *new]
        value, lists = {**earlier.value, name: found.values}, {**earlier.lists, name: found}
        head = earlier.head + middle.rstrip(_SPACE)
        return Parts(value, lists, earlier.parameters, name, earlier.beside, head, body[len(head) :], self)

    def _keep(self, parts: Parts, earlier: Parts | None, beginning: bytes) -> None:
        """In place of the body that it goes on from."""
        with self._lock:
            alike = self._bodies.setdefault(beginning, [])
            alike.append(parts)
            self._bytes_of_bodies += len(parts.head)
            if earlier in alike:  # another thread may have dropped it since
                alike.remove(earlier)
                self._bytes_of_bodies -= len(earlier.head)
            elif len(alike) > MOST_ALIKE:
                self._bytes_of_bodies -= len(alike.pop(0).head)
            if self._bytes_of_bodies > MOST_BYTES:
                self._bodies, self._bytes_of_bodies = {beginning: [parts]}, len(parts.head)

    def _whole(self, body: bytes) -> Parts:
        value: dict[str, Any] = {}
        lists: dict[str, PartList] = {}
        parameters: list[Any] = []
        conversation, said = "", b""
        members = _DOCUMENT.decode(body)
        if _may_repeat(body, members):
            raise ValueError("a member that is not read")
        for name, raw in members.items():
            text = bytes(raw)
            if name == self._around_tools:
                text = self._beside_tools(text, lists)
            if name in self._lists and text[:1] == b"[":
                found = lists[name] = self._list(name, text)
                value[name] = found.values
                if not conversation and name != "tools":
                    conversation, said = name, text
            elif len(text) < LONG_PARAMETER:
                value[name] = self._value(text)
                parameters += (name, text)
            else:
                part = self._part(text)
                self.keep(part)
                value[name] = part.value
                parameters += (name, part if len(text) <= LONGEST_PART else NotKept(blake2b(text).digest()))
        if self._around_tools in value and "tools" in lists:
            value[self._around_tools] = {**value[self._around_tools], "tools": lists["tools"].values}
        beside = tuple([found for name, found in lists.items() if name != conversation])
        head = _head_of(body, conversation, said) if len(said) >= LONG_LIST else b""
        return Parts(value, lists, tuple(parameters), conversation, beside, head, body[len(head) :], self)

    def _beside_tools(self, text: bytes, lists: dict[str, PartList]) -> bytes:
        """The object without its tools, which become one of the lists; the same text where it has no list of them."""
        members = _DOCUMENT.decode(text)
        if _may_repeat(text, members):
            raise ValueError("a member that is not read")
        tools = bytes(members.pop("tools", b""))
        if tools[:1] != b"[":
            return text
        lists["tools"] = self._list("tools", tools)
        return msgspec.json.encode(members)

    def _list(self, name: str, text: bytes) -> PartList:
        is_kept = name == "tools" and LONG_LIST <= len(text) <= LONGEST_KEPT
        known = self._tools.get(text) if is_kept else None
        if known is not None:
            return known
        found = PartList(*self._parts_in(text))
        if is_kept:
            with self._lock:
                self._bytes_of_tools += len(text)
                if self._bytes_of_tools > MOST_BYTES:
                    self._tools, self._bytes_of_tools = {}, len(text)
                self._tools[text] = found
        return found

    def _parts_in(self, text: bytes) -> tuple[list[Part], list[Any]]:
        """The parts and their values."""
        parts = [self._part(bytes(item)) for item in _LIST.decode(text)]
        values = [part.value for part in parts]
        if not {*map(type, values)} <= {dict}:
            raise ValueError("no message and no tool")
        return parts, values

    def _part(self, text: bytes) -> Part:
        part = self._young.get(text) or self._old.get(text)
        if part is None:
            return Part(text, self._value(text))
        self.keep(part)
        return part

    def keep(self, part: Part) -> None:
        """So that the same bytes are the same part from now on."""
        text = part.text
        if len(text) <= LONGEST_PART and text not in self._young:
            self._young[text] = part
            self._bytes += len(text)

    def _value(self, text: bytes) -> Any:
        if len(text) <= 2 * SHALLOW:
            return self._parse(text)
        opened = text.count(b"{") + text.count(b"[")
        value = self._parse(text)
        if opened > SHALLOW and not _is_shallow(value, opened) and _depth(text) > SHALLOW:
            raise ValueError("nested deep")
        return value


def _head_of(body: bytes, name: str, text: bytes) -> bytes:
    """The body up to the end of the last item of this list; empty where it is not sure where the list stands: its name
    is there twice, or may be written with escapes."""
    key = b'"%b"' % name.encode()
    at = body.find(key)
    start = body.find(b"[", at)
    sure = body.find(key, at + 1) < 0 <= at and body[at + len(key) : start].strip(_SPACE) == b":"
    if not sure or not body.startswith(text, start):
        return b""
    end = start + len(text)
    if ESCAPED_LETTER.search(body, 0, at) or ESCAPED_LETTER.search(body, end):
        return b""
    return body[: end - 1].rstrip(_SPACE)


def _may_repeat(body: bytes, members: dict[str, msgspec.Raw]) -> bool:
    """Whether the body may have a member before another of its name: the wire's parser may refuse what it has. There is
    no room for one in a body as clients write it, without spaces or with one after each comma and colon."""
    room = len(body) - 1 - 4 * len(members) - sum(map(len, members)) - sum(map(len, members.values()))
    if room in (0, 2 * len(members) - 1):
        return False
    if ESCAPED_LETTER.search(body):
        return True
    strings = Counter(body.split(b'"'))
    return any(strings[name.encode()] > 1 for name in members)


def _is_shallow(value: Any, opened: int) -> bool:
    """Whether it is known to be without a look at the text: all brackets that the text opens are those of values."""
    inner, found = [value], 0
    for _ in range(SHALLOW):
        inner = [one for one in inner if type(one) in (dict, list)]
        if not inner:
            return found == opened
        found += len(inner)
        inner = [each for one in inner for each in (one.values() if type(one) is dict else one)]
    return False


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for token in _TOKENS.findall(text):
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


def bounded(accepted: Any) -> Any:
    """The same set or mapping, which is emptied where it is full: most are of scopes that are forgotten."""
    if len(accepted) >= MOST_SCOPES:
        accepted.clear()
    return accepted
