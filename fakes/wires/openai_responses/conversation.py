"""The items of a request together with those that it only names. Knows what is held; judges nothing.

A request can name the response it goes on from (`previous_response_id`) and single items (`item_reference`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """An item of a response that was served. `reasoning` is the id of the thought right before it, if there was one."""

    item: Item
    stored: bool
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What the provider holds. `previous` is the conversation up to the response named, None where it has none."""

    previous: tuple[Item, ...] | None = None
    known: Mapping[str, Known] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where it stands: `input[3]`, or `previous_response_id` for what the request does not say itself."""

    value: Item
    at: str
    own: bool = True


@dataclass(frozen=True, slots=True)
class Conversation:
    """All items in order. `complete` is False where something named is unknown, `held` None where nobody remembers.

    `missing` are references to items that are not kept, each with its place.
    """

    body: Mapping[str, Any]
    items: tuple[Placed, ...]
    complete: bool
    held: Held | None
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def forgotten(self) -> str | None:
        """The id of a previous response that the provider does not have."""
        named = self.body.get("previous_response_id")
        if self.held is None or self.held.previous is not None or not isinstance(named, str) or not named:
            return None
        return named


def conversation_of(body: Mapping[str, Any], held: object) -> Conversation:
    """`held` is what a memory has put into the request, or None."""
    memory = held if isinstance(held, Held) else None
    items: list[Placed] = []
    missing: list[tuple[str, str]] = []
    complete = not any(body.get(name) for name in ("conversation", "prompt"))
    if body.get("previous_response_id"):
        earlier = memory.previous if memory is not None else None
        complete = complete and earlier is not None
        items += [Placed(item, "previous_response_id", own=False) for item in earlier or ()]
    for at, item in own_items(body):
        if item.get("type") != "item_reference" and item.keys() - {"type"} != {"id"}:
            items.append(Placed(item, at))
            continue
        known = memory.known.get(str(item.get("id"))) if memory is not None else None
        if known is not None and known.stored:
            items.append(Placed(known.item, at))
        else:
            complete = False
            missing.append((at, str(item.get("id"))))
    return Conversation(body, tuple(items), complete, memory, tuple(missing) if memory is not None else ())


def own_items(body: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    """What the request says itself; a text is one message of the user."""
    input_ = body.get("input")
    if isinstance(input_, str) and input_:
        yield "input", {"type": "message", "role": "user", "content": input_}
    if isinstance(input_, list):
        for index, item in enumerate(input_):
            if isinstance(item, dict):
                yield f"input[{index}]", item
