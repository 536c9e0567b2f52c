"""Remembers which requests were accepted, by their shape. A request of the same shape is not judged again.

Knows no wire: a wire makes the shape, which has everything of a body that a rule reads.
"""

import marshal
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from fake_providers.rule import CURRENT, Violation

MOST = 128
"""Shapes that are kept."""

Shape = Callable[[Any], Any]
"""From the JSON value of a body to its shape, made of JSON values and tuples; None for a body that has none."""


class AcceptedShapes:
    """The newest shapes that broke no rule. Thread-safe.

    Agents send the same tools, parameters and roles again and again. Only the words differ, which no rule reads, and
    the ids, of which rules read which are the same.
    """

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._accepted: dict[bytes, None] = {}
        self._lock = threading.Lock()

    def judge(self, value: Any, size: int, *, provider: str, rules: Callable[[], Violation | None]) -> Violation | None:
        """What `rules` finds in the body of so many bytes. Nothing is remembered while rules are tolerated."""
        key = self._key(value, provider) if size <= LARGE and CURRENT.get() is None else None
        if key is None:
            return rules()
        if key in self._accepted:
            return None
        violation = rules()
        if violation is None and len(key) <= LONGEST:
            self._remember(key)
        return violation

    def _key(self, value: Any, provider: str) -> bytes | None:
        shape = self._shape(value)
        return None if shape is None else fingerprint((provider, shape))

    def _remember(self, key: bytes) -> None:
        with self._lock:
            self._accepted[key] = None
            if len(self._accepted) > MOST:
                del self._accepted[next(iter(self._accepted))]


FINGERPRINTS_MOST = 64
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
            if len(kept) > FINGERPRINTS_MOST:
                del kept[next(iter(kept))]
        return made

    return find
