"""Rules that apply to each item of one list in the body; the first item that breaks one is reported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext, Rulebook


@dataclass(slots=True)
class Item:
    """One item of the list, as the checks receive it in `RequestContext.body`. Never changed; see `RequestContext`.

    `read` is that of the whole request: what the check of one item has found out about all of them.
    """

    value: Any
    index: int
    place: str
    request_body: Mapping[str, Any]
    read: dict[str, Any]


class ItemRules(Rulebook):
    """A rulebook that checks every item in turn, each with an `Item` as the body of its context."""

    def __init__(self, envelope: Callable[[Rule, Breach, RequestContext], Any], field: str) -> None:
        super().__init__(envelope)
        self._field = field

    def judge(self, context: RequestContext) -> Violation | None:
        items = context.body.get(self._field)
        if not isinstance(items, list):
            return None
        return self.judge_each(_items(context, self._field, items), context.provider)


def _items(context: RequestContext, field: str, items: list[Any]) -> list[RequestContext]:
    """A context for each item, made once for all rulebooks of this list."""
    contexts: list[RequestContext] | None = context.read.get(field)
    if contexts is None:
        items_with_place = (
            Item(value, index, f"{field}[{index}]", context.body, context.read) for index, value in enumerate(items)
        )
        contexts = context.read[field] = [context.about(item) for item in items_with_place]
    return contexts
