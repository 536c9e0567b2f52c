"""Ways to make a document smaller, from the largest to the smallest. Each gives a new document."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agent_conformance.minimise import Document
from agent_conformance.scenario.base_model import REMARK, SAYS_NOTHING
from agent_conformance.scenario.model import fields_of
from agent_conformance.scenario.yaml_files.repetitions import is_repetition, written_out

KeyPath = tuple[str | int, ...]
Edit = Callable[[Document], Document]

KEPT = frozenset({"format", "profile", "level", "providers", "conversation"})
"""What a scenario is none without, or another one. On other `providers` its case would be another one."""
NAMES = frozenset({"name", "id", "wires", "modes", "providers", "model", "profile"})
"""Texts below these keys are names, and not made shorter."""
SHORT = 12
"""Characters of a text that is not worth a run."""


def size(document: Document) -> int:
    """Characters; where something is repeated, those of each copy too."""
    whole = written_out(document)
    return sum(
        len(json.dumps(one, ensure_ascii=False)) for one in ([document] if whole is document else [document, whole])
    )


def edits_of(document: Document) -> Iterator[Edit]:
    """In the order in which they are tried; the same for equal documents."""
    yield from (partial(_without_tool, name=name) for name in _tool_names(document))
    yield from (partial(_without_call, id=id) for id in _call_ids(document))
    # Each repetition half as long, one shorter, and written out where it has one copy.
    for path, items in _lists(document, ()):
        for index, item in enumerate(items):
            if not is_repetition(item) or not isinstance(item.get("times"), int):
                continue
            for times in dict.fromkeys((item["times"] // 2, item["times"] - 1)):
                if times > 0:
                    yield partial(_with_times, path=path, index=index, times=times)
            if item["times"] == 1:
                yield partial(_once, path=path, index=index)
    for path, items in _lists({key: value for key, value in document.items() if key != "providers"}, ()):
        for length in _lengths(len(items)):
            for start in range(0, len(items), length):
                yield partial(_without_items, path=path, start=start, stop=start + length)
    yield from (partial(_without_key, path=path) for path in _keys(document, ()))
    # Long texts, each once, the longest first
    found = {text for text in _all_texts(document) if len(text) > SHORT}
    for text in sorted(found, key=lambda text: (-len(text), text)):
        yield from (partial(_with_text, text=text, shorter=shorter) for shorter in _shorter(text))


def _tool_names(document: Document) -> list[str]:
    tools = document.get("tools")
    return [str(tool["name"]) for tool in tools if "name" in tool] if isinstance(tools, list) else []


def _call_ids(document: Document) -> list[str]:
    """The ids of the calls in the history, each once."""
    history = document.get("history") or []
    return list(dict.fromkeys(id for message in history for id in _ids_in(message)))


def _ids_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"]
        for inner in value.values():
            yield from _ids_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _ids_in(inner)


def _without_tool(document: Document, *, name: str) -> Document:
    """Without the tool, and without every part that names it."""
    new: Document = _pruned(
        document, lambda part: part == name or (isinstance(part, dict) and part.get("name") == name), name
    )
    return new


def _without_call(document: Document, *, id: str) -> Document:
    """Without the call of the history, and without its result."""
    new: Document = _pruned(document, lambda part: isinstance(part, dict) and part.get("id") == id, None)
    return new


def _pruned(value: Any, goes: Callable[[Any], bool], key: str | None) -> Any:
    """Without the items of lists and the members of mappings that go, and what is empty for it."""
    if isinstance(value, list):
        kept = [(inner, _pruned(inner, goes, key)) for inner in value if not goes(inner)]
        return [new for old, new in kept if new not in ({}, []) or old in ({}, [])]
    if isinstance(value, dict):
        new = {name: _pruned(inner, goes, key) for name, inner in value.items() if name != key and not goes(inner)}
        return {name: inner for name, inner in new.items() if inner not in ({}, []) or value[name] in ({}, [])}
    return value


def _lists(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, list[Any]]]:
    """Outer ones first."""
    if isinstance(value, list):
        if value:
            yield path, value
        for index, inner in enumerate(value):
            yield from _lists(inner, (*path, index))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _lists(inner, (*path, key))


def _with_times(document: Document, *, path: KeyPath, index: int, times: int) -> Document:
    new: Document = _changed(document, (*path, index, "times"), lambda _: times)
    return new


def _once(document: Document, *, path: KeyPath, index: int) -> Document:
    new: Document = _changed(
        document, path, lambda items: [*items[:index], *written_out([items[index]]), *items[index + 1 :]]
    )
    return new


def _lengths(count: int) -> Iterator[int]:
    """How much is left out at once: all, half, a quarter, ..., one."""
    length = count
    while length:
        yield length
        length = length // 2 if length > 1 else 0


def _keys(value: Any, path: KeyPath) -> Iterator[KeyPath]:
    if isinstance(value, dict):
        for key in value:
            if path or key not in (*KEPT, *fields_of(REMARK)):
                yield (*path, key)
        for key, inner in value.items():
            yield from _keys(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _keys(inner, (*path, index))


def _is_name(key: str) -> bool:
    return key in NAMES or key in fields_of(*SAYS_NOTHING)


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _all_texts(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not _is_name(key):
                yield from _all_texts(inner)


def _shorter(text: str) -> Iterator[str]:
    """The first word of the text, then its first half, in whole words where it has several."""
    words = text.split(" ")
    if len(words) > 1:
        yield words[0]
        yield " ".join(words[: (len(words) + 1) // 2])
    else:
        yield text[: len(text) // 2]


def _with_text(document: Document, *, text: str, shorter: str) -> Document:
    """A shorter text wherever the text stands, also within others: what is expected changes with what is sent."""
    new: Document = _replaced(document, text, shorter)
    return new


def _replaced(value: Any, text: str, shorter: str) -> Any:
    if isinstance(value, str):
        return value.replace(text, shorter)
    if isinstance(value, list):
        return [_replaced(inner, text, shorter) for inner in value]
    if isinstance(value, dict):
        return {key: inner if _is_name(key) else _replaced(inner, text, shorter) for key, inner in value.items()}
    return value


def _without_items(document: Document, *, path: KeyPath, start: int, stop: int) -> Document:
    new: Document = _changed(document, path, lambda items: [*items[:start], *items[stop:]])
    return new


def _without_key(document: Document, *, path: KeyPath) -> Document:
    *above, last = path
    new: Document = _changed(document, tuple(above), lambda part: {key: part[key] for key in part if key != last})
    return new


def _changed(value: Any, path: KeyPath, change: Callable[[Any], Any]) -> Any:
    """A copy with another part at this path."""
    if not path:
        return change(value)
    first, *rest = path
    inner = _changed(value[first], tuple(rest), change)
    if isinstance(value, list):
        return [inner if index == first else item for index, item in enumerate(value)]
    return {key: inner if key == first else item for key, item in value.items()}


@dataclass(slots=True)
class Shrinking:
    """`holds` is called at most `most` times, never twice with equal documents. `is_whole`: nothing more can go."""

    holds: Callable[[Document], bool]
    most: int
    tried: int = 0
    is_whole: bool = False
    _known: dict[str, bool] = field(default_factory=dict)

    def smallest(self, document: Document) -> Document:
        """Passes over all edits until one changes nothing; the same result each time."""
        while True:
            before = document
            document = self._passed(document)
            if document is before:
                self.is_whole = self.tried < self.most
                return document
            if self.tried >= self.most:
                return document

    def _passed(self, document: Document) -> Document:
        edits, place = list(edits_of(document)), 0
        while place < len(edits) and self.tried < self.most:
            smaller = edits[place](document)
            if size(smaller) < size(document) and self._holds(smaller):
                document = smaller
                edits = list(edits_of(document))
            else:
                place += 1
        return document

    def _holds(self, document: Document) -> bool:
        key = json.dumps(document)
        if key not in self._known:
            if self.tried >= self.most:
                return False
            self.tried += 1
            self._known[key] = self.holds(document)
        return self._known[key]
