"""Markdown in which foreign text stays text: it stands in code alone, where GitHub makes no link and no mention of it.

Knows no results.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_BACKTICKS = re.compile("`+")


def code(text: str, limit: int = 200) -> str:
    """The text as code within a line. A very long one says how long it is."""
    line = " ".join(text.split()) or " "
    if len(line) > limit:
        line = f"{line[:limit]}... ({len(line)} characters)"
    fence = "`" * (_longest_run(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def cell(text: str, limit: int = 120) -> str:
    """The same in a table, where a vertical bar would end the cell, also in code."""
    return code(text.replace("|", "\N{BROKEN BAR}"), limit)


def block(lines: Iterable[str], *, language: str = "text", limit: int = 3_000) -> str:
    """Lines of code that nothing in them can end. What is left out is counted."""
    text = "\n".join(lines).replace("\r", "\\r")
    if len(text) > limit:
        text = f"{text[:limit]}\n... ({len(text) - limit} more characters)"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


@dataclass(slots=True)
class BoundedText:
    """Parts of a text, as long as they fit into so many bytes."""

    most: int
    parts: list[str] = field(default_factory=list)
    _bytes: int = 0

    def add(self, *parts: str) -> bool:
        """Add all of them, or none. Whether they fitted."""
        size = sum(len(part.encode(errors="replace")) + 1 for part in parts)
        if self._bytes + size > self.most:
            return False
        self.parts += parts
        self._bytes += size
        return True

    def add_some(self, parts: Iterable[str], *, most: int, keep: int = 0) -> int:
        """Add at most so many, and leave `keep` bytes. How many were left out."""
        self.most -= keep
        chosen = list(parts)
        added = 0
        while added < min(most, len(chosen)) and self.add(chosen[added]):
            added += 1
        self.most += keep
        return len(chosen) - added

    @property
    def text(self) -> str:
        return "\n".join(self.parts) + "\n"
