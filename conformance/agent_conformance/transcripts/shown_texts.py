"""Texts that may hold anything, as lines that a terminal and CI print as they are."""

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
