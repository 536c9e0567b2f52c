"""How commands print: lines fitted to the terminal, and with `--json` one object with the number of its format."""

import json
import re
import shutil
import sys
import textwrap
from typing import Any, TextIO

INDENT = 8
"""The columns by which the rest of a broken line is indented."""


LABEL = re.compile(r" {0,4}(?P<label>\S[\w ]{0,14}?) {2,}(?=\S)")
"""What stands before a text that is continued below itself."""
COPIED = ("rerun", "curl")
"""The labels of commands, which are never broken."""


def fitted(text: str, *, file: TextIO | None = None) -> str:
    """The text, its lines broken between words at the terminal's width; in a file or a pipe, as it is.

    A word that is wider, such as an address or a path, stays whole, so that it can be copied.
    """
    if not (file or sys.stdout).isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 2 * INDENT)
    lines = []
    for line in text.splitlines():
        label = LABEL.match(line)
        if label and label["label"] in COPIED:
            lines.append(line)
            continue
        begin = " " * label.end() if label else line[: len(line) - len(line.lstrip())] + " " * INDENT
        lines += textwrap.wrap(
            line, width, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


FORMAT = 1
"""A field may be added to an object; one that goes, or means something else, is another format."""


def print_json(fields: dict[str, Any]) -> None:
    print(json_text({"format": FORMAT, **fields}))


def json_text(value: Any) -> str:
    return printable_json(json.dumps(value, ensure_ascii=False, indent=1))


def printable_json(text: str) -> str:
    """A text of JSON, in which JSON's own escapes stand for what a stream of ours would escape in its own way."""
    from agent_conformance.report_data.texts import escaped

    return "\n".join(map(escaped, text.split("\n"))).replace("##", "#\\u0023")
