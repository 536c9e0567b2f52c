"""Rules that hold for each item of one list in the body: the first faulty item is what the client hears."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fakes.rule import Rule, Violation
from fakes.rulebook import Asked, Broken, Rulebook


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the list: what a walked check finds as `Asked.body`."""

    value: Any
    index: int
    place: str
    whole: Mapping[str, Any]


class Walk(Rulebook):
    """A rulebook whose checks are asked of every item in turn, each with an `Item` as its body."""

    def __init__(self, envelope: Callable[[Rule, Broken, Asked], Any], field: str) -> None:
        super().__init__(envelope)
        self._field = field

    def judge(self, asked: Asked) -> Violation | None:
        items = asked.body.get(self._field)
        if not isinstance(items, list):
            return None
        for index, value in enumerate(items):
            item = Item(value, index, f"{self._field}[{index}]", asked.body)
            violation = super().judge(
                Asked(item, asked.headers, asked.model, asked.traits, asked.stream, asked.provider)
            )
            if violation is not None:
                return violation
        return None
