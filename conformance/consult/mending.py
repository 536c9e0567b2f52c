"""The smallest change that makes a refused body acceptable: tried on the judge, not guessed. Knows JSON and no wire."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from fakes import Violation, judge
from fakes.registry import provider_wires

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
MOST_TRIES = 400

VALUES: tuple[Any, ...] = ("user", "assistant", "auto", "{}", {}, "x", [])
"""What stands at most members of a request; an entry of a list is no place for them."""

Path = tuple[str | int, ...]


def smallest_change(provider: str, path: str, text: bytes, violation: Violation) -> str:
    """One change in words after which this provider accepts the body; else what the rule demands."""
    try:
        body = json.loads(text)
    except ValueError:
        return "write it as JSON"
    for tries, (words, changed) in enumerate(_changes(body, place_of(body, violation.at))):
        if tries > MOST_TRIES:
            break
        if judge(provider, path, json.dumps(changed).encode(), {"content-type": "application/json"}) is None:
            return words
    rules = [rule for wire in provider_wires(provider) for rule in wire.rules]
    return next((f"no single change was found; {rule.why}" for rule in rules if rule.id == violation.rule), "")


def place_of(body: Any, at: str) -> Path:
    """The longest part of a place, as a provider spells it (`messages.[2].role`, `messages.0.content`), that exists."""
    found: list[str | int] = []
    value = body
    for name, index in _STEP.findall(at):
        step: str | int = int(index or name) if (index or name.isdigit()) else name
        if isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        elif isinstance(value, dict) and isinstance(step, str) and (known := _key(value, step)) is not None:
            value, step = value[known], known
        else:
            break
        found.append(step)
    return tuple(found)


def _key(value: dict[str, Any], step: str) -> str | None:
    """The key as the body spells it; Google's errors say `function_call` of a `functionCall`."""
    bare = step.replace("_", "").lower()
    return next((key for key in value if key.replace("_", "").lower() == bare), None)


def _changes(body: Any, place: Path) -> Iterator[tuple[str, Any]]:
    """Single changes, the nearest to the place first: taken away, or given the value that such a place mostly has."""
    for length in range(len(place), 0, -1):
        here = place[:length]
        if here[-1] != "role":  # who speaks is to be said otherwise, not left out
            yield f"remove {spelled(here)}", _without(body, here)
        for value in VALUES if length == len(place) else ():
            if value != _at(body, here) and not isinstance(here[-1], int):
                yield f"set {spelled(here)} to {json.dumps(value)}", _with(body, here, value)
        if isinstance(here[-1], int) and here[0] in ("messages", "contents"):
            yield f"put a user message before {spelled(here)}", _with_user_before(body, here)
        parent = _at(body, here[:-1])
        if isinstance(parent, list) and isinstance(here[-1], int) and here[-1] > 0:
            yield f"remove {spelled((*here[:-1], here[-1] - 1))}", _without(body, (*here[:-1], here[-1] - 1))


def spelled(place: Path) -> str:
    """`messages[2].role`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".")


def _at(body: Any, place: Path) -> Any:
    for step in place:
        body = body[step]
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
