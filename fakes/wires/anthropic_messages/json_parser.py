"""The JSON parser in front of the Messages API: what it takes, and its words for what it does not. Knows no rule.

Its sentences, as far as users quote them, are those of orjson, with the same places; the others were read off orjson.
"""

import json
import math
import re
from functools import partial
from typing import Any

from fakes.parse_cache import cached_by_body

DEPTH = 1024
LARGEST_DIGITS = 308
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}]', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB]..)(\\u[dD][c-fC-F]..|\\u)?|u([dD][c-fC-F]..)|.)", re.DOTALL)
_PLAIN = {
    "Extra data": "unexpected content after document",
    "Invalid control character at": "unexpected control character in string",
    "Expecting ':' delimiter": "unexpected character, expected ':' after key",
}
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_CONSTANTS = {"-Infinity": (1, "no digit after sign")}


class NotJsonError(ValueError):
    """The body is no JSON text; the message is what the provider says after the colon."""


class LoneSurrogateError(NotJsonError):
    """Half of a character that takes two: JSON to most parsers, and not to this one."""


class _RefusedError(ValueError):
    """A number or a constant that only Python reads, and how far into it the fault is."""

    def __init__(self, token: str, offset: int, words: str) -> None:
        super().__init__(token)
        self.token, self.offset, self.words = token, offset, words


@cached_by_body
def parse(body: bytes) -> Any:
    """The JSON value, shared between callers. Raises `NotJsonError` for what no parser takes; takes lone surrogates."""
    if not body:
        raise NotJsonError("Input is a zero-length, empty document: line 1 column 1 (char 0)")
    if body.startswith(b"\xef\xbb\xbf"):
        raise NotJsonError("UTF-8 byte order mark (BOM) is not supported: line 1 column 1 (char 0)")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise NotJsonError("str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)") from None
    try:
        return json.loads(text, parse_constant=_constant, parse_int=_INTEGER, parse_float=_FLOAT)
    except json.JSONDecodeError as error:
        raise _told(text, *_fault(text, error.msg, error.pos)) from None
    except _RefusedError as error:
        raise _told(text, text.find(error.token) + error.offset, error.words) from None
    except RecursionError:
        raise _told(text, _too_deep(text), "depth limit exceeded") from None


def check_surrogates(body: bytes) -> None:
    """Raises `LoneSurrogateError` for text with an escape that is half a character. The body is JSON."""
    if b"\\ud" not in body and b"\\uD" not in body:
        return
    text = body.decode()
    for escape in _ESCAPE.finditer(text):
        high, low, alone = escape.groups()
        words = ""
        if alone:
            words = "invalid high surrogate in string"
        elif high and not low:
            words = "no low surrogate in string"
        elif high and len(low) == 2:
            words = "invalid low surrogate in string"
        if words:
            raise _told(text, escape.start(), words, LoneSurrogateError)


def _told(text: str, at: int, words: str, kind: type[NotJsonError] = NotJsonError) -> NotJsonError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return kind(f"{words}: line {line} column {column} (char {at})")


def _constant(name: str) -> None:
    raise _RefusedError(name, *_CONSTANTS.get(name, (0, "unexpected character, expected a JSON value")))


def _finite(digits: str, read: type[int] | type[float]) -> Any:
    value = read(digits) if read is float or len(digits) <= LARGEST_DIGITS else math.inf
    if value in (math.inf, -math.inf):
        raise _RefusedError(digits, 0, "number is infinity when parsed as double")
    return value


_INTEGER, _FLOAT = partial(_finite, read=int), partial(_finite, read=float)


def _fault(text: str, message: str, at: int) -> tuple[int, str]:
    """The place and the words, from Python's."""
    here, before = text[at : at + 1], text[:at].rstrip()
    if message in _PLAIN and here:
        return at, _PLAIN[message]
    if "escape" in message and len(text) - at > 5:
        return at - ("\\u" in message), "invalid escaped sequence in string"
    if not text.strip():
        return 0, "input data is empty"
    if not here or "Unterminated" in message or "escape" in message:
        return len(text), "unexpected end of data"
    if before.endswith(",") and here in "]}":
        return len(before) - 1, "trailing comma is not allowed"
    if "property name" in message:
        return at, "unexpected character, expected a string key"
    if "delimiter" in message:
        return at, f"unexpected character, expected ',' or '{_closing(before)}'"
    return _no_value(text, at)


def _no_value(text: str, at: int) -> tuple[int, str]:
    here = text[at]
    if here in "+-.":
        return at + (here == "-"), "no digit after sign"
    literal = _LITERALS.get(here)
    if literal is None:
        return at, "unexpected character, expected a JSON value"
    ends = literal.startswith(text[at:].rstrip())
    return (len(text), "unexpected end of data") if ends else (at, f"invalid literal, expected '{literal}'")


def _closing(text: str) -> str:
    """What would close the innermost list or object that `text` leaves open."""
    opened: list[str] = []
    for token in _TOKEN.findall(text):
        if token in "[{":
            opened.append("]" if token == "[" else "}")
        elif token in "]}" and opened:
            opened.pop()
    return opened[-1] if opened else "]"


def _too_deep(text: str) -> int:
    depth = 0
    for token in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        if depth > DEPTH:
            return token.end()
    return 0
