"""How far a long command is, on one line of a terminal. Knows no command."""

import sys


def progress(text: str) -> None:
    """On one line of a terminal, in place of the text before; nothing where the output is kept."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
