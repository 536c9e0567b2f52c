"""JSON values as keys: what was made of a value is found again for an equal one."""

import marshal
import threading
from collections.abc import Callable
from typing import Any, TypeVar

MOST = 64
LONGEST = 16 * 1024
"""Values that are kept, and the bytes of a key."""
LARGE = 64 * 1024
"""Bytes of a body beyond which no key is made of it."""

_T = TypeVar("_T")


def fingerprint(value: Any) -> bytes | None:
    """Of values that are equal and of the same types, and of no others: 1, 1.0 and true are not the same. None for a
    value that is nested too deep. `value` may have tuples, which JSON does not have.
    """
    try:
        # Version 2 has no references, which depend on what else is in memory.
        return marshal.dumps(value, 2)
    except ValueError:
        return None


def cached_by_value(make: Callable[[Any], _T]) -> Callable[[Any, int], _T]:
    """`make`, a pure function of a JSON value, with what it made of the last values kept. Thread-safe.

    The function returned takes the bytes of the body that the value is from as well: of a large one no key is made.
    What is returned is shared between callers, and never to be changed.
    """
    kept: dict[bytes, _T] = {}
    lock = threading.Lock()

    def find(value: Any, size: int) -> _T:
        key = fingerprint(value) if size <= LARGE else None
        if key is None or len(key) > LONGEST:
            return make(value)
        try:
            return kept[key]
        except KeyError:
            made = make(value)
        with lock:
            kept[key] = made
            if len(kept) > MOST:
                del kept[next(iter(kept))]
        return made

    return find
