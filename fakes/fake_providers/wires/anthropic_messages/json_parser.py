"""The JSON parser in front of the Messages API: what it accepts, and the error messages for what it does not.

The messages that users quote are those of orjson, with the same positions; the others were taken from orjson.
"""

import json
import math
import re
from functools import partial
from typing import Any, Final

from fake_providers.body_slices import PartReader
from fake_providers.http import Request
from fake_providers.values.json_texts import cached_by_body, fault_of, plain_parser

DEPTH = 1024
LARGEST_DIGITS = 308
"""The largest double has a digit more."""
# What opens and closes a level; strings are matched too, as brackets in them count for nothing.
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}]', re.DOTALL)
# An escape in a string: the first half of a surrogate pair with what follows it, a second half alone, or any other.
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB]..)(\\u[dD][c-fC-F]..|\\u)?|u([dD][c-fC-F]..)|.)", re.DOTALL)
_SENTENCES = {
    "Extra data": "unexpected content after document",
    "Invalid control character at": "unexpected control character in string",
    "Expecting ':' delimiter": "unexpected character, expected ':' after key",
}
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_CONSTANTS = {"-Infinity": (1, "no digit after sign")}


class NotJsonError(ValueError):
    """The body is not JSON; the message is what the provider sends after the colon."""


class LoneSurrogateError(NotJsonError):
    """Half of a surrogate pair: most parsers accept it, this one does not."""


class _NumberError(ValueError):
    """A number or constant that only Python accepts, and the offset of the error in it."""

    def __init__(self, token: str, offset: int, sentence: str) -> None:
        super().__init__(token)
        self.token, self.offset, self.sentence = token, offset, sentence


def parse(body: bytes) -> Any:
    """The JSON value, shared between callers. Accepts lone surrogates. Raises `NotJsonError`."""
    parts = PARTS.read(body)
    return _parse(body) if parts is None else parts.value


def read(body: bytes) -> Any:
    """The same. Raises `NotJsonError` for half of a surrogate pair too, which no body that `PARTS` reads has."""
    parts = PARTS.read(body)
    if parts is not None:
        return parts.value
    value = _parse(body)
    _check_surrogates(body)
    return value


@cached_by_body
def _parse(body: bytes) -> Any:
    if not body:
        raise NotJsonError("Input is a zero-length, empty document: line 1 column 1 (char 0)")
    if body.startswith(b"\xef\xbb\xbf"):
        raise NotJsonError("UTF-8 byte order mark (BOM) is not supported: line 1 column 1 (char 0)")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise NotJsonError("str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)") from None
    deep = _too_deep(text) if text.count("[") + text.count("{") > DEPTH else 0
    try:
        value = json.loads(text, parse_constant=_constant, parse_int=_INTEGER, parse_float=_FLOAT)
    except json.JSONDecodeError as error:
        message, at = fault_of(error)
        if not 0 < deep <= at:
            raise _error_at(text, *_fault(text, message, at)) from None
    except _NumberError as error:
        raise _error_at(text, text.find(error.token) + error.offset, error.sentence) from None
    except RecursionError:
        raise _error_at(text, deep, "depth limit exceeded") from None
    if deep:
        raise _error_at(text, deep, "depth limit exceeded")
    return value


def _check_surrogates(body: bytes) -> None:
    """Raise `LoneSurrogateError` if a string has an escape that is half of a surrogate pair. The body must be JSON."""
    if b"\\ud" not in body and b"\\uD" not in body:
        return
    text = body.decode()
    for escape in _ESCAPE.finditer(text):
        high, low, alone = escape.groups()
        sentence = ""
        if alone:
            sentence = "invalid high surrogate in string"
        elif high and not low:
            sentence = "no low surrogate in string"
        elif high and len(low) == 2:
            sentence = "invalid low surrogate in string"
        if sentence:
            raise _error_at(text, escape.start(), sentence, LoneSurrogateError)


def _error_at(text: str, at: int, sentence: str, error_type: type[NotJsonError] = NotJsonError) -> NotJsonError:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return error_type(f"{sentence}: line {line} column {column} (char {at})")


def _constant(name: str) -> None:
    raise _NumberError(name, *_CONSTANTS.get(name, (0, "unexpected character, expected a JSON value")))


def _finite(digits: str, number_type: type[int] | type[float]) -> Any:
    value = number_type(digits) if number_type is float or len(digits) <= LARGEST_DIGITS else math.inf
    if value in (math.inf, -math.inf):
        raise _NumberError(digits, 0, "number is infinity when parsed as double")
    return value


_INTEGER, _FLOAT = partial(_finite, number_type=int), partial(_finite, number_type=float)
plain_part: Final = plain_parser(json.JSONDecoder(parse_constant=_constant, parse_int=_INTEGER, parse_float=_FLOAT))


PARTS = PartReader(plain_part, "messages", "tools")


def _fault(text: str, message: str, at: int) -> tuple[int, str]:
    """The position and the sentence of orjson, from the message and position of Python's parser."""
    here, before = text[at : at + 1], text[:at].rstrip()
    if message in _SENTENCES and here:
        return at, _SENTENCES[message]
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
    is_cut_off = literal.startswith(text[at:].rstrip())
    return (len(text), "unexpected end of data") if is_cut_off else (at, f"invalid literal, expected '{literal}'")


def _closing(text: str) -> str:
    """The bracket that would close the innermost list or object that `text` leaves open."""
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


NOTHING: dict[str, Any] = {}


def tolerant(request: Request) -> dict[str, Any]:
    """The JSON object of the body, or an empty one."""
    try:
        value = parse(request.body)
    except NotJsonError:
        return NOTHING
    return value if isinstance(value, dict) else NOTHING


def wants_stream(body: dict[str, Any]) -> bool:
    return body.get("stream") is True


def model_of(body: dict[str, Any]) -> str:
    model = body.get("model")
    return model if isinstance(model, str) else ""
