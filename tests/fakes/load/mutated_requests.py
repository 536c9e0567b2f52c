"""Requests that are nearly valid: the body of a rule's sample with one to three nodes changed, the same for the same
seed."""

import json
import random
from copy import deepcopy
from typing import Any

from fake_providers import Wire

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 2.5, 1e308, -0.0, 10**30, 10**400),
    *("", "x", " ", "null", "{}", "[", "\ud800", "\x00", "\ufeff", "é" * 10, "a" * 5000),
    *([], [None], [[]], [{}], ["a", 1], [True] * 3),
    *({}, {"": None}, {"x": 1}, {"type": []}, {"type": {}}, {"type": "function"}, {"$ref": "#"}),
)
"""Every JSON type: empty, full and out of bounds."""
KEYS = ("x", "type", "role", "content", "id", "name", "parts", "")

Seed = tuple[str, dict[str, str], Any]
"""The path, additional headers, and the body."""


def seeds_of(wire: Wire, path: str) -> list[Seed]:
    """Both samples of every rule, which together have every field that any rule checks."""
    return [
        (rule.path or path, dict(rule.headers or {}), body)
        for rule in wire.rules
        for body in (rule.accepted, rule.breaking)
        if isinstance(body, (dict, list))
    ]


def mutated(body: Any, chance: random.Random) -> Any:
    root = [deepcopy(body)]
    for _ in range(chance.randint(1, 3)):
        places = list(_places(root))
        holder, key = chance.choice(places)
        other, place = chance.choice(places)
        match chance.randrange(10):
            case 0 | 1 if holder is not root:
                del holder[key]
            case 2 if isinstance(holder, list) and holder is not root:
                holder.insert(key, deepcopy(holder[key]))
            case 3 if isinstance(holder, dict):
                holder[chance.choice(KEYS)] = deepcopy(holder[key])
            case 4:
                holder[key] = deepcopy(other[place])
            case 5:
                holder[key] = [holder[key]]
            case _:
                holder[key] = deepcopy(chance.choice(ODD))
    return root[0]


def nested(body: Any, chance: random.Random, *, depth: int) -> bytes:
    """The body with one node replaced by deeply nested values, written as text, so that Python never builds them."""
    root = [deepcopy(body)]
    holder, key = chance.choice(list(_places(root)))
    holder[key] = "@here@"
    opening, end, closing = chance.choice(NESTS)
    return json.dumps(root[0]).replace('"@here@"', opening * depth + end + closing * depth).encode()


NESTS = (
    ("[", "", "]"),
    ('{"a":', "1", "}"),
    ('{"type":"array","items":', '{"type":"string"}', "}"),
    ('{"type":"object","properties":{"a":', '{"type":"string"}', "}}"),
    ('{"anyOf":[', '{"type":"string"}', "]}"),
    ('{"type":"text","role":"user","content":[', '"x"', "]}"),
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every node, as its container and its key in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]
