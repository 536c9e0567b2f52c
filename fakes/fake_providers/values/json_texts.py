"""JSON and JSON Schemas that somebody else wrote, read with one error for all that is wrong with them.

A body is parsed once for all its readers: route, rules, view and answer. Nothing is fetched: no `$ref` and no `$schema`
reaches a network or a file. Nothing else makes a validator.
"""

import json
import marshal
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import msgspec

if TYPE_CHECKING:
    from jsonschema_rs import Validator

Value = TypeVar("Value")

KEPT = 16
LARGE = 1_000_000
"""Bytes beyond which only the last body is kept: its value takes up to ten times as much."""

SCHEMA_KEPT = 20_000
"""Bytes of a schema beyond which its validator is made anew each time."""

_OF_LARGE: list[Callable[[], None]] = []


def forget_large_bodies() -> None:
    """Give back what was made of the last large ones: for whoever has answered one."""
    for forget in _OF_LARGE:
        forget()


def cached_by_body(read: Callable[..., Any]) -> Callable[..., Any]:
    """`read`, a pure function of a body and further arguments, with what it made of the last bodies kept.

    Its values are shared between callers, and never to be changed. What it raises is not kept.
    """
    small, large = lru_cache(maxsize=KEPT)(read), lru_cache(maxsize=1)(read)
    _OF_LARGE.append(large.cache_clear)
    last: tuple[bytes | None, Any] = (None, None)

    def find(body: bytes, **further: Any) -> Any:
        nonlocal last
        if further:
            return (small if len(body) <= LARGE else large)(body, **further)
        # A request is read ten times in a row: to compare identities is quicker than to look its body up.
        newest = last
        if newest[0] is body:
            return newest[1]
        if len(body) > LARGE:
            return large(body)
        value = small(body)
        last = (body, value)
        return value

    return find


SHORT = 500
"""Characters of a text that has too few levels for any parser to give up."""
BYTE_ORDER_MARK = "\ufeff"


def read_json(text: str | bytes, *, strict: bool = False) -> Any:
    """The value of a JSON text. Raises `ValueError` for another text, or one of more levels than Python reads.

    `strict` also for NaN and Infinity, which are not JSON.
    """
    if len(text) <= SHORT:
        try:
            return _PLAIN.decode(text)
        except (msgspec.MsgspecError, ValueError):
            pass  # or it is one that only Python's own parser takes
    try:
        if strict and isinstance(text, str) and not text.startswith(BYTE_ORDER_MARK):
            return STRICT.decode(text)
        return json.loads(text, parse_constant=refuse_constant if strict else None)
    except RecursionError:
        raise ValueError("it is nested too deep to be read") from None


def refuse_constant(name: str) -> NoReturn:
    """For `json.loads`: NaN and Infinity are not JSON."""
    raise ValueError(name)


STRICT = json.JSONDecoder(parse_constant=refuse_constant)
"""Made once: `json.loads` makes one for each text, which takes as long as a small text itself."""


LONG_NUMBER = b"0" * 19
_SURROGATE = re.compile(rb"\\u[dD]")
_DIGITS = bytes(ord("0") if chr(code).isdecimal() else code for code in range(128)) + bytes(range(128, 256))


def plain_parser(decoder: json.JSONDecoder) -> Callable[[bytes], Any]:
    """Parses a JSON text as `decoder` does, and in a third of the time where it has no number of 19 digits. Raises
    `ValueError` or `msgspec.MsgspecError` for another text, for a float that is infinite, and for half of a surrogate
    pair.
    """
    decode = _PLAIN.decode

    def parse(text: bytes) -> Any:
        if LONG_NUMBER not in text.translate(_DIGITS):
            return decode(text)
        if _SURROGATE.search(text):
            raise ValueError("may have half of a surrogate pair")
        return decoder.decode(text.decode())

    return parse


_PLAIN = msgspec.json.Decoder()


_SPACE = re.compile(r"[ \t\n\r]*")


def fault_of(error: json.JSONDecodeError) -> tuple[str, int]:
    """The message and the position of the error, as before Python 3.13.

    Since then the parser has a message of its own for a comma before a closing bracket, and the position of the comma.
    """
    if not error.msg.startswith("Illegal trailing comma"):
        return error.msg, error.pos
    spaces = _SPACE.match(error.doc, error.pos + 1)
    in_object = error.msg.endswith("object")
    message = "Expecting property name enclosed in double quotes" if in_object else "Expecting value"
    return message, spaces.end() if spaces else error.pos


def validator_of(schema: Any) -> "Validator":
    """Raises `ValueError` for what is no JSON Schema, which one that refers to an address is not either."""
    try:
        exact = marshal.dumps(schema, 2)  # other than JSON it has the types of keys, and takes no time
    except ValueError:
        return _new_validator(schema)
    return _validator_of_marshalled(exact) if len(exact) <= SCHEMA_KEPT else _new_validator(schema)


@lru_cache(maxsize=512)
def _validator_of_marshalled(schema: bytes) -> "Validator":
    """Kept: the rows of a scenario have the same tools, and so has each request."""
    return _new_validator(marshal.loads(schema))


def _new_validator(schema: Any) -> "Validator":
    import jsonschema_rs  # takes a fifth of `import fake_providers`, and most fakes have no call to check

    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse_address)
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(str(error)) from None


def why_no_schema(schema: Any) -> str:
    """Why this is no JSON Schema, in one line; empty if it is one."""
    try:
        validator_of(schema)
    except ValueError as error:
        return str(getattr(error, "message", "") or error).splitlines()[0]
    return ""


def _refuse_address(address: str) -> NoReturn:
    raise ValueError(f"{address} is not fetched")


def comparable(value: Any) -> Any:
    """The value itself if it is a text; anything else as what it is written like."""
    return value if isinstance(value, str) else ("", repr(value))


def copied(value: Value) -> Value:
    """A copy of dictionaries and lists; all other JSON values cannot be edited. A tenth of `deepcopy`'s time."""
    copy: Any = value
    if type(copy) is dict:
        copy = {key: copied(inner) for key, inner in copy.items()}
    elif type(copy) is list:
        copy = [copied(inner) for inner in copy]
    return copy  # type: ignore[no-any-return]
