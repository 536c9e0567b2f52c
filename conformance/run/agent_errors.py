"""Exceptions of an agent: which are controlled failures, how one is described, where it was raised. Knows no case."""

import sysconfig
import traceback
from pathlib import Path

LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
"""Lines in these folders are not the agent's own."""


def described_error(error: BaseException) -> str:
    """Class and message in one line, of which at most 300 characters; of a group also its first exception."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(it has no text: its __str__ fails)"
    described = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    first = _first_of(error)
    return described if first is error else f"{described}; the first is {described_error(first)}"


def is_controlled(error: BaseException, classes: tuple[type[BaseException], ...]) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(is_controlled(inner, classes) for inner in error.exceptions)
    return isinstance(error, classes)


def place_of(error: BaseException) -> str:
    """Where it was raised: ` at file.py:12`, the agent's own last frame, else the last one of a library."""
    here = str(Path(__file__).parent)
    trace = traceback.extract_tb(_first_of(error).__traceback__)
    frames = [frame for frame in trace if not frame.filename.startswith(here)]
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARIES)]
    return next((f" at {Path(frame.filename).name}:{frame.lineno}" for frame in reversed(own or frames)), "")


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
