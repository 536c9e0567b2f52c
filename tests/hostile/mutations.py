"""Changes of a file that a stranger, an editor or a broken disk may make, drawn from a seed."""

import contextlib
import json
import random
from typing import Any

import yaml

TOKENS = (
    *("null", "", "-1", "1e999", "0", "true", "[]", "{}", '""', "'", '"', "*", "&a", "*a", "<<: *a", "!!python/none x"),
    *("[" * 200, "{" * 200, "a: " * 50, "9" * 5000, "\x00", "\ud800", "\udcff", "\\ud800", "\u2028", "é" * 50, "|"),
    *("? x", "%YAML 9.9", "---", "...", "#", ": ", "- - - -", "2026-11-23", "0o17", ".inf", ".nan", "1_000", "\t"),
    *("examples:", "history:", "conversation:", "calls:", "expect:", "model:", "${x}", "{row}", "(a+)+$", "<<<<<<<"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1.5, float("inf"), "", " ", "\n", "\x00", "\ud800", "get_weather", "x" * 3000),
    *([], {}, [None], [[]], {"": ""}, {"type": []}, {"x": {"x": {"x": []}}}, ["a", 1], [{}], "2026-11-23", "é"),
)


def mutated(text: str, random: random.Random) -> str:
    """One to three changes, of characters and lines or of values."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(CHANGES)(text, random)
    return text


def _cut(text: str, random: random.Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _token(text: str, random: random.Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(TOKENS) + text[at + random.choice((0, 0, 1, 5, 30)) :]


def _line(text: str, random: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(5):
        case 0:
            lines.insert(one, lines[other])
        case 1:
            del lines[one]
        case 2:
            lines[one], lines[other] = lines[other], lines[one]
        case 3:
            lines[one] = random.choice((" ", "  ", "- ", "\t")) + lines[one]
        case _:
            head, sign, _ = lines[one].partition(":")
            lines[one] = f"{head}{sign} {random.choice(TOKENS)}\n"
    return "".join(lines)


def _value(text: str, random: random.Random) -> str:
    """One value of a document, or one name, is another; of several lines of JSON, in the last one."""
    head, line_break, last = text.rstrip("\n").rpartition("\n")
    for before, document in (("", text), (head + line_break, last)):
        for load, dump in ((json.loads, json.dumps), (yaml.safe_load, yaml.safe_dump)):
            with contextlib.suppress(ValueError, TypeError, RecursionError, AttributeError, yaml.YAMLError):
                return before + dump(_other_value(load(document), random))
    return text


def _other_value(value: Any, random: random.Random) -> Any:
    places = list(_places(value))
    if not places:
        return random.choice(VALUES)
    holder, key = random.choice(places)
    other_holder, other_key = random.choice(places)
    match random.randrange(4):
        case 0:
            holder[key] = random.choice(VALUES)
        case 1:
            holder[key] = json.loads(json.dumps(other_holder[other_key], default=str))
        case 2 if isinstance(holder, dict):
            holder[random.choice((f"{key}x", str(other_key), ""))] = holder.pop(key)
        case _:
            del holder[key]
    return value


def _places(value: Any) -> Any:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


CHANGES = (_cut, _token, _token, _line, _line, _value, _value, _value)
