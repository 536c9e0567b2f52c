"""Ids in texts get names, where they stand as words of their own."""

import random
import re

import pytest

from fake_providers.values.patterns import with_names


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("call_1", "id-1"),
        ("call_1 call_1,call_1", "id-1 id-1,id-1"),
        ("call_12 xcall_1 call_1-b -call_1 écall_1 call_1_", "call_12 xcall_1 call_1-b -call_1 écall_1 call_1_"),
        ("call_1call_1 call_1", "call_1call_1 id-1"),
    ],
)
def test_id_gets_its_name_where_no_word_goes_on(text: str, named: str) -> None:
    assert with_names(text, {"call_1": "id-1"}) == named


def test_short_id_is_left() -> None:
    assert with_names("12345", {"12345": "id-1"}) == "12345"


def test_names_are_those_of_a_pattern_with_bounds() -> None:
    draw = random.Random(3)
    pieces = ["call_1", "aaaaaa", "a.a.a.", "-a-a-a", " ", "-", "_", "é", "\n", "a", "."]

    for _ in range(2000):
        text = "".join(draw.choices(pieces, k=6))
        id = draw.choice(pieces[:4])
        assert with_names(text, {id: "id-1"}) == re.sub(rf"(?<![\w-]){re.escape(id)}(?![\w-])", "id-1", text)
