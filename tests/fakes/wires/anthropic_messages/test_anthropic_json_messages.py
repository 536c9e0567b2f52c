"""The error message for a body that is not JSON: the parser's sentence and the position of the error."""

import json

import pytest
from anthropic_requests import PATH, body, user

from fake_providers import judge
from fake_providers.wires.anthropic_messages.json_parser import DEPTH

WORDS: dict[bytes, str] = {
    b"": "Input is a zero-length, empty document: line 1 column 1 (char 0)",
    b" \n": "input data is empty: line 1 column 1 (char 0)",
    b"model=x": "unexpected character, expected a JSON value: line 1 column 1 (char 0)",
    b"\n\n{'a': 1}": "unexpected character, expected a string key: line 3 column 2 (char 3)",
    b'{"a":1': "unexpected end of data: line 1 column 7 (char 6)",
    b'{"a":"x': "unexpected end of data: line 1 column 8 (char 7)",
    b'{"a":"\\u00': "unexpected end of data: line 1 column 11 (char 10)",
    b"nul": "unexpected end of data: line 1 column 4 (char 3)",
    b"{}{}": "unexpected content after document: line 1 column 3 (char 2)",
    b'{"a":NaN}': "unexpected character, expected a JSON value: line 1 column 6 (char 5)",
    b'{"a":-Infinity}': "no digit after sign: line 1 column 7 (char 6)",
    b'{"a":+1}': "no digit after sign: line 1 column 6 (char 5)",
    b'{"a":1,}': "trailing comma is not allowed: line 1 column 7 (char 6)",
    b"[1, ]": "trailing comma is not allowed: line 1 column 3 (char 2)",
    b'{"a" 1}': "unexpected character, expected ':' after key: line 1 column 6 (char 5)",
    b'{"[":1 "b":2}': "unexpected character, expected ',' or '}': line 1 column 8 (char 7)",
    b'[{"a":[]} 2]': "unexpected character, expected ',' or ']': line 1 column 11 (char 10)",
    b'{"a":"x\ny"}': "unexpected control character in string: line 1 column 8 (char 7)",
    b'{"a":"\\x41"}': "invalid escaped sequence in string: line 1 column 7 (char 6)",
    b'{"a":"\\u00g0 "}': "invalid escaped sequence in string: line 1 column 7 (char 6)",
    b'{"a":tru}': "invalid literal, expected 'true': line 1 column 6 (char 5)",
    b'{"a":"\xff"}': "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)",
    b'{"a":"\xed\xa0\x80"}': "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)",
    '{"a": 1}'.encode("utf-16"): "str is not valid UTF-8: surrogates not allowed: line 1 column 1 (char 0)",
    b"\xef\xbb\xbf{}": "UTF-8 byte order mark (BOM) is not supported: line 1 column 1 (char 0)",
    b"[" * 5000: f"depth limit exceeded: line 1 column {DEPTH + 2} (char {DEPTH + 1})",
    b'{"a":1e999}': "number is infinity when parsed as double: line 1 column 6 (char 5)",
    b'{"a":' + b"9" * 5000 + b"}": "number is infinity when parsed as double: line 1 column 6 (char 5)",
}


@pytest.mark.parametrize(("raw", "words"), WORDS.items(), ids=[repr(raw)[:30] for raw in WORDS])
def test_body_that_is_not_json_is_refused_with_the_parsers_sentence(raw: bytes, words: str) -> None:
    violation = judge("anthropic", PATH, raw, {})

    assert violation is not None
    assert (violation.rule, violation.status) == ("anthropic/not-json", 400)
    assert violation.message == f"The request body is not valid JSON: {words}"


LONE = {
    "\\ud83d": "no low surrogate in string",
    "\\uD83D and on": "no low surrogate in string",
    "\\\\\\ud83d": "no low surrogate in string",
    "\\ude00\\ud83d": "invalid high surrogate in string",
    "\\ud83d\\u0041": "invalid low surrogate in string",
}


@pytest.mark.parametrize(("escaped", "words"), LONE.items(), ids=LONE)
def test_lone_surrogate_is_refused(escaped: str, words: str) -> None:
    raw = json.dumps(body(user("@"))).replace("@", escaped).encode()
    at = raw.index(b"\\u")
    violation = judge("anthropic", PATH, raw, {})

    assert violation is not None
    assert violation.rule == "anthropic/lone-surrogate"
    assert violation.message == f"The request body is not valid JSON: {words}: line 1 column {at + 1} (char {at})"


@pytest.mark.parametrize(
    "escaped", ["\\ud83d\\ude00", "\\uD83D\\uDE00\\ud83d\\ude00", "\\\\ud83d", "\\u0041\\ud83d\\ude00"]
)
def test_complete_surrogate_pair_is_accepted(escaped: str) -> None:
    raw = json.dumps(body(user("@"))).replace("@", escaped).encode()

    assert judge("anthropic", PATH, raw, {}) is None
