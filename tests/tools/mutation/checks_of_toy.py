"""Run with the mutants of what runs when `toy` is imported."""

from tests.tools.mutation import toy

assert len(toy.TWICE) > 1


def test_word_is_doubled() -> None:
    assert toy.TWICE == "aa"
