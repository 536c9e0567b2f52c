"""Regular expressions on texts of strangers: theirs, matched in time, and ours for what changes from run to run.

The syntax of theirs is Python's: `re` reads each pattern first. `regex` matches it, since it can stop; `re` takes
longer over `(a|aa)+$` than anybody waits, and nothing can interrupt it.
"""

import re
from typing import Any

MATCH_SECONDS = 1.0
"""How long a search in one text may take of the processor. A pattern that is right takes less than a thousandth of
it."""


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


# None stands inside a longer word: what is part of a name does not change from run to run.
UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
TIME = re.compile(
    r"(?<![\w-])\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?![\w-])"
)
DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?![\w-])")
PORT = re.compile(r"(127\.0\.0\.1|localhost|\[::1\]):\d+")

_WORD = re.compile(r"[\w-]{6,}")
_MANY = 20
"""Ids, of which each is looked for in the whole text: for more, it is read once for all."""


def with_names(text: str, names: dict[str, str]) -> str:
    """The text with a name for each id. Short ids are left: they may be any number in it."""
    words = set(_WORD.findall(text)) if len(names) > _MANY else None
    for id, name in names.items():
        if words is not None and id not in words and _WORD.fullmatch(id):
            continue
        if len(id) >= 6 and id in text:
            # No pattern: each id would need its own, and to compile one takes longer than to look
            parts: list[str] = []
            copied, at = 0, text.find(id)
            while at >= 0:
                end = at + len(id)
                if _goes_on(text[at - 1 : at]) or _goes_on(text[end : end + 1]):
                    at = text.find(id, at + 1)
                    continue
                parts += [text[copied:at], name]
                copied, at = end, text.find(id, end)
            text = "".join([*parts, text[copied:]])
    return text


def _goes_on(neighbour: str) -> bool:
    """Whether an id goes on with this character, which is empty at the ends of the text."""
    return neighbour.isalnum() or neighbour in ("_", "-")
