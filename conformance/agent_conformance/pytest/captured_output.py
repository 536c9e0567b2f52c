"""What an agent has printed in a case, as pytest's reports show it: bounded and printable. Knows no verdict."""

import os
import stat
from collections.abc import Mapping

from fake_providers.neutral_text import printable_output

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
