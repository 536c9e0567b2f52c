"""Remembers which requests were accepted, by their shape. A request of the same shape is not judged again.

Knows no wire: a wire makes the shape, which has everything of a body that a rule reads.
"""

import threading
from collections.abc import Callable
from typing import Any

from fake_providers.rule import Violation
from fake_providers.rules.fingerprints import LARGE, LONGEST, fingerprint
from fake_providers.rules.tolerance import CURRENT

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
