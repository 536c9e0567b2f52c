"""A rule's two requests, and the one change between them. Knows JSON, and no wire."""

import json
from collections.abc import Iterator
from typing import Any

from agent_conformance.explain.explanation import Example
from fake_providers import Request, Rule, Violation, Wire

SHORT = 200


def example_of(rule: Rule) -> Example | None:
    """None where no body shows the rule: for a missing key, or a window."""
    if rule.breaking is None and rule.accepted is None:
        return None
    change = next(_changes(rule.breaking, rule.accepted, ""), "")
    return Example(_shown(rule.breaking), _shown(rule.accepted), change)


def refusal_of(wire: Wire, provider: str, rule: Rule) -> Violation | None:
    """What the fake answers to the request that breaks the rule."""
    if rule.breaking is None and rule.accepted is None:
        return None
    content = rule.breaking if isinstance(rule.breaking, bytes) else json.dumps(rule.breaking).encode()
    headers = {"content-type": "application/json", **(rule.headers or {})}
    return wire.judge(Request("POST", rule.path or "/", headers, content), provider=provider)


def _changes(one: Any, other: Any, at: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            yield from _member_changes(one, other, key, f"{at}.{key}".removeprefix("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) != len(other):
        yield from _item_changes(one, other, at)
    elif isinstance(one, list) and isinstance(other, list):
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            yield from _changes(a, b, f"{at}[{place}]")
    elif repr(one) != repr(other):  # true is not 1
        yield f"write {_short(other)} in place of {_short(one)}" + (f" at `{at}`" if at else "")


def _member_changes(one: dict[str, Any], other: dict[str, Any], key: str, at: str) -> Iterator[str]:
    if key not in other:
        yield f"leave out `{at}`"
    elif key not in one:
        yield f"add `{at}`: {_short(other[key])}"
    else:
        yield from _changes(one[key], other[key], at)


def _item_changes(one: list[Any], other: list[Any], at: str) -> Iterator[str]:
    shorter, longer = sorted((one, other), key=len)
    place = next((i for i, item in enumerate(shorter) if repr(item) != repr(longer[i])), len(shorter))
    if longer is one:
        yield f"leave out `{at}[{place}]`"
    else:
        yield f"add `{at}[{place}]`: {_short(longer[place])}"


def _shown(body: Any) -> str:
    return body.decode(errors="replace") if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False)


def _short(value: Any) -> str:
    text = _shown(value)
    return text if len(text) <= SHORT else f"{text[:SHORT]} ..."
