"""Whether a request has a tool's result: the one comparison that laws and expectations use. Knows views, and no law.

A result is its content, whatever it is wrapped in. One character more or less in the content is another result.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.judge.result_readings import Readings, readings, stands_free
from fake_providers import View, ViewMessage
from fake_providers.values.json_texts import read_json

SHORT = 4
"""A text with fewer characters is found by chance in a longer one: only a whole text, line or labelled value counts."""


def after_last_calls(view: View) -> tuple[ViewMessage, ...]:
    """The messages after the last one with calls; all where there is none."""
    last = max((i for i, message in enumerate(view.messages) if message.calls), default=-1)
    return view.messages[last + 1 :]


def last_results(view: View) -> list[str]:
    """The texts of the results after the last message with calls, in the order of the calls whose ids they have."""
    messages = after_last_calls(view)
    results = [result for message in messages for result in message.results]
    called = view.messages[-len(messages) - 1].calls if len(messages) < len(view.messages) else ()
    ids = [call.id for call in called]
    if len(set(ids)) == len(ids) and all(result.id in ids for result in results):
        results.sort(key=lambda result: ids.index(result.id))
    return [result.text for result in results]


def has_result(text: str, expected: Any) -> bool:
    """Whether this result has the content `expected`: a text, or any other JSON value."""
    found = readings(text)
    if not isinstance(expected, str):
        return _has_value(found, expected)
    if any(_is_same_text(whole, expected) for whole in found.wholes):
        return True
    if any(_says(reading, expected) for reading in found.texts):
        return True
    value = _container(expected)
    return value is not None and _has_value(found, value)


def has_exactly(text: str, expected: str) -> bool:
    """Whether a text of this result is `expected` to the last byte."""
    found = readings(text)
    return text == expected or expected in found.texts or expected in found.wholes


def result_contains(text: str, part: str) -> bool:
    """Whether this text is in the result, as it stands or in what it wraps."""
    return part in text or any(part in reading for reading in readings(text).texts)


def request_contains(view: View, part: str) -> bool:
    """Whether a request has this text, as it stands or in what one of its results wraps."""
    if part in view.texts:
        return True
    return any(result_contains(result.text, part) for message in view.messages for result in message.results)


def _is_same_text(text: str, expected: str) -> bool:
    return text.strip() == _trimmed(expected)


def _trimmed(expected: str) -> str:
    """White space around a result, and the spelling of line ends, are for advice."""
    return expected.replace("\r\n", "\n").strip()


def _says(text: str, expected: str) -> bool:
    wanted = _trimmed(expected)
    if len(wanted) < SHORT:
        return _is_whole(text, wanted)
    return any(stands_free(text, start, start + len(wanted)) for start in _places(text, wanted))


def _is_whole(text: str, wanted: str) -> bool:
    """The whole text, one of its lines, or what follows a label (`Result: 42`)."""
    if not wanted or text.strip() == wanted:
        return text.strip() == wanted
    whole = re.compile(rf"(?:.*[\w\"')\]}}*`]\s*(?:[:=|]|->|=>)\s+)?`?{re.escape(wanted)}`?")
    return any(whole.fullmatch(line.strip()) for line in text.strip().split("\n"))


def _places(text: str, wanted: str) -> Iterator[int]:
    start = text.find(wanted)
    while start >= 0:
        yield start
        start = text.find(wanted, start + 1)


def _has_value(found: Readings, expected: Any) -> bool:
    if any(_same(value, expected) for value in found.values):
        return True
    if isinstance(expected, list) and any(_are_items(items, expected) for items in _lists(found)):
        return True
    if not isinstance(expected, dict | list):
        return any(_is_whole(text, spelling) for text in found.texts for spelling in _spellings(expected))
    return any(_words(text, expected) for text in found.texts)


def _same(value: Any, expected: Any) -> bool:
    """Equal as JSON; an object may have more members, as a status beside the result."""
    if isinstance(expected, bool) or isinstance(value, bool):
        return value is expected
    if isinstance(expected, dict):
        return isinstance(value, Mapping) and all(
            key in value and _same(value[key], inner) for key, inner in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(value, list)
            and len(value) == len(expected)
            and all(_same(one, other) for one, other in zip(value, expected, strict=True))
        )
    if isinstance(expected, str) and isinstance(value, str):
        return value.strip() == expected.strip()
    return (type(value) is type(expected) and bool(value == expected)) or _same_number(value, expected)


def _same_number(value: Any, expected: Any) -> bool:
    return isinstance(value, int | float) and isinstance(expected, int | float) and value == expected


def _lists(found: Readings) -> Iterator[list[Any]]:
    """The lists of a result; the lines of a text are one, since tools send a block for each item."""
    yield from (value for value in found.values if isinstance(value, list))
    yield from (text.strip().split("\n") for text in found.texts)


def _are_items(items: list[Any], expected: list[Any]) -> bool:
    return len(items) == len(expected) and all(
        has_result(item if isinstance(item, str) else json.dumps(item), wanted)
        for item, wanted in zip(items, expected, strict=True)
    )


def _words(text: str, expected: Any) -> bool:
    """Whether prose, YAML or markup names every key and every value. What looks like JSON is read as JSON alone."""
    if "{" in text or "[" in text:
        return False
    return all(_is_named(text, word) for word in _names_and_values(expected))


def _is_named(text: str, word: str) -> bool:
    pattern = rf"(?:^|[\s\"'`(<>:=|,-]){re.escape(word)}(?=$|[\s\"'`)<>:|,;])"
    return re.search(pattern, text) is not None


def _names_and_values(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from _names_and_values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_and_values(inner)
    else:
        yield value.strip() if isinstance(value, str) else _spellings(value)[0]


def _spellings(value: Any) -> tuple[str, ...]:
    """A number, a truth value or nothing, as JSON and as Python write it. Nothing may also be a blank text."""
    return (json.dumps(value), str(value), *([""] if value is None else []))


def _container(text: str) -> Any:
    """The object or list that a text is, where a tool returns JSON as text; None for any other text."""
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict | list) else None
