"""An answer of a fake against what was seen of the provider's: each difference in a line. Knows no provider."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from answering import ids_of, members_of, objects_of, steps_of, words_of

from fakes import Response

Seen = dict[str, Any]
"""A row of the table, as `derive_answers.Seen.told` makes it."""

RANK = {name: place for place, name in enumerate(("digits", "hexadecimal", "lower", "letters", "url", "any"))}


def differences(seen: Seen, wire: str, response: Response, *, streamed: bool) -> Iterator[str]:
    """What the answer has and no recorded one of its kind, or otherwise than they."""
    headers = dict(response.headers)
    if headers["content-type"] not in seen["labels"]:
        yield f"label {headers['content-type']}"
    limits = {name for name in headers if "ratelimit" in name}
    if limits - set(seen["limits"]):
        yield "limits that were not recorded"
    if headers["content-type"].startswith("text/plain"):
        return
    values = objects_of(wire, response.body.decode())
    for value in values:
        yield from _of_members(seen, value)
        yield from (f"word {at} {word}" for at, word in words_of(value) if word not in seen["words"].get(at, [word]))
        yield from _of_ids(seen, value)
    steps = steps_of(wire, values) if streamed else []
    told = {(one, other) for one, other in seen["steps"]}
    yield from (
        f"step {one} -> {other}" for one, other in pairwise([*steps, "end"]) if steps and (one, other) not in told
    )


def _of_members(seen: Seen, value: Any) -> Iterator[str]:
    for at, types in members_of(value):
        names = tuple(name for name, _ in types)
        ordered = [tuple(one) for one in seen["ordered"].get(at, ())]
        whole = {frozenset(one) for one in (*ordered, *seen["unordered"].get(at, ()))}
        if not whole:
            yield f"place {at}"
        elif frozenset(names) not in whole:
            yield f"members {at} {' '.join(names)}"
        elif names not in ordered and not _may_stand_so(names, ordered):
            yield f"order {at} {' '.join(names)}"
        for name, kind in types:
            if kind not in seen["types"].get(f"{at}.{name}", [kind]):
                yield f"type {at}.{name} {kind}"


def _may_stand_so(names: tuple[str, ...], ordered: list[tuple[str, ...]]) -> bool:
    """Behind the type in the order of the alphabet, as events of Responses are; or as each two of them were seen."""
    if names[:1] == ("type",) and list(names[1:]) == sorted(names[1:]):
        return True
    return not any(_contradicted(one, other, ordered) for one, other in pairwise(names))


def _contradicted(one: str, other: str, ordered: list[tuple[str, ...]]) -> bool:
    both = [order.index(one) < order.index(other) for order in ordered if one in order and other in order]
    return bool(both) and not any(both)


def _of_ids(seen: Seen, value: Any) -> Iterator[str]:
    for made in ids_of(value):
        known = seen["ids"].get(made.at)
        fits = any(
            made.prefix == prefix
            and made.length == length
            and (made.alphabet == alphabet or RANK.get(made.alphabet, 9) <= RANK.get(alphabet, -1))
            for prefix, alphabet, length in known or ()
        )
        if known and not fits and not made.at.endswith((".obfuscation", ".p")):
            yield f"id {made.at} {made.prefix}{made.alphabet}"
