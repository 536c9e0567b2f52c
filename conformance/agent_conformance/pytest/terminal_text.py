"""How our texts look on a terminal: colours by pytest's means, and lines that fit its width. Knows no case."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent_conformance.gate.printing import Row
from agent_conformance.gate.summary import Command, Section, SummaryPart, SummaryRow

Markup = Mapping[str, bool]

PLAIN: Markup = {}
BOLD: Markup = {"bold": True}
RED: Markup = {"red": True}
GREEN: Markup = {"green": True}
LABEL_STYLE: Markup = {"cyan": True}

VALUE_STYLES: Mapping[str, Markup] = {"refused": RED, "got": RED, "expected": GREEN, "rerun": BOLD, "accept": BOLD}
COMMANDS = ("rerun", "accept")
"""Labels whose value is to be copied, and so is never broken."""
DIFF_STYLES = {"+": GREEN, "-": RED}
"""Of the lines below `diff`, by their first character."""


def write_failure(writer: Any, rows: Iterable[Row]) -> None:
    """A failed case. On a terminal, texts are fitted to its width; in a file each stays one line."""
    for row in rows:
        if row.label:
            _write_labelled(writer, row)
        elif row.is_heading:
            writer.line(row.value, **BOLD)
        else:
            indent = len(row.value) - len(row.value.lstrip())
            for line in _fitted(row.value[indent:], writer, indent=indent):
                writer.line(" " * indent + line)
        below = _frames(row.below, writer) if row.label == "trace" else row.below
        for line in below:
            writer.line(f"    {line}", **(DIFF_STYLES.get(line[:1], PLAIN) if row.label == "diff" else PLAIN))


def write_summary(writer: Any, parts: Iterable[SummaryPart], *, failed: bool) -> None:
    """The end of a run. The first part is the line with the counts."""
    for place, part in enumerate(parts):
        if isinstance(part, Section):
            for line in _fitted(f"{part.title}:", writer):
                writer.line(line, **BOLD)
            for row in part.rows:
                _write_row(writer, row, RED if part.failed else PLAIN)
        elif isinstance(part, Command):
            fits = not width_of(writer) or len(part.why) + 2 + len(part.command) <= width_of(writer)
            writer.write(f"{part.why}: " if fits else f"{part.why}:\n  ", **LABEL_STYLE)
            writer.line(part.command, **BOLD)
        else:
            style: Markup = PLAIN if place else {"bold": True, **(RED if failed else GREEN)}
            for line in _fitted(part, writer):
                writer.line(line, **style)


def _write_labelled(writer: Any, row: Row) -> None:
    writer.write(row.head, **LABEL_STYLE)
    style = VALUE_STYLES.get(row.label, PLAIN)
    first, *rest = (
        [row.value]
        if row.label in COMMANDS
        else _fitted(row.value, writer, indent=len(row.head), breaks=row.label != "source")
    )
    writer.line(first, **style)
    for line in rest:
        writer.line(" " * len(row.head) + line, **style)


def _write_row(writer: Any, row: SummaryRow, style: Markup) -> None:
    """`cause · 3 cases   id`: the id goes below where both do not fit."""
    beside = f"{row.head:<{row.column}}   {row.rest}" if row.rest else row.head
    width = width_of(writer)
    if not width or len(beside) + 2 <= width:
        writer.write(f"  {row.head}", **style)
        writer.line(beside[len(row.head) :])
        return
    for place, line in enumerate(_fitted(row.head, writer, indent=6)):
        writer.line(f"      {line}" if place else f"  {line}", **style)
    if row.rest:
        writer.line(f"    {row.rest}")


def width_of(writer: Any) -> int:
    """The columns of a terminal, and 0 for a file or a pipe, where lines are not broken."""
    file = getattr(writer, "_file", None)
    is_terminal = file is not None and getattr(file, "isatty", bool)()
    return int(writer.fullwidth) if is_terminal else 0


def _frames(lines: Iterable[str], writer: Any) -> Iterator[str]:
    for line in lines:
        first, *rest = _fitted(line, writer, indent=6, breaks=True)
        yield from (first, *(f"  {more}" for more in rest))


def _fitted(text: str, writer: Any, *, indent: int = 0, breaks: bool = False) -> list[str]:
    """`breaks`: a word that is longer than a line is broken too, unless it is to be copied, as an id or an address."""
    if not (width := width_of(writer)):
        return [text]
    return textwrap.wrap(text, max(width - indent, 30), break_long_words=breaks, break_on_hyphens=False) or [""]
