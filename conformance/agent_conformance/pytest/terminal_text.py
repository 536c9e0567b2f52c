"""How our texts look on a terminal: colours by pytest's means, and lines that fit its width. Knows no case."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Markup = Mapping[str, bool]

PLAIN: Markup = {}
BOLD: Markup = {"bold": True}
RED: Markup = {"red": True}
GREEN: Markup = {"green": True}
YELLOW: Markup = {"yellow": True}
LABEL_STYLE: Markup = {"cyan": True}

VALUE_STYLES: Mapping[str, Markup] = {"refused": RED, "got": RED, "expected": GREEN, "rerun": BOLD, "accept": BOLD}
COMMANDS = ("rerun", "accept")
"""Labels whose value is to be copied, and so is never broken."""
TITLE_STYLES: Mapping[str, Markup] = {"findings by cause": RED, "errors (not the agent)": RED}
"""Rows of a section of the summary; those of all others are plain."""

_LABELLED = re.compile(r"(  (?P<label>[a-z]+)(?: {2,}|$)|  not checked: )(?P<value>.*)")
_COMMAND = re.compile(r"(next: |explain: |or, to [^:]+: )(.*)")
_DIFF = {"+": GREEN, "-": RED}


def write_failure(writer: Any, lines: Iterable[str]) -> None:
    """The text of a failed case. On a terminal, texts are fitted to its width; in a file each line stays one."""
    for line in lines:
        match = _LABELLED.match(line)
        if match is not None:
            _write_labelled(writer, match)
        elif line.startswith("    "):
            writer.line(line, **_DIFF.get(line[4:5], PLAIN))
        elif "#" in line:
            writer.line(line, **BOLD)
        else:
            writer.line(line)


def write_summary(writer: Any, lines: Iterable[str], *, failed: bool) -> None:
    """The end of a run. The first line has the counts."""
    title = ""
    for place, line in enumerate(lines):
        if place == 0:
            writer.line(line, bold=True, **(RED if failed else GREEN))
        elif (command := _COMMAND.fullmatch(line)) is not None:
            writer.write(command[1], **LABEL_STYLE)
            writer.line(command[2], **BOLD)
        elif not line.startswith(" "):
            title = line.removesuffix(":")
            writer.line(line, **BOLD) if line.endswith(":") else writer.line(line)
        else:
            _write_row(writer, line, TITLE_STYLES.get(title, PLAIN))


def _write_labelled(writer: Any, match: re.Match[str]) -> None:
    label, value = match["label"], match["value"]
    head = match[1]
    writer.write(head, **LABEL_STYLE)
    style = VALUE_STYLES.get(label, PLAIN)
    first, *rest = [value] if label in COMMANDS else _fitted(value, writer, indent=len(head))
    writer.line(first, **style)
    for line in rest:
        writer.line(" " * len(head) + line, **style)


def _write_row(writer: Any, line: str, style: Markup) -> None:
    """`cause · 3 cases   id`: the id goes below where both do not fit."""
    head, gap, rest = line.lstrip().partition("   ")
    indent = line[: len(line) - len(line.lstrip())]
    writer.write(indent + head, **style)
    width = width_of(writer)
    if gap and width and len(line) > width:
        writer.line("")
        writer.line(f"{indent}  {rest.strip()}")
    else:
        writer.line(gap + rest)


def width_of(writer: Any) -> int:
    """The columns of a terminal, and 0 for a file or a pipe, where lines are not broken."""
    file = getattr(writer, "_file", None)
    is_terminal = file is not None and getattr(file, "isatty", bool)()
    return int(writer.fullwidth) if is_terminal else 0


def _fitted(text: str, writer: Any, *, indent: int) -> list[str]:
    width = width_of(writer)
    return list(_wrapped(text, max(width - indent, 30))) if width else [text]


def _wrapped(text: str, most: int) -> Iterator[str]:
    yield from textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False) or [""]
