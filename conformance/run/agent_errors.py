"""Exceptions of an agent: which are controlled failures, how one is described. Knows no case."""

import dis
from collections.abc import Iterator, Sequence
from types import TracebackType

from conformance.adapter.contract import ReportedError

ACCIDENTS = (TypeError, AttributeError, NameError)
"""What Python itself raises for a bug, and no code raises on purpose to say that it gives up."""


def described_error(error: BaseException) -> str:
    """Class and message in one line, of which at most 300 characters; of a group also its first exception."""
    if isinstance(error, ReportedError):
        return error.described
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(it has no text: its __str__ fails)"
    described = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    first = first_of(error)
    return described if first is error else f"{described}; the first is {described_error(first)}"


def is_controlled(
    error: BaseException, classes: tuple[type[BaseException], ...], raised_in: Sequence[str] = ()
) -> bool:
    """Whether it has one of these classes, or one of these packages raised it on purpose."""
    if isinstance(error, ReportedError):
        return error.controlled
    if isinstance(error, BaseExceptionGroup):
        return all(is_controlled(inner, classes, raised_in) for inner in error.exceptions)
    return isinstance(error, classes) or _is_raised_in(error, raised_in)


def accident_behind(error: BaseException) -> str:
    """The bug that a controlled failure hides: what Python itself raised in its chain of causes, described."""
    if isinstance(error, ReportedError):
        return error.hidden
    accidents = (cause for cause in _causes(error) if isinstance(cause, ACCIDENTS) and not _is_deliberate(cause))
    return next((described_error(cause) for cause in accidents), "")


def _is_raised_in(error: BaseException, places: Sequence[str]) -> bool:
    """Whether a `raise` in one of these modules, packages or folders made it. What Python itself raises is a bug."""
    last = _last_frame(error)
    if last is None or not places or not _is_deliberate(error):
        return False
    module = str(last.tb_frame.f_globals.get("__name__", ""))
    file = last.tb_frame.f_code.co_filename.replace("\\", "/")
    return any(place in file if "/" in place else module == place or module.startswith(f"{place}.") for place in places)


def _is_deliberate(error: BaseException) -> bool:
    last = _last_frame(error)
    return last is not None and dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def _last_frame(error: BaseException) -> TracebackType | None:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def _causes(error: BaseException) -> Iterator[BaseException]:
    known: set[int] = set()
    cause = error.__cause__ or error.__context__
    while cause is not None and id(cause) not in known:
        known.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def first_of(error: BaseException) -> BaseException:
    """The exception itself, or the first one of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
