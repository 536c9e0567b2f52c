"""When a step has gone on long enough. Knows counts; knows neither turns nor texts."""

from collections import Counter
from dataclasses import dataclass, field

EXCHANGES = 20
"""Model requests in a step, where the setup says nothing."""
SAME_NAME = 3
"""How often one unknown name is corrected."""
CORRECTIONS = 6
"""How often the model is corrected at all: unknown names, unreadable calls, calls cut off."""
SAME_RESULT = 3
"""After how many equal results in a row the same call is no longer run."""
REFUSALS = 2
"""How many such calls are turned down before the step is closed."""
BLANKS = 2
"""How often an empty answer is asked for again."""


@dataclass(slots=True)
class Bounds:
    """The counters of one step. Once `spent`, one closing request is made, and then nothing more."""

    exchanges: int = EXCHANGES
    made: int = 0
    corrections: int = 0
    blanks: int = 0
    refusals: int = 0
    names: Counter[str] = field(default_factory=Counter)
    seen: dict[str, tuple[str, int]] = field(default_factory=dict)

    def request(self) -> None:
        self.made += 1

    @property
    def last_request(self) -> bool:
        """Whether the limit on requests allows no more than one now."""
        return self.made >= self.exchanges - 1

    @property
    def out_of_requests(self) -> bool:
        return self.made >= self.exchanges

    def unknown(self, name: str) -> None:
        self.names[name] += 1
        self.corrections += 1

    def correction(self) -> None:
        self.corrections += 1

    def blank(self) -> bool:
        """Whether an empty answer may be asked for again."""
        self.blanks += 1
        return self.blanks <= BLANKS

    def repeats(self, key: str) -> int:
        """How often in a row this call has brought the same result, if too often; else 0."""
        _, count = self.seen.get(key, ("", 0))
        if count < SAME_RESULT:
            return 0
        self.refusals += 1
        return count

    def brought(self, key: str, text: str) -> None:
        before, count = self.seen.get(key, ("", 0))
        self.seen[key] = (text, count + 1 if text == before else 1)

    @property
    def spent(self) -> bool:
        same = any(count > SAME_NAME for count in self.names.values())
        return same or self.corrections > CORRECTIONS or self.refusals > REFUSALS
