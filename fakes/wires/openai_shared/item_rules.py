"""Rules that hold for each item of one list in the body: the first faulty item is what the client hears."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fakes.rule import Rule, Violation
from fakes.rulebook import Asked, Broken, Rulebook


@dataclass(slots=True)
class Item:
    """One item of the list: what a walked check finds as `Asked.body`. Never changed; see `Asked`."""

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
        for item in _items(asked, self._field, items):
            violation = super().judge(item)
            if violation is not None:
                return violation
        return None


def _items(asked: Asked, field: str, items: list[Any]) -> list[Asked]:
    """Each item as its checks are asked of it, the same for every walk over this list."""
    walked: list[Asked] | None = asked.read.get(field)
    if walked is None:
        placed = (Item(value, index, f"{field}[{index}]", asked.body) for index, value in enumerate(items))
        walked = asked.read[field] = [asked.about(item) for item in placed]
    return walked
