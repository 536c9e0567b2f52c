"""Rules that hold for each item of one list in the body: the first faulty item is what the client hears."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fakes.rule import Rule, Violation
from fakes.rulebook import Breach, RequestContext, Rulebook


@dataclass(slots=True)
class Item:
    """One item of the list: what a walked check finds as `RequestContext.body`. Never changed; see `RequestContext`."""

    value: Any
    index: int
    place: str
    whole: Mapping[str, Any]


class ItemRules(Rulebook):
    """A rulebook whose checks are asked of every item in turn, each with an `Item` as its body."""

    def __init__(self, envelope: Callable[[Rule, Breach, RequestContext], Any], field: str) -> None:
        super().__init__(envelope)
        self._field = field

    def judge(self, context: RequestContext) -> Violation | None:
        items = context.body.get(self._field)
        if not isinstance(items, list):
            return None
        for item in _items(context, self._field, items):
            violation = super().judge(item)
            if violation is not None:
                return violation
        return None


def _items(context: RequestContext, field: str, items: list[Any]) -> list[RequestContext]:
    """Each item as its checks are asked of it, the same for every walk over this list."""
    walked: list[RequestContext] | None = context.read.get(field)
    if walked is None:
        placed = (Item(value, index, f"{field}[{index}]", context.body) for index, value in enumerate(items))
        walked = context.read[field] = [context.about(item) for item in placed]
    return walked
