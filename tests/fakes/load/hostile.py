"""Bodies that no client should send, by name: made of a right one, so that nothing else is wrong with them."""

import json
from collections.abc import Callable

from load_requests import Ask

DEEP = 100_000


def _beside(text: bytes) -> Callable[[Ask], bytes]:
    """The right body with one more member, of this text."""
    return lambda ask: b'{"x":' + text + b"," + ask.content[1:]


def _instead(text: bytes) -> Callable[[Ask], bytes]:
    """The right body with this in the place of its text, quotes included."""
    return lambda ask: ask.content.replace(b'"Hi."', text)


def _whole(text: bytes) -> Callable[[Ask], bytes]:
    return lambda ask: text


NO_JSON: dict[str, Callable[[Ask], bytes]] = {
    "empty": _whole(b""),
    "blank": _whole(b" \n"),
    "form": _whole(b"model=x&messages=y"),
    "binary": _whole(bytes(range(256))),
    "nul": _whole(b"\x00" * 100),
    "cut": lambda ask: ask.content[:-2],
    "twice": lambda ask: ask.content * 2,
    "nan": _beside(b"NaN"),
    "infinity": _beside(b"-Infinity"),
    "single-quotes": lambda ask: ask.content.replace(b'"', b"'"),
    "comma": lambda ask: ask.content[:-1] + b",}",
    "control-character": _instead(b'"a\nb"'),
    "nul-in-text": _instead(b'"a\x00b"'),
    "bad-escape": _instead(b'"\\x41"'),
    "utf-16": lambda ask: ask.content.decode().encode("utf-16"),
    "bad-utf-8": _instead(b'"\xff\xfe"'),
    "half-a-character": _instead(b'"\xe2\x82"'),
    "surrogate-in-utf-8": _instead(b'"\xed\xa0\x80"'),
    "byte-order-mark": lambda ask: b"\xef\xbb\xbf" + ask.content,
    "deep-lists": _whole(b"[" * DEEP),
    "deep-objects": _whole(b'{"a":' * DEEP),
}
"""No JSON, or none that every parser reads: what a provider makes of it differs."""

JSON: dict[str, Callable[[Ask], bytes]] = {
    "null": _whole(b"null"),
    "number": _whole(b"7"),
    "text": _whole(b'"x"'),
    "list": _whole(b"[]"),
    "object": _whole(b"{}"),
    "deep-and-closed": _beside(b"[" * DEEP + b"]" * DEEP),
    "deep-in-text": _instead(b"[" * DEEP + b"]" * DEEP),
    "deep-objects-in-text": _instead(b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "huge-integer": _beside(b"9" * 5000),
    "huge-integer-in-text": _instead(b"9" * 5000),
    "huge-exponent": _beside(b"1e99999"),
    "small-exponent": _beside(b"1e-99999"),
    "long-fraction": _beside(b"0." + b"1" * 100_000),
    "same-key-twice": lambda ask: ask.content[:-1] + b"," + ask.content[1:],
    "many-keys": lambda ask: json.dumps({f"x{number}": number for number in range(20_000)} | ask.body).encode(),
    "long-key": lambda ask: json.dumps({"x" * 1_000_000: 1} | ask.body).encode(),
    "lone-surrogate": _instead(b'"\\ud800"'),
    "surrogates-swapped": _instead(b'"\\udc00\\ud800"'),
    "escaped-nul": _instead(b'"\\u0000"'),
    "long-text": _instead(b'"' + b"a" * 1_000_000 + b'"'),
    "many-brackets-in-text": _instead(b'"' + b"[{" * 100_000 + b'"'),
}
"""JSON that parsers and rules stumble over."""

ALL = NO_JSON | JSON
