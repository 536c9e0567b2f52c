"""Bodies that no client should send, by name. Each is a valid body with one thing wrong."""

from collections.abc import Callable

from load_requests import LoadRequest

DEEP = 100_000


def _with_member(text: bytes) -> Callable[[LoadRequest], bytes]:
    """The valid body with one more member, which is this text."""
    return lambda load_request: b'{"x":' + text + b"," + load_request.content[1:]


def _with_members(*names: bytes) -> Callable[[LoadRequest], bytes]:
    """The valid body behind these members, in its own spacing."""
    members = b"".join(b'"%b": 1, ' % name for name in names)
    return lambda load_request: b"{" + members + load_request.content[1:]


def _with_text(text: bytes) -> Callable[[LoadRequest], bytes]:
    """The valid body with this instead of its text, including the quotes."""
    return lambda load_request: load_request.content.replace(b'"Hi."', text)


def _full_body(text: bytes) -> Callable[[LoadRequest], bytes]:
    return lambda load_request: text


INVALID_JSON: dict[str, Callable[[LoadRequest], bytes]] = {
    "empty": _full_body(b""),
    "blank": _full_body(b" \n"),
    "form": _full_body(b"model=x&messages=y"),
    "binary": _full_body(bytes(range(256))),
    "nul": _full_body(b"\x00" * 100),
    "cut": lambda load_request: load_request.content[:-2],
    "twice": lambda load_request: load_request.content * 2,
    "nan": _with_member(b"NaN"),
    "infinity": _with_member(b"-Infinity"),
    "single-quotes": lambda load_request: load_request.content.replace(b'"', b"'"),
    "comma": lambda load_request: load_request.content[:-1] + b",}",
    "control-character": _with_text(b'"a\nb"'),
    "nul-in-text": _with_text(b'"a\x00b"'),
    "bad-escape": _with_text(b'"\\x41"'),
    "utf-16": lambda load_request: load_request.content.decode().encode("utf-16"),
    "bad-utf-8": _with_text(b'"\xff\xfe"'),
    "half-a-character": _with_text(b'"\xe2\x82"'),
    "surrogate-in-utf-8": _with_text(b'"\xed\xa0\x80"'),
    "byte-order-mark": lambda load_request: b"\xef\xbb\xbf" + load_request.content,
    "deep-lists": _full_body(b"[" * DEEP),
    "deep-objects": _full_body(b'{"a":' * DEEP),
}
"""Invalid JSON, or JSON that only some parsers accept: providers differ in their answers."""

JSON: dict[str, Callable[[LoadRequest], bytes]] = {
    "null": _full_body(b"null"),
    "number": _full_body(b"7"),
    "text": _full_body(b'"x"'),
    "list": _full_body(b"[]"),
    "object": _full_body(b"{}"),
    "deep-and-closed": _with_member(b"[" * DEEP + b"]" * DEEP),
    "deep-in-text": _with_text(b"[" * DEEP + b"]" * DEEP),
    "deep-objects-in-text": _with_text(b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "huge-integer": _with_member(b"9" * 5000),
    "huge-integer-in-text": _with_text(b"9" * 5000),
    "huge-exponent": _with_member(b"1e99999"),
    "small-exponent": _with_member(b"1e-99999"),
    "long-fraction": _with_member(b"0." + b"1" * 100_000),
    "same-key-twice": lambda load_request: load_request.content[:-1] + b"," + load_request.content[1:],
    "many-keys": _with_members(*(b"x%d" % number for number in range(20_000))),
    "long-key": _with_members(b"x" * 1_000_000),
    "lone-surrogate": _with_text(b'"\\ud800"'),
    "surrogates-swapped": _with_text(b'"\\udc00\\ud800"'),
    "escaped-nul": _with_text(b'"\\u0000"'),
    "long-text": _with_text(b'"' + b"a" * 1_000_000 + b'"'),
    "many-brackets-in-text": _with_text(b'"' + b"[{" * 100_000 + b'"'),
}
"""JSON that is difficult for parsers and rules."""

ALL = INVALID_JSON | JSON
