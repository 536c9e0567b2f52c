"""Compares a fake's response with the provider's recorded ones: each difference is one line. Knows no provider."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from response_shapes import event_order, ids_of, members_of, objects_of, words_of

from fake_providers import Response

RecordedResponses = dict[str, Any]
"""A row of the table, as `derive_answers` makes it."""

RANK = {name: place for place, name in enumerate(("digits", "hexadecimal", "lower", "letters", "url", "any"))}


def differences(recorded: RecordedResponses, wire: str, response: Response, *, streamed: bool) -> Iterator[str]:
    """Members that no recorded response of its kind has, or that differ from all of them."""
    headers = dict(response.headers)
    if headers["content-type"] not in recorded["labels"]:
        yield f"label {headers['content-type']}"
    limits = {name for name in headers if "ratelimit" in name}
    if limits - set(recorded["limits"]):
        yield "limits that were not recorded"
    if headers["content-type"].startswith("text/plain"):
        return
    values = objects_of(wire, response.body.decode())
    for value in values:
        yield from _of_members(recorded, value)
        yield from (
            f"word {at} {word}" for at, word in words_of(value) if word not in recorded["words"].get(at, [word])
        )
        yield from _of_ids(recorded, value)
    steps = event_order(wire, values) if streamed else []
    described = {(one, other) for one, other in recorded["steps"]}
    yield from (
        f"step {one} -> {other}" for one, other in pairwise([*steps, "end"]) if steps and (one, other) not in described
    )


def _of_members(recorded: RecordedResponses, value: Any) -> Iterator[str]:
    for at, types in members_of(value):
        names = tuple(name for name, _ in types)
        ordered = [tuple(one) for one in recorded["ordered"].get(at, ())]
        whole = {frozenset(one) for one in (*ordered, *recorded["unordered"].get(at, ()))}
        if not whole:
            yield f"place {at}"
        elif frozenset(names) not in whole:
            yield f"members {at} {' '.join(names)}"
        elif names not in ordered and not _order_is_possible(names, ordered):
            yield f"order {at} {' '.join(names)}"
        for name, kind in types:
            if kind not in recorded["types"].get(f"{at}.{name}", [kind]):
                yield f"type {at}.{name} {kind}"


def _order_is_possible(names: tuple[str, ...], ordered: list[tuple[str, ...]]) -> bool:
    """Alphabetical order after the type, as in events of Responses; or an order that no recording contradicts."""
    if names[:1] == ("type",) and list(names[1:]) == sorted(names[1:]):
        return True
    return not any(_contradicted(one, other, ordered) for one, other in pairwise(names))


def _contradicted(one: str, other: str, ordered: list[tuple[str, ...]]) -> bool:
    both = [order.index(one) < order.index(other) for order in ordered if one in order and other in order]
    return bool(both) and not any(both)


def _of_ids(recorded: RecordedResponses, value: Any) -> Iterator[str]:
    for made in ids_of(value):
        known = recorded["ids"].get(made.at)
        fits = any(
            made.prefix == prefix
            and made.length == length
            and (made.alphabet == alphabet or RANK.get(made.alphabet, 9) <= RANK.get(alphabet, -1))
            for prefix, alphabet, length in known or ()
        )
        if known and not fits and not made.at.endswith((".obfuscation", ".p")):
            yield f"id {made.at} {made.prefix}{made.alphabet}"
