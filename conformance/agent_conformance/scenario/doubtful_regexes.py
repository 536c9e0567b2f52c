"""Regular expressions that may take forever, found by their structure: nothing is matched. Knows no scenario.

Found are a repetition within a repetition, and alternatives that overlap within one. What takes time only in proportion
to a power of the text, as `.*.*x` does, is not found.
"""

import re
import string
from collections.abc import Iterable, Iterator
from typing import Any

_parser: Any = vars(re)["_parser"]  # the only parser of Python's own syntax; private since Python 3.11
_ALPHABET = frozenset(string.printable + "é€")
_WORDS = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
LONGEST = 2000
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")


def reason_to_explode(pattern: str) -> str | None:
    """Why matching may take time that grows exponentially with the text; None if no reason is found."""
    if len(pattern) > LONGEST:
        return f"it has {len(pattern)} characters"
    try:
        return next(_reasons(_parser.parse(pattern)), None)
    except (re.error, OverflowError):  # no pattern at all, which is reported elsewhere
        return None
    except RecursionError:
        return "it is nested too deeply"


def _reasons(items: Iterable[Any]) -> Iterator[str]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in _REPEATS and value[1] > 1 and _is_unbounded(value):
            body = list(_without_groups(value[2]))
            if any(not _is_separated(body, inner) for inner in _repeats_in(body)):
                yield "it repeats what is repeated already"
            if any(_overlap(branches) for branches in _branches_in(body)):
                yield "it repeats alternatives that begin alike"
        for inner in _inside(name, value):
            yield from _reasons(inner)


def _without_groups(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        if str(item[0]) == "SUBPATTERN":
            yield from _without_groups(item[1][3])
        else:
            yield item


def _is_unbounded(value: Any) -> bool:
    return bool(value[1] == _parser.MAXREPEAT)


def _inside(name: str, value: Any) -> list[Any]:
    if name in _REPEATS:
        return [value[2]]
    if name == "SUBPATTERN":
        return [value[3]]
    if name == "BRANCH":
        return list(value[1])
    return [value[1]] if name in ("ASSERT", "ASSERT_NOT") else []


def _repeats_in(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in _REPEATS and _is_unbounded(value):
            yield item
        for inner in _inside(name, value):
            yield from _repeats_in(inner)


def _branches_in(items: Iterable[Any]) -> Iterator[list[Any]]:
    for item in items:
        name, value = str(item[0]), item[1]
        if name == "BRANCH":
            yield list(value[1])
        if name in ("SUBPATTERN", "BRANCH"):
            for inner in _inside(name, value):
                yield from _branches_in(inner)


def _is_separated(body: list[Any], repeat: Any) -> bool:
    """Whether each round has a character of its own, so that the text falls apart into rounds in one way only."""
    eaten = _characters(repeat[1][2])
    return any(not _may_be_empty([item]) and not _characters([item]) & eaten for item in body if item is not repeat)


def _overlap(branches: list[Any]) -> bool:
    firsts = [_first(branch) for branch in branches]
    if sum(_may_be_empty(branch) for branch in branches) > 1:
        return True
    return any(one & other for place, one in enumerate(firsts) for other in firsts[place + 1 :])


def _may_be_empty(items: Iterable[Any]) -> bool:
    for item in items:
        name, value = str(item[0]), item[1]
        if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            return False
        if name in _REPEATS and value[0] and not _may_be_empty(value[2]):
            return False
        if name == "SUBPATTERN" and not _may_be_empty(value[3]):
            return False
        if name == "BRANCH" and not any(_may_be_empty(branch) for branch in value[1]):
            return False
    return True


def _first(items: Iterable[Any]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for item in items:
        name, value = str(item[0]), item[1]
        parts = _inside(name, value) if not name.startswith("ASSERT") else []
        found |= frozenset().union(*map(_first, parts)) if parts else _characters([item])
        if not _may_be_empty([item]):
            break
    return found


def _characters(items: Iterable[Any]) -> frozenset[str]:
    """The characters that these items may take, of those that are looked at."""
    found: frozenset[str] = frozenset()
    for item in items:
        name, value = str(item[0]), item[1]
        if name == "LITERAL":
            found |= {chr(value)}
        elif name == "NOT_LITERAL":
            found |= _ALPHABET - {chr(value)}
        elif name == "ANY":
            found |= _ALPHABET
        elif name == "IN":
            found |= _of_class(value)
        elif not name.startswith("ASSERT"):
            for inner in _inside(name, value):
                found |= _characters(inner)
    return found


def _of_class(members: Iterable[Any]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    is_negated = False
    for kind, value in members:
        name = str(kind)
        if name == "NEGATE":
            is_negated = True
        elif name == "LITERAL":
            found |= {chr(value)}
        elif name == "RANGE":
            found |= {char for char in _ALPHABET if value[0] <= ord(char) <= value[1]}
        elif name == "CATEGORY":
            found |= _of_category(str(value))
    return _ALPHABET - found if is_negated else found


def _of_category(name: str) -> frozenset[str]:
    word = _WORDS[name.rpartition("_")[2]]
    inside = frozenset(char for char in _ALPHABET if re.match(word, char))
    return _ALPHABET - inside if "_NOT_" in name else inside
