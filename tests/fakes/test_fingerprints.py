"""What is kept of a JSON value is found for an equal value alone, and is bounded."""

from typing import Any

import pytest

from fake_providers.values.tokens import count_tokens
from fake_providers.view import View, ViewTool
from fake_providers.wires.openai_chat.request import LARGE, LONGEST, MOST, cached_by_value, fingerprint


class Recorder:
    """A function of a value that records what it was called with."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, value: Any) -> str:
        self.made.append(value)
        return repr(value)


@pytest.mark.parametrize(
    "other", [True, 1.0, "1", [1], {"a": 1}, None, 2, 10**400, {"a": 1.0}, ["1"], (1,), "\ud800", "é"]
)
def test_values_of_other_types_have_other_fingerprints(other: Any) -> None:
    assert fingerprint(1) != fingerprint(other)
    assert fingerprint({"a": 1}) == fingerprint({"a": 1})


def test_fingerprint_does_not_depend_on_what_else_is_in_memory() -> None:
    text = "".join(["get_", "weather"])
    shared, separate = [text, text], ["".join(["get_", "weather"]), "".join(["get_weat", "her"])]

    assert fingerprint(shared) == fingerprint(separate)


def test_value_that_is_nested_too_deep_has_no_fingerprint() -> None:
    deep: Any = []
    for _ in range(3000):
        deep = [deep]

    assert fingerprint(deep) is None


def test_equal_values_are_made_once() -> None:
    recorder = Recorder()
    find = cached_by_value(recorder)

    assert [find(value, 10) for value in ([1], [1], [True], [1.0])] == ["[1]", "[1]", "[True]", "[1.0]"]
    assert recorder.made == [[1], [True], [1.0]]


def test_only_the_newest_values_are_kept_and_no_large_ones() -> None:
    recorder = Recorder()
    find = cached_by_value(recorder)

    for number in (*range(MOST + 1), MOST, 0):
        find(number, 10)
    assert recorder.made == [*range(MOST + 1), 0]

    recorder.made.clear()
    for _ in range(2):
        find("small", LARGE + 1)
        find("x" * LONGEST, 10)
    assert len(recorder.made) == 4


def test_tokens_of_shared_tools_are_those_of_equal_tools() -> None:
    def counted(*names: str) -> int:
        return count_tokens(View("m", False, tools=tuple(ViewTool(name, "", {"type": "object"}) for name in names)))

    shared = View("m", False, tools=(ViewTool("get_weather", "", {"type": "object"}),))
    assert count_tokens(shared) == count_tokens(shared) == counted("get_weather") == 8
    assert [counted("x" * 4 * number) for number in range(40)] == [5 + number for number in range(40)]
