"""Requests that are nearly right: bodies with some values replaced or removed, or oddly written. The same for the same
seed."""

import json
import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

VALUES: tuple[Any, ...] = (None, True, 0, -1, 2.5, "", "x", [], {}, [1], ["a"], [[]], [{}], {"a": 1}, 10**30)


def mutated(body: dict[str, Any], chance: random.Random, *, names: Sequence[Any] = ()) -> dict[str, Any]:
    """The body with up to three values replaced or removed; `names` are values that this wire gives a meaning to."""
    body = deepcopy(body)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(list(_paths(body)) or [("model",)])
        place: Any = body
        for key in way:
            place = place[key]
        if chance.random() < 0.25 and (isinstance(place, list) or last in place):
            del place[last]
        else:
            place[last] = deepcopy(chance.choice((*VALUES, *names)))
    return body


ODD = (
    b" ",
    b"\t\r\n",
    b"\x00",
    b"\x7f",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b",",
    b'"',
    b"\\u0000",
    b"\\ud800",
    b"\\ude00\\ud83d",
    b"\\u0061",
    b"\\x",
    b"/*a*/",
    b"//",
    "\u2028".encode(),
)
NUMBERS = (b"NaN", b"-Infinity", b"1e999", b"-0", b"01", b"1.", b"1E+2", b"9" * 400, b"9" * 5000, b"0.1e-400", b"+1")


def oddly_written(body: dict[str, Any], chance: random.Random) -> bytes:
    """The body as text that parsers may take in different ways: members named twice, odd numbers, deep nesting, letters
    as escapes, and bytes put in or cut."""
    indent = chance.choice((None, None, 1))
    text = json.dumps(body, ensure_ascii=chance.random() < 0.5, indent=indent).encode(errors="replace")
    for _ in range(chance.randint(1, 2)):
        kind = chance.choices(("member", "number", "nested", "escape", "bytes", "cut", "whole"), (4, 2, 2, 4, 2, 1, 1))[
            0
        ]
        text = _changed(text, kind, [*body] or ["model"], chance)
    return text


def _changed(text: bytes, kind: str, names: Sequence[str], chance: random.Random) -> bytes:
    at = chance.randrange(len(text) + 1)
    name = json.dumps(chance.choice((*names, "x"))).encode()
    match kind:
        case "member":
            return _put_after(b"{", name + b":" + json.dumps(chance.choice(VALUES)).encode() + b",", text, at)
        case "number":
            return _put_after(b"{", name + b": " + chance.choice(NUMBERS) + b",", text, at)
        case "nested":
            depth = chance.choice((30, 59, 60, 61, 100, 200, 600))
            opening, closing = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
            return _put_after(b"{", name + b":" + opening * depth + b"1" + closing * depth + b",", text, at)
        case "escape":
            mark = chance.choice((b'{"', b': "'))
            start = _end_of(mark, text, at)
            return (
                text[:start] + b"".join(b"\\u%04x" % letter for letter in text[start : start + 1]) + text[start + 1 :]
            )
        case "bytes":
            return _put_after(chance.choice((b",", b":", b"{", b'"')), chance.choice(ODD), text, at)
        case "cut":
            return text[:at] + text[at + chance.randint(1, 3) :]
    odd = chance.choice(ODD)
    return chance.choice((text + odd, odd + text, text + text, b"[" + text + b"]", text[:at]))


def _put_after(mark: bytes, new: bytes, text: bytes, start: int) -> bytes:
    place = _end_of(mark, text, start)
    return text[:place] + new + text[place:]


def _end_of(mark: bytes, text: bytes, start: int) -> int:
    """Of the first of these marks from there on, or in the whole text; 0 where there is none."""
    found = text.find(mark, start)
    found = text.find(mark) if found < 0 else found
    return found + len(mark) if found >= 0 else 0


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _paths(value[key], (*path, key))
