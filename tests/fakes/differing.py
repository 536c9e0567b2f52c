"""Where two JSON values differ: what shows that a rule's two requests are one field apart."""

from collections.abc import Iterator
from typing import Any


def differences(one: Any, other: Any, at: str = "$") -> Iterator[str]:
    """The JSON paths that were added, removed or changed. A list of plain values (`required`) is one value."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key in one and key in other:
                yield from differences(one[key], other[key], f"{at}.{key}")
            else:
                yield f"{at}.{key}"
    elif isinstance(one, list) and isinstance(other, list) and not (_plain(one) and _plain(other)):
        yield from _in_lists(one, other, at)
    elif not _same(one, other):
        yield at


def _in_lists(one: list[Any], other: list[Any], at: str) -> Iterator[str]:
    """Items are compared in order, from both ends where the lengths differ, so that one inserted item is one path."""
    shorter, longer = sorted((one, other), key=len)
    start = next((i for i, item in enumerate(shorter) if any(differences(item, longer[i]))), len(shorter))
    if len(shorter) < len(longer):
        rest, kept = len(longer) - len(shorter), len(shorter) - start
        if not any(differences(longer[start + rest :], shorter[start : start + kept])):
            yield from (f"{at}[{start + i}]" for i in range(rest))
            return
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        yield from differences(a, b, f"{at}[{i}]")
    yield from (f"{at}[{i}]" for i in range(len(shorter), len(longer)))


def _plain(values: list[Any]) -> bool:
    return not any(isinstance(value, dict | list) for value in values)


def _same(one: Any, other: Any) -> bool:
    """Equal and of one type, inside lists too: true is not 1."""
    return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)
