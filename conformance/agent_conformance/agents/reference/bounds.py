"""The limits of one turn."""

from collections import Counter
from dataclasses import dataclass, field

REQUESTS = 20
"""Model requests in a turn, if the setup has no limit."""
SAME_NAME = 3
"""How often one unknown name is corrected."""
CORRECTIONS = 6
"""How often the model is corrected at all: unknown names, unreadable calls, calls cut off."""
SAME_RESULT = 3
"""After so many equal results in a row, the same call no longer runs."""
REFUSALS = 2
"""How many such calls are refused before the turn is closed."""
EMPTY_ANSWERS = 2
"""How often a request with an empty answer is repeated."""


@dataclass(slots=True)
class Bounds:
    """The counters of one turn. Once `exhausted`, there is one closing request and nothing after it."""

    requests: int = REQUESTS
    sent: int = 0
    corrections: int = 0
    empty_answers: int = 0
    refusals: int = 0
    names: Counter[str] = field(default_factory=Counter)
    results: dict[str, tuple[str, int]] = field(default_factory=dict)

    def count_request(self) -> None:
        self.sent += 1

    @property
    def last_request(self) -> bool:
        """Whether the limit on requests allows no more than one now."""
        return self.sent >= self.requests - 1

    def count_unknown(self, name: str) -> None:
        self.names[name] += 1
        self.corrections += 1

    def count_correction(self) -> None:
        self.corrections += 1

    def may_retry_empty(self) -> bool:
        """Count an empty answer; whether the request may be repeated."""
        self.empty_answers += 1
        return self.empty_answers <= EMPTY_ANSWERS

    def repeated_results(self, key: str) -> int:
        """How often in a row this call had the same result, if too often; else 0."""
        _, count = self.results.get(key, ("", 0))
        if count < SAME_RESULT:
            return 0
        self.refusals += 1
        return count

    def record_result(self, key: str, result: str) -> None:
        last, count = self.results.get(key, ("", 0))
        self.results[key] = (result, count + 1 if result == last else 1)

    @property
    def exhausted(self) -> bool:
        same = any(count > SAME_NAME for count in self.names.values())
        return same or self.corrections > CORRECTIONS or self.refusals > REFUSALS
