"""The smallest change that makes a refused body acceptable: tried on the judge, not guessed. Knows JSON and no wire."""

import copy
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fakes import Violation, judge
from fakes.registry import provider_wires

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
MOST_TRIES = 400
MOST_CHANGES = 5

Fault = tuple[str, str, int]

VALUES: tuple[Any, ...] = ("user", "assistant", "auto", "{}", {}, "x", [])
"""What stands at most members of a request; an entry of a list is no place for them."""

Path = tuple[str | int, ...]


def smallest_change(provider: str, path: str, text: bytes, violation: Violation) -> str:
    """One change in words after which this provider accepts the body, or several for several faults; else what the rule
    demands.
    """
    try:
        body = json.loads(text)
    except ValueError:
        return "write it as JSON"
    words: list[str] = []
    left: Violation | None = violation
    met = {_fault(violation, body)}
    while left is not None and len(words) < MOST_CHANGES:
        turn = _nearest(provider, path, body, left, met)
        if turn is None:
            break
        said, body, left = turn
        words.append(said)
        met |= {_fault(left, body)} if left else set()
    if left is None:
        return "; then ".join(words)
    rules = [rule for wire in provider_wires(provider) for rule in wire.rules]
    return next((f"no change was found. {rule.why}" for rule in rules if rule.id == violation.rule), "")


def _nearest(
    provider: str, path: str, body: Any, violation: Violation, met: set[Fault]
) -> tuple[str, Any, Violation | None] | None:
    """The first change after which the body is accepted; else the first after which another fault is told, and not one
    of what the change has left behind.
    """
    other = None
    for words, here, changed in islice(_changes(body, place_of(body, violation.at)), MOST_TRIES):
        left = judge(provider, path, json.dumps(changed).encode(), {"content-type": "application/json"})
        if left is None:
            return words, changed, None
        elsewhere = place_of(changed, left.at)
        if other is None and here[: len(elsewhere)] != elsewhere and _fault(left, changed) not in met:
            other = words, changed, left
    return other


def _fault(violation: Violation, body: Any) -> Fault:
    """What is told, where, of how much: the same is no turn onward."""
    return violation.rule, violation.at, len(json.dumps(body))


def place_of(body: Any, at: str) -> Path:
    """The longest part of a place, as a provider spells it (`messages.[2].role`, `messages.0.content`), that exists."""
    found: list[str | int] = []
    value = body
    for name, index in _STEP.findall(at):
        turn: str | int = int(index or name) if (index or name.isdigit()) else name
        if isinstance(value, list) and isinstance(turn, int) and turn < len(value):
            value = value[turn]
        elif isinstance(value, dict) and isinstance(turn, str) and (known := _key(value, turn)) is not None:
            value, turn = value[known], known
        else:
            break
        found.append(turn)
    return tuple(found)


def _key(value: dict[str, Any], turn: str) -> str | None:
    """The key as the body spells it; Google's errors say `function_call` of a `functionCall`."""
    bare = turn.replace("_", "").lower()
    return next((key for key in value if key.replace("_", "").lower() == bare), None)


def _changes(body: Any, place: Path) -> Iterator[tuple[str, Path, Any]]:
    """Single changes with their places, the nearest first: taken away, or given what such a place mostly has."""
    for length in range(len(place), 0, -1):
        here = place[:length]
        if here[-1] != "role":  # who speaks is to be said otherwise, not left out
            yield f"remove {spelled(here)}", here, _without(body, here)
        for value in VALUES if length == len(place) else ():
            if value != _at(body, here) and not isinstance(here[-1], int):
                yield f"set {spelled(here)} to {json.dumps(value)}", here, _with(body, here, value)
        if isinstance(here[-1], int) and here[0] in ("messages", "contents"):
            yield f"put a user message before {spelled(here)}", here, _with_user_before(body, here)
        parent = _at(body, here[:-1])
        if isinstance(parent, list) and isinstance(here[-1], int) and here[-1] > 0:
            before = (*here[:-1], here[-1] - 1)
            yield f"remove {spelled(before)}", before, _without(body, before)


def spelled(place: Path) -> str:
    """`messages[2].role`."""
    text = "".join(f"[{turn}]" if isinstance(turn, int) else f".{turn}" for turn in place)
    return text.removeprefix(".")


def _at(body: Any, place: Path) -> Any:
    for turn in place:
        body = body[turn]
    return body


def _without(body: Any, place: Path) -> Any:
    changed = copy.deepcopy(body)
    del _at(changed, place[:-1])[place[-1]]
    return changed


def _with(body: Any, place: Path, value: Any) -> Any:
    changed = copy.deepcopy(body)
    _at(changed, place[:-1])[place[-1]] = value
    return changed


def _with_user_before(body: Any, place: Path) -> Any:
    changed = copy.deepcopy(body)
    said = {"parts": [{"text": "..."}]} if place[0] == "contents" else {"content": "..."}
    _at(changed, place[:-1]).insert(place[-1], {"role": "user", **said})
    return changed
