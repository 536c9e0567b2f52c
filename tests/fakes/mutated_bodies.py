"""Requests that are nearly right: a body with some of its values replaced or removed, the same for the same seed."""

import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

VALUES: tuple[Any, ...] = (None, True, 0, -1, 2.5, "", "x", [], {}, [1], ["a"], [[]], [{}], {"a": 1}, 10**30)


def mutated(body: dict[str, Any], chance: random.Random, *, names: Sequence[Any] = ()) -> dict[str, Any]:
    """The body with up to three values replaced or removed; `names` are values that this wire gives a meaning to."""
    body = deepcopy(body)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(list(_paths(body)) or [("model",)])
        place: Any = body
        for key in way:
            place = place[key]
        if chance.random() < 0.25 and (isinstance(place, list) or last in place):
            del place[last]
        else:
            place[last] = deepcopy(chance.choice((*VALUES, *names)))
    return body


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _paths(value[key], (*path, key))
