"""The texts in a value that an agent handed over. Runs no code of the agent: it looks at built-in types alone."""

from collections.abc import Iterator
from typing import Any

MOST_TEXTS = 1_000
DEEPEST = 8


def texts_of(value: Any) -> Iterator[str]:
    """The strings of dictionaries, lists and tuples, down to a depth; other objects are passed over."""
    for number, text in enumerate(_texts(value, DEEPEST)):
        if number == MOST_TEXTS:
            return
        yield text


def _texts(value: Any, depth: int) -> Iterator[str]:
    kind = type(value)
    if kind is str:
        yield value
    elif depth and kind is dict:
        for key, member in list(value.items()):
            yield from _texts(key, depth - 1)
            yield from _texts(member, depth - 1)
    elif depth and kind in (list, tuple):
        for member in list(value):
            yield from _texts(member, depth - 1)
