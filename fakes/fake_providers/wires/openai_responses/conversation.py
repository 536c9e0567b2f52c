"""The items of a request together with those that it refers to.

A request can name the response that it continues (`previous_response_id`), a conversation (`conversation`) and single
items (`item_reference`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

Item = Mapping[str, Any]
CONTINUED = ("previous_response_id", "conversation")
"""The fields that name what a request continues."""


class ServedItem(Struct, frozen=True):
    """An item of a response that was sent. `reasoning` is the id of the reasoning item right before it, if there was
    one, and `has_following` says whether one that is no reasoning came after it."""

    item: Item
    stored: bool
    reasoning: str | None = None
    has_following: bool = False


class ServedItems(Struct, frozen=True):
    """What is stored that a request names. `previous` is the conversation up to the named response, or the named
    conversation; None if it is unknown."""

    previous: tuple[Item, ...] | None = None
    known: Mapping[str, ServedItem] = field(default_factory=dict)


class PlacedItem(Struct):
    """An item and its place: `input[3]`, or the field that names what the request continues.

    `own`: it stands in the request. `stored`: the provider has it, and reads what the request leaves out of it.
    """

    value: Item
    at: str
    own: bool = True
    stored: bool = False


class Conversation(Struct):
    """All items in order. `complete` is False if a reference is unknown, `held` is None if nothing is stored at all.

    `missing` are the references to items that are not stored, each with its place.
    """

    body: Mapping[str, Any]
    items: tuple[PlacedItem, ...]
    complete: bool
    held: ServedItems | None
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def unknown_previous_response(self) -> str | None:
        """The id of a previous response that the provider does not have."""
        named = self.body.get("previous_response_id")
        if self.held is None or self.held.previous is not None or not isinstance(named, str) or not named:
            return None
        return named


def conversation_id(body: Mapping[str, Any]) -> str:
    """The id of the conversation that a request names, which is a text or an object; "" if it names none."""
    named = body.get("conversation")
    named = named.get("id") if isinstance(named, dict) else named
    return named if isinstance(named, str) else ""


def conversation_of(body: Mapping[str, Any], held: object) -> Conversation:
    """The conversation of a request; `held` is what a store has added to the request, or None."""
    memory = held if isinstance(held, ServedItems) else None
    items: list[PlacedItem] = []
    missing: list[tuple[str, str]] = []
    complete = not body.get("prompt")
    continued = next((name for name in CONTINUED if body.get(name)), None)
    if continued:
        earlier = memory.previous if memory is not None else None
        complete = complete and earlier is not None
        items += [PlacedItem(item, continued, own=False, stored=True) for item in earlier or ()]
    for at, item in own_items(body):
        known = memory.known.get(str(item.get("id"))) if memory is not None else None
        is_stored = known is not None and known.stored
        if item.get("type") != "item_reference" and item.keys() - {"type"} != {"id"}:
            items.append(PlacedItem(item, at, stored=is_stored))
        elif known is not None and is_stored:
            items.append(PlacedItem(known.item, at, stored=True))
        else:
            complete = False
            missing.append((at, str(item.get("id"))))
    return Conversation(body, tuple(items), complete, memory, tuple(missing) if memory is not None else ())


def own_items(body: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    """The items in the request itself; a text is one user message."""
    input_ = body.get("input")
    if isinstance(input_, str) and input_:
        yield "input", {"type": "message", "role": "user", "content": input_}
    if isinstance(input_, list):
        for index, item in enumerate(input_):
            if isinstance(item, dict):
                yield f"input[{index}]", item
