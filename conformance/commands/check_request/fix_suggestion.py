"""The smallest change after which a refused body is accepted. Each is tried on the fake. Knows JSON and no wire."""

import copy
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fakes import Violation, judge
from fakes.registry import provider_wires

_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
MOST_TRIES = 400
MOST_CHANGES = 5

Refusal = tuple[str, str, int]

VALUES: tuple[Any, ...] = ("user", "assistant", "auto", "{}", {}, "x", [])
"""Values that most members of a request can have. They are not tried for entries of a list."""

Path = tuple[str | int, ...]


def smallest_change(provider: str, path: str, text: bytes, violation: Violation) -> str:
    """The change after which this provider accepts the body, or several if it has several faults, as a sentence.

    Without such a change: what the rule demands.
    """
    try:
        body = json.loads(text)
    except ValueError:
        return "write it as JSON"
    changes: list[str] = []
    left: Violation | None = violation
    known = {_refusal(violation, body)}
    while left is not None and len(changes) < MOST_CHANGES:
        best = _best_change(provider, path, body, left, known)
        if best is None:
            break
        change, body, left = best
        changes.append(change)
        known |= {_refusal(left, body)} if left else set()
    if left is None:
        return "; then ".join(changes)
    rules = [rule for wire in provider_wires(provider) for rule in wire.rules]
    return next((f"no change was found. {rule.why}" for rule in rules if rule.id == violation.rule), "")


def _best_change(
    provider: str, path: str, body: Any, violation: Violation, known: set[Refusal]
) -> tuple[str, Any, Violation | None] | None:
    """The first change after which the body is accepted; else the first after which it is refused for another fault.

    A fault that the change itself has caused does not count, nor one of the `known` refusals.
    """
    other = None
    for change, place, changed in islice(_changes(body, place_of(body, violation.at)), MOST_TRIES):
        left = judge(provider, path, json.dumps(changed).encode(), {"content-type": "application/json"})
        if left is None:
            return change, changed, None
        elsewhere = place_of(changed, left.at)
        if other is None and place[: len(elsewhere)] != elsewhere and _refusal(left, changed) not in known:
            other = change, changed, left
    return other


def _refusal(violation: Violation, body: Any) -> Refusal:
    """Which rule, where, in a body of which size: the same refusal again is no progress."""
    return violation.rule, violation.at, len(json.dumps(body))


def place_of(body: Any, at: str) -> Path:
    """The longest part of a place, as a provider spells it (`messages.[2].role`, `messages.0.content`), that exists."""
    place: list[str | int] = []
    value = body
    for name, index in _PART.findall(at):
        part: str | int = int(index or name) if (index or name.isdigit()) else name
        if isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) and isinstance(part, str) and (key := _key(value, part)) is not None:
            value, part = value[key], key
        else:
            break
        place.append(part)
    return tuple(place)


def _key(value: dict[str, Any], part: str) -> str | None:
    """The key as the body spells it; Google's errors say `function_call` of a `functionCall`."""
    bare = part.replace("_", "").lower()
    return next((key for key in value if key.replace("_", "").lower() == bare), None)


def _changes(body: Any, place: Path) -> Iterator[tuple[str, Path, Any]]:
    """Single changes with their places, the nearest first: a member is removed, or set to a common value."""
    for length in range(len(place), 0, -1):
        here = place[:length]
        if here[-1] != "role":  # another role can help, a missing one cannot
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
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def _at(body: Any, place: Path) -> Any:
    for part in place:
        body = body[part]
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
    text = {"parts": [{"text": "..."}]} if place[0] == "contents" else {"content": "..."}
    _at(changed, place[:-1]).insert(place[-1], {"role": "user", **text})
    return changed
