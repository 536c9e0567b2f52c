"""Exceptions of an agent: which are controlled failures, how one is described. Knows no case."""


def described_error(error: BaseException) -> str:
    """Class and message in one line, of which at most 300 characters; of a group also its first exception."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(it has no text: its __str__ fails)"
    described = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    first = first_of(error)
    return described if first is error else f"{described}; the first is {described_error(first)}"


def is_controlled(error: BaseException, classes: tuple[type[BaseException], ...]) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(is_controlled(inner, classes) for inner in error.exceptions)
    return isinstance(error, classes)


def first_of(error: BaseException) -> BaseException:
    """The exception itself, or the first one of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
