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
from fake_providers.rulebook import Reads
from fake_providers.values.json_texts import LARGE

LONGEST_PART = 64 * 1024
"""Bytes of a part beyond which it is forgotten at once: pictures mostly."""
MOST_BYTES = 1024 * 1024
"""How large the parts may become before the older half is forgotten, as sent: up to twice as much is kept, and their
values take up to ten times as much memory."""
MOST_SCOPES = 256
SHALLOW = 60
"""Levels of a part up to which every provider's parser takes it."""
BETAS = ("anthropic-beta", "openai-beta")
"""The headers that rules read."""

_DOCUMENT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_NUMBERS = itertools.count(1)
"""Numbers the scopes of all wires and providers, since some of them share their parts."""
# What opens and closes a level; strings are matched too, and whole, as brackets in them count for nothing.
_TOKENS = re.compile(rb'"(?:\\.|[^"\\])*+"|[\[\]{}]', re.DOTALL)


@dataclass(slots=True, eq=False)
class Part:
    """One message or tool: its JSON value, and where a request with it was accepted: the scope, and the list."""

    value: Any
    accepted: set[tuple[int, str]] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class Parts:
    """A body that is an object: its value, and its parts by the member that lists them."""

    value: dict[str, Any]
    lists: dict[str, list[Part]]
    parameters: bytes
    """A hash of the other members, as they were sent."""


class PartReader:
    """Reads the bodies of one wire.

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
        parameters: list[bytes] = []
        find = self._part
        for name, raw in _DOCUMENT.decode(body).items():
            if name in self._lists and bytes(raw)[:1] == b"[":
                found = lists[name] = [find(bytes(item)) for item in _LIST.decode(raw)]
                value[name] = [part.value for part in found]
            else:
                text = bytes(raw)
                value[name] = find(text).value if text[:1] == b"{" else self._value(text)
                parameters += (name.encode(), text)
        return Parts(value, lists, blake2b(b"\0".join(parameters)).digest())

    def _part(self, text: bytes) -> Part:
        part = self._young.get(text)
        if part is not None:
            return part
        part = self._old.get(text)
        if part is None:
            value = self._value(text)
            if not isinstance(value, dict):
                raise ValueError("no message and no tool")
            part = Part(value)
        if len(text) <= LONGEST_PART:
            self._keep(text, part)
        return part

    def _value(self, text: bytes) -> Any:
        if text.count(b"{") + text.count(b"[") > SHALLOW and _depth(text) > SHALLOW:
            raise ValueError("nested deep")
        return self._parse(text.decode())

    def _keep(self, text: bytes, part: Part) -> None:
        with self._lock:
            self._young[text] = part
            self._bytes += len(text)
            if self._bytes > MOST_BYTES:
                self._old, self._young, self._bytes = self._young, {}, 0


def _depth(text: bytes) -> int:
    depth = deepest = 0
    for token in _TOKENS.findall(text):
        if token in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token in b"]}":
            depth -= 1
    return deepest


Judge = Callable[[Any, Reads | None], Violation | None]
"""Judges the value of a body by the rules that read so much of it, by all for None."""


class AcceptedParts:
    """What was accepted on one wire, by scope: provider, target, parameters and betas."""

    def __init__(self) -> None:
        self._scopes: dict[Any, int] = {}

    def judge(self, request: Request, parts: Parts, *, provider: str, judge: Judge) -> Violation | None:
        """What `judge` finds in the body, which need not look at parts again that it has accepted in this scope.

        Nothing is remembered while rules are tolerated.
        """
        if CURRENT.get() is not None:
            return judge(parts.value, None)
        shape = tuple((name, bool(found)) for name, found in parts.lists.items())
        scope = (provider, request.path, request.stored, parts.parameters, shape, *map(request.headers.get, BETAS))
        number = self._scopes.get(scope, 0)
        fresh = {
            name: [part for part in found if (number, name) not in part.accepted] for name, found in parts.lists.items()
        }
        count = sum(map(len, fresh.values()))
        if count < sum(map(len, parts.lists.values())) and not self._finds_any(parts, fresh if count else None, judge):
            violation = None
        else:
            violation = judge(parts.value, None)
        if violation is None and (count or not number):
            number = number or self._number_of(scope)
            for name, found in fresh.items():
                for part in found:
                    if len(part.accepted) >= MOST_SCOPES:  # most are of scopes that are forgotten
                        part.accepted.clear()
                    part.accepted.add((number, name))
        return violation

    def _finds_any(self, parts: Parts, fresh: dict[str, list[Part]] | None, judge: Judge) -> bool:
        """Whether a rule finds anything: one that reads single parts in the new ones alone, any other in the whole."""
        try:
            if fresh is not None:
                shown = {
                    name: [part.value for part in fresh[name]] if name in fresh else value
                    for name, value in parts.value.items()
                }
                if judge(shown, "parts") is not None:
                    return True
            return judge(parts.value, "request") is not None
        except Exception:
            return True  # a rule may rely on what an earlier one refuses, which was not asked here

    def _number_of(self, scope: Any) -> int:
        if len(self._scopes) >= MOST_SCOPES:
            self._scopes.clear()
        number = self._scopes[scope] = next(_NUMBERS)
        return number
