"""Regular expressions of strangers, matched in time: of scenarios, of adapters, of scripts. Knows nothing else of them.

The syntax is Python's: `re` reads each pattern first. `regex` matches it, since it can stop; `re` takes longer over
`(a|aa)+$` than anybody waits, and nothing can interrupt it.
"""

import re
from typing import Any

MATCH_SECONDS = 1.0
"""Of the processor's time, for one text. A pattern that is right takes less than a thousandth."""


class SlowPattern(Exception):
    """A pattern whose search takes too long: it tries a number of ways that doubles with each character."""


def found(pattern: str | re.Pattern[str], text: str) -> bool:
    """Whether it matches anywhere in the text. Raises `SlowPattern`."""
    try:
        return _compiled(pattern).search(text, timeout=MATCH_SECONDS) is not None
    except TimeoutError:
        raise _slow(pattern) from None


def replaced(pattern: str | re.Pattern[str], replacement: str, text: str) -> str:
    """The text with this in place of each match. Raises `SlowPattern`."""
    try:
        result: str = _compiled(pattern).sub(lambda match: replacement, text, timeout=MATCH_SECONDS)
    except TimeoutError:
        raise _slow(pattern) from None
    return result


def _compiled(pattern: str | re.Pattern[str]) -> Any:
    """`regex` keeps what it has compiled."""
    import regex  # type: ignore[import-untyped]  # few scenarios have a pattern

    if isinstance(pattern, str):
        return regex.compile(pattern)
    return regex.compile(pattern.pattern, pattern.flags & _SHARED | (regex.ASCII if pattern.flags & re.ASCII else 0))


_SHARED = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE
"""The flags of `re` that have the same value in `regex`."""


def _slow(pattern: str | re.Pattern[str]) -> SlowPattern:
    text = pattern if isinstance(pattern, str) else pattern.pattern
    hint = "Repeat nothing that is itself a repetition, as `(a+)+` does"
    return SlowPattern(f"the regular expression {text[:200]!r} takes more than {MATCH_SECONDS:g} s to match. {hint}")
