"""How our texts look on a terminal: colours by pytest's means, lines that fit its width, and what an agent has printed
in a case, bounded and printable."""

import os
import stat
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agent_conformance.baseline.case_report import Row
from agent_conformance.baseline.summary import Command, Section, SummaryPart, SummaryRow
from fake_providers.wire_neutral_lines import printable_output

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


MOST = 10_000_000
"""Characters of one case that are shown."""
KEPT = MOST + 1_000_000
"""Bytes of a stream that pytest reads: a secret at the end of what is shown is recognised by what follows."""
LINES, LINE = 40, 300
"""Lines of a section, and characters of a line, that a terminal shows without `-v`."""
STREAMS = {1: "stdout", 2: "stderr"}


def shorten_captured_files() -> Mapping[str, int]:
    """Cut the temporary files in which pytest captures this process' streams, before it reads them: how many bytes of
    each were removed. A file that has a name is none of pytest's.
    """
    removed = {}
    for number, name in STREAMS.items():
        try:
            file = os.fstat(number)
            if stat.S_ISREG(file.st_mode) and file.st_nlink == 0 and file.st_size > KEPT:
                os.ftruncate(number, KEPT)
                os.lseek(number, 0, os.SEEK_END)
                removed[name] = file.st_size - KEPT
        except OSError:  # the agent closed it
            continue
    return removed


def bounded_sections(sections: list[tuple[str, str]], removed: Mapping[str, int]) -> list[tuple[str, str]]:
    """The sections of a report; of all captured output together the first characters."""
    left, bounded = MOST, []
    for title, text in sections:
        if not title.startswith("Captured "):
            bounded.append((title, text))
            continue
        more = max(0, len(text) - left) + removed.get(title.split()[1], 0)
        shown = printable_output(text[:left])
        left = max(0, left - len(text))
        bounded.append((title, f"{shown}\n... ({more:,} more characters left out)\n" if more else shown))
    return bounded


def sections_in_brief(sections: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The sections of a report, of captured output the first and the last lines, each without the end of a long one."""
    return [(title, _in_brief(text) if title.startswith("Captured ") else text) for title, text in sections]


def _in_brief(text: str) -> str:
    lines = text.splitlines(keepends=True)
    if (left := len(lines) - LINES) > 1:
        lines[LINES // 2 : -LINES // 2] = [f"... ({left:,} more lines; -v shows them)\n"]
    return "".join(line if len(line) <= LINE + 60 else _cut(line) for line in lines)


def _cut(line: str) -> str:
    return f"{line[:LINE]} ... ({len(line) - LINE:,} more characters; -v shows them)\n"
