"""Regular expressions that may take forever: those that do are found, and those that cannot are not."""

import pytest

from agent_conformance.scenario.checks.warnings_ import reason_to_explode


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a+)+$",
        r"(?:a*)*b",
        r"([a-z]+)*\d",
        r"(\w+\s?)*$",
        r"(?:\s*\w+)*!",
        r"(a|a)*b",
        r"(ab|a.)*c",
        r'(?:[^"]|\\.)*"',
        r"x(?:(?:y+)?)+z",
        r"(?=(a+)+b)",
        r"(?:a|(?:b+)+)c",
    ],
)
def test_repetition_that_can_be_read_in_many_ways_is_found(pattern: str) -> None:
    assert reason_to_explode(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        r"^[a-z]+$",
        r".*7 degrees.*",
        r"(?:[a-z]+,)*",
        r"(\w+\s)*",
        r"((?:\d+)-)+",
        r"(ab|ac)*",
        r"(\w|\d)*x",
        r"(?:rain|sun)+",
        r"(a{1,3})+",
        r"(a?)b*",
        r"\A(?!(?s:.*)Let me look(?s:.*)Let me look)",
        r"(unclosed",
    ],
)
def test_repetition_that_can_be_read_in_one_way_is_not_found(pattern: str) -> None:
    assert reason_to_explode(pattern) is None


def test_reason_says_what_is_repeated() -> None:
    assert reason_to_explode("(a+)+") == "it repeats what is repeated already"
    assert reason_to_explode("a" * 2001) == "it has 2001 characters"
    assert reason_to_explode("(" * 900 + "a" + ")" * 900) in (None, "it is nested too deeply")
    assert reason_to_explode("(a.|ab)*") == "it repeats alternatives that begin alike"
