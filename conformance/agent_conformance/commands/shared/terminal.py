"""How lines of output are fitted to a terminal. Knows no command."""

import shutil
import sys
import textwrap

INDENT = 8
"""The columns by which the rest of a broken line is indented."""


def fitted(text: str) -> str:
    """The text, its lines broken between words at the terminal's width; in a file or a pipe, as it is.

    A word that is wider, such as an address or a path, stays whole, so that it can be copied.
    """
    if not sys.stdout.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 2 * INDENT)
    lines = []
    for line in text.splitlines():
        begin = line[: len(line) - len(line.lstrip())] + " " * INDENT
        lines += textwrap.wrap(
            line, width, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)
