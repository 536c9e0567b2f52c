"""A secret is hidden in every form in which programs write it, and a text that has none stays as it is."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest

from agent_conformance.transcripts.redaction import Key
from agent_conformance.transcripts.secret_forms import without_needless_escapes
from tests.tables import rows

VALUES = {
    "plain": "sk-live-abcdefghijklmnop0123456789",
    "quotes": "pa\"ss\\wo'rd/with space+and=more&<x>é€",
    "emoji": "token-\U0001f511-0123456789abcdef",
    "lines": "first line 1234\nsecond line 5678",
    "base64": "q83vEjRWeJq83vEjRWeJq+/3vEjRWeJ=",
}
FORMS = {
    "raw": str,
    "json": lambda value: json.dumps(value)[1:-1],
    "json, unicode": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "json in json": lambda value: json.dumps(json.dumps(value)),
    "json three times": lambda value: json.dumps(json.dumps(json.dumps(value))),
    "json of Go": lambda value: json.dumps(value).replace("&", "\\u0026").replace("<", "\\u003c"),
    "json of PHP": lambda value: json.dumps(value).replace("/", "\\/"),
    "repr": repr,
    "repr of bytes": lambda value: repr(value.encode()),
    "repr of repr": lambda value: repr(repr(value)),
    "url": lambda value: quote(value, safe=""),
    "url, small letters": lambda value: quote(value, safe="").lower() if value.islower() else quote(value),
    "form": quote_plus,
    "url twice": lambda value: quote(quote(value, safe=""), safe=""),
    "html": html.escape,
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 without padding": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "base64 of URLs": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "basic, 0": lambda value: "Basic " + base64.b64encode(f"use:{value}".encode()).decode(),
    "basic, 1": lambda value: "Basic " + base64.b64encode(f"user:{value}".encode()).decode(),
    "basic, 2": lambda value: "Basic " + base64.b64encode(f"users:{value}".encode()).decode().rstrip("="),
    "basic in a URL": lambda value: quote(base64.b64encode(f"me:{value}".encode()).decode(), safe=""),
    "base64 before more": lambda value: base64.b64encode(f"{value}, and more of it".encode()).decode(),
    "small letters": str.lower,
    "entities": lambda value: "".join(f"&#{ord(char)};" for char in value),
    "entities, hexadecimal": lambda value: "".join(f"&#x{ord(char):04X};" for char in value),
    "entities of entities": lambda value: html.escape("".join(f"&#{ord(char)};" for char in value)),
    "escapes of JSON": lambda value: json.dumps("\ue000".join(value)).replace("\\ue000", "")[1:-1],
    "escapes of every byte": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "hex": lambda value: value.encode().hex(),
    "large hex": lambda value: value.encode().hex().upper(),
}


@rows(
    "value, form",
    [(value, form) for value in VALUES for form in FORMS],
    ids=lambda row: f"{row[0]}, {row[1]}",
)
def test_secret_is_hidden_in_each_form(value: str, form: str) -> None:
    secret = VALUES[value]
    written = FORMS[form](secret)

    hidden = Key("MY_KEY", secret).hidden(f"before {written} after")

    assert "$MY_KEY" in hidden
    assert (hidden.startswith("before "), hidden.endswith(" after")) == (True, True)
    for size in range(len(written) - 9):
        part = written[size : size + 10]
        assert part not in hidden, hidden


@rows("value", VALUES, ids=lambda row: str(row[0]))
def test_name_stands_in_place_of_the_value_alone(value: str) -> None:
    text = f'{{"name": "Oslo", "key": {json.dumps(VALUES[value])}, "degrees": 7}}'

    assert Key("MY_KEY", VALUES[value]).hidden(text) == '{"name": "Oslo", "key": "$MY_KEY", "degrees": 7}'


@pytest.mark.parametrize(
    "text",
    [
        "sk-live-abcdefghijk ... (900 characters)",
        "sk-live-abcdefghijk... (900 characters)",
        "sk-live-abcd…",
        "Incorrect API key provided: sk-live-*****6789",
        "the end is ...ijklmnop0123456789",
        "the key 'sk-live-abcdefghijklm' is cut",
        "... 0123456789 and ... mnop0123456789",
        base64.b64encode(VALUES["plain"].encode()).decode()[:24] + "...",
    ],
)
def test_secret_in_a_text_that_was_cut_is_hidden(text: str) -> None:
    assert "$MY_KEY" in Key("MY_KEY", VALUES["plain"]).hidden(text)


@pytest.mark.parametrize("text", ["begins with a1b2-c3d...", "ends with [...] c3d4/e5f6", "a1b2-c3d***e5f6"])
def test_eight_characters_beside_a_mark_of_the_cut_are_hidden(text: str) -> None:
    assert "$MY_KEY" in Key("MY_KEY", "a1b2-c3d4+much-more=c3d4/e5f6").hidden(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("sk-ant-api03-abcdefghijklmnopqrst", "a key looks like sk-ant-api03-XXXXXXXXXXXXXXXXXXXX"),
        ("password-for-the-database-of-2024", "the password-for field, and password-for the rest"),
        ("correct horse battery staple", "correct horse, wrong battery"),
        ("internationalisation", "internationalisations are hard"),
        ("https://example.com/hooks/T0123456789", "see https://example.com/hooks and https://example.com/other"),
        ("sk-live-abcdefghijklmnop0123456789", "sk-live- and abcdef"),
        ("sk-proj-abcdefghijklmnopqrst", "it begins with sk-proj-... or sk-live-..."),
        ("production-environment", "the production line of an environment"),
    ],
)
def test_words_that_others_write_as_well_are_readable(value: str, text: str) -> None:
    assert Key("MY_KEY", value).hidden(text) == text


@pytest.mark.parametrize("value", ["conformance-key", VALUES["plain"]])
@pytest.mark.parametrize("before", ["\\n", "\\\\n", "%0A", "%0a", '"', "="])
def test_escape_before_a_secret_is_kept(value: str, before: str) -> None:
    assert Key("K", value).hidden(f"one{before}{value}{before} two") == f"one{before}$K{before} two"


def test_escape_before_base64_is_kept() -> None:
    encoded = base64.b64encode(VALUES["plain"].encode()).decode()

    assert Key("K", VALUES["plain"]).hidden(f'"Basic\\n{encoded}\\n"') == '"Basic\\n$K\\n"'


@pytest.mark.parametrize(
    "escape",
    [
        *(r"\u0061", r"\U0061", r"\x61", r"\X61", r"\\u0061", "%61", "%2561"),
        *("&#97;", "&#097;", "&#x61;", "&#X61;", "&amp;#97;", "&AMP;#x061;"),
    ],
)
def test_escape_of_a_plain_character_is_read_where_it_is_the_only_one(escape: str) -> None:
    assert without_needless_escapes(f"sk-l{escape}ve") == "sk-lave"


def test_search_costs_no_more_than_the_length_of_the_text() -> None:
    """A text of heads, none of which goes on: no expression goes back over what it has read."""
    key = Key("MY_KEY", VALUES["quotes"])
    text = VALUES["quotes"][:-1] * 2000 + "\\" * 50_000 + "A" * 50_000

    assert key.hidden(text).count("$MY_KEY") <= 2000


@pytest.mark.parametrize("before", ["\\n", "\\t", "\\u000a", "\\x0a", "%0A", " ", '"'])
def test_word_behind_an_escape_is_a_word_of_its_own(before):
    assert Key("K", "conformance-key").hidden(f"a{before}conformance-key\\n") == f"a{before}$K\\n"


@pytest.mark.parametrize("text", ["my_conformance-key", "nonconformance-key", "conformance-keys"])
def test_part_of_a_longer_word_stays(text):
    assert Key("K", "conformance-key").hidden(text) == text


def test_secret_with_half_a_character_is_hidden() -> None:
    secret = "a1b2\ud800c3d4-e5f6-g7h8"

    assert Key("MY_KEY", secret).hidden(f"it is {secret}.") == "it is $MY_KEY."
