"""Rules that a fake tolerates: what breaks one is noted, and accepted. Knows no rule."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from fake_providers.rule import Violation


@dataclass(slots=True)
class Tolerance:
    """The ids of the rules, and the breaches of one request by now, in the order of the checks."""

    rules: frozenset[str]
    breaches: list[Violation] = field(default_factory=list)

    def takes(self, violation: Violation) -> bool:
        """Whether the request goes on to the next rule: this one is tolerated."""
        if violation.rule not in self.rules:
            return False
        if all(known.rule != violation.rule for known in self.breaches):
            self.breaches.append(violation)
        return True


CURRENT: ContextVar[Tolerance | None] = ContextVar("tolerance", default=None)
"""That of the request which is being judged. No rulebook but the one that is asked needs to hand it on."""


@contextmanager
def tolerating(tolerance: Tolerance | None) -> Iterator[None]:
    token = CURRENT.set(tolerance)
    try:
        yield
    finally:
        CURRENT.reset(token)


def judged(judge: Callable[[], Violation | None], tolerance: Tolerance) -> Violation | None:
    """The first violation that is not tolerated.

    Later checks may rely on what a tolerated rule would have refused: where one fails for that, nothing more is known.
    """
    with tolerating(tolerance):
        try:
            return judge()
        except Exception:
            if not tolerance.breaches:
                raise
            return None
