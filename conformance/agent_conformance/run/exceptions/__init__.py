"""What an agent raises: which exceptions are controlled failures, how one is described, and where it came from.

An exception is foreign code: its text, its class and its attributes may be anything. What reads one runs on the thread
that raised it (`agent_conformance.run.exceptions.crash_trace`), and survives whatever it finds.
"""

import dis
from collections.abc import Iterator, Sequence
from types import TracebackType

from agent_conformance.adapter.contract import ReportedError
from agent_conformance.transcripts.redaction import redacted

ACCIDENTS = (TypeError, AttributeError, NameError)
"""What Python itself raises for a bug, and no code raises on purpose to say that it gives up."""
LONGEST = 100_000
"""Characters of a text in which secrets are sought before a few are shown: the search runs while the agent is timed."""


def described_error(error: BaseException) -> str:
    """Class and message in one line, of which at most 300 characters; of a group also its first exception."""
    if isinstance(error, ReportedError):
        return error.described
    name, text = class_name(error), _text_of(error)
    described = f"{name}: {redacted(text[:LONGEST])[:300]}" if text else name
    first = first_of(error)
    return described if first is error else f"{described}; the first is {described_error(first)}"


def class_name(value: object) -> str:
    """The name of its class, which a metaclass may hide."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def _text_of(error: BaseException) -> str:
    try:
        return " ".join("".join((str(error),)).split())
    except BaseException:  # SystemExit out of `__str__` is no reason to exit
        return "(it has no text: its __str__ fails)"


def is_controlled(
    error: BaseException, classes: tuple[type[BaseException], ...], raised_in: Sequence[str] = ()
) -> bool:
    """Whether it has one of these classes, or one of these packages raised it on purpose."""
    if isinstance(error, ReportedError):
        return error.controlled
    return all(isinstance(leaf, classes) or _is_raised_in(leaf, raised_in) for leaf in _leaves(error))


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
    return next(_leaves(error))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group and in its groups; of one that is no group, itself."""
    waiting = [error]
    while waiting:
        error = waiting.pop()
        if issubclass(type(error), BaseExceptionGroup):
            waiting += reversed(_members_of(error))
        else:
            yield error


_members_of = BaseExceptionGroup.exceptions.__get__
"""What a group really has: a subclass may say something else of itself, a circle for example."""
