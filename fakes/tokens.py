"""Counts tokens as the fakes do: one for every four characters."""

from fakes.http import spaced
from fakes.view import View

LETTERS = 4
"""Of one token."""


def tokens_of(letters: int) -> int:
    """How many tokens a text of so many characters is, rounded up."""
    return -(-letters // LETTERS)


def count_tokens(view: View) -> int:
    """Tokens of all texts, arguments, results and declarations; one per four characters, rounded up."""
    letters = view.text_length
    for tool in view.tools:
        letters += len(tool.name) + len(tool.description) + len(spaced(tool.parameters))
    return tokens_of(letters)
