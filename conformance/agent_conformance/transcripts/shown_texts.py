"""Texts that may hold anything, as lines that a terminal and CI print; and the texts in a value of an agent."""

from collections.abc import Iterator
from typing import Any

from fake_providers.wire_neutral_lines import printable, without_commands

LINE_LIMIT = 1000
BLOCK_LIMIT = 200


def shown(text: str, limit: int = LINE_LIMIT) -> str:
    """One printable line: control characters, escapes, line breaks and lone surrogates are written out, length cut."""
    cut = without_commands(printable(text[:limit]))
    return cut if len(text) <= limit else f"{cut}... ({len(text)} characters)"


def shown_lines(text: str, limit: int = BLOCK_LIMIT) -> list[str]:
    """The lines of a text, each made printable; of a very long text the first, and how many are left out."""
    lines = text.split("\n")
    first = [shown(line.replace("\t", "    ")) for line in lines[:limit]]
    if len(lines) > limit:
        first.append(f"... ({len(lines) - limit} more lines)")
    return first


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
