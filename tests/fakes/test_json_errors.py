"""The errors of Python's JSON parser have the same message and position on every Python."""

import json

import pytest

from fake_providers.values.json_texts import fault_of

KEY = "Expecting property name enclosed in double quotes"


@pytest.mark.parametrize(
    ("doc", "comma", "kind", "expected"),
    [('{"a":1,}', 6, "object", (KEY, 7)), ("[1, \n]", 2, "array", ("Expecting value", 5))],
)
def test_comma_too_many_is_placed_as_before_python_3_13(doc, comma, kind, expected):
    assert fault_of(json.JSONDecodeError(f"Illegal trailing comma before end of {kind}", doc, comma)) == expected


@pytest.mark.parametrize(("doc", "expected"), [('{"a":1,}', (KEY, 7)), ("[1,]", ("Expecting value", 3))])
def test_this_python_says_the_same(doc, expected):
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(doc)

    assert fault_of(caught.value) == expected


def test_other_errors_are_as_they_are():
    assert fault_of(json.JSONDecodeError("Extra data", "1 2", 2)) == ("Extra data", 2)
