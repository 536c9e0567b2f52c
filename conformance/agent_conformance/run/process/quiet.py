"""Standard output and standard error of this process, closed to what an agent and its programs print."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout


@contextmanager
def no_output() -> Iterator[None]:
    """Python's streams and the descriptors below them: a handler of `logging` keeps the stream it was made with."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(number, os.dup(number)) for number in (1, 2) if _is_open(number)]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for number, _ in kept:
            os.dup2(nowhere.fileno(), number)
        try:
            with redirect_stdout(nowhere), redirect_stderr(nowhere):
                yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            for number, copy in kept:
                os.dup2(copy, number)
                os.close(copy)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
