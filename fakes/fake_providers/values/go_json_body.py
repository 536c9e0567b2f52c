"""Bodies as Go's `encoding/json` reads them, with its sentences for what is no JSON. Knows no wire.

Anything after a complete value is ignored, as by a decoder of a stream.
"""

import json
import re
from typing import Any, Final

from msgspec import Struct

from fake_providers.body_slices import PartReader
from fake_providers.http import Request
from fake_providers.values.json_texts import cached_by_body, fault_of, plain_parser, refuse_constant

SAFE_DIGITS = 18
"""Numbers of so many digits fit into 64 bits, as Go's `int64` has them."""
_GO_MESSAGES = {
    "Expecting value": "looking for beginning of value",
    "Expecting property name enclosed in double quotes": "looking for beginning of object key string",
    "Expecting ':' delimiter": "after object key",
    "Expecting ',' delimiter": "after object key:value pair",
    "Invalid control character at": "in string literal",
    "Invalid \\escape": "in string escape code",
}
"""Python's error message about a character, and Go's."""


class NotJson(Struct, frozen=True):
    """Stands for a body that is not JSON; `message` is Go's, empty if there is no body at all."""

    message: str = ""


TOO_DEEP = NotJson("nested too deep for Python")
"""Stands for JSON that is nested too deep for Python but not for Go."""
DEPTH = 10_000
"""The nesting depth at which Go's decoder gives up."""
# What opens and closes a level; strings are matched too, as brackets in them count for nothing.
_BRACKETS = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}]', re.DOTALL)


def body_of(request: Request) -> Any:
    """The first JSON value of the body, or a `NotJson`. It is shared between callers and must not be changed."""
    parts = PARTS.read(request.body)
    return _cached_parse(request.body) if parts is None else parts.value


def _parse(body: bytes) -> Any:
    text = body.decode(errors="replace").lstrip(" \t\r\n")
    if not text:
        return NotJson()
    try:
        decoder = json.JSONDecoder(parse_constant=refuse_constant, parse_int=_number)
        return decoder.raw_decode(text)[0]
    except json.JSONDecodeError as error:
        message, at = fault_of(error)
        message_end = _GO_MESSAGES.get(message)
        if message_end is None or at >= len(text):
            return NotJson("unexpected EOF")
        return NotJson(f"invalid character {_quoted(text[at])} {message_end}")
    except ValueError as error:
        return NotJson(f"invalid character {_quoted(str(error)[0])} {_GO_MESSAGES['Expecting value']}")
    except RecursionError:
        return _depth_error(text)


_cached_parse = cached_by_body(_parse)


def _depth_error(text: str) -> NotJson:
    depth = 0
    for token in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group(), 0)
        if depth > DEPTH:
            return NotJson(f"invalid character {_quoted(token.group())} exceeded max depth")
    return TOO_DEEP


def _number(digits: str) -> int | float:
    return int(digits) if len(digits) <= SAFE_DIGITS else float(digits)


_DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_int=_number)
PARTS: Final = PartReader(plain_parser(_DECODER), "messages", "tools")


def _quoted(character: str) -> str:
    """The character as Go quotes it; of a multi-byte character it quotes the first byte."""
    byte = character.encode(errors="replace")[0]
    escape = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "'": r"\'", "\\": r"\\"}.get(character)
    return f"'{escape or (chr(byte) if chr(byte).isprintable() else _escaped(byte))}'"


def _escaped(byte: int) -> str:
    return f"\\x{byte:02x}" if byte < 0x80 else f"\\u{byte:04x}"
