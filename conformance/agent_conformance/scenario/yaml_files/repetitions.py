"""Repetitions in a list, `{repeat: [...], times: 30}`, written out before anything else sees the document.

Each copy has its number in place of `<n>`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from agent_conformance.scenario.yaml_files import Mistake, described, did_you_mean
from agent_conformance.scenario.yaml_files.reading import Document, KeyPath

COUNTER = "n"
"""What counts where a repetition names no `counter`."""
MOST_TIMES = 1_000
MOST_VALUES = 50_000
"""So many values may stand in the copies of one file, in all rows of its examples."""
MOST_CHARACTERS = 2_000_000
MOST_DEEP = 2

PLACEHOLDER = re.compile(r"<([a-z]+)>")
_NAME = re.compile(r"[a-z]+")
_FIELDS = {"repeat", "times", "counter"}


def is_repetition(item: Any) -> bool:
    """Whether this item of a list stands for several: `repeat` has a list. With a text it is one long text.

    With other fields it is data, unless `times`, or a field of nearly that name, says that a repetition is meant.
    """
    if not isinstance(item, dict) or not isinstance(item.get("repeat"), list):
        return False
    return item.keys() <= _FIELDS or "times" in item or any(did_you_mean(key, _FIELDS) for key in item.keys() - _FIELDS)


def write_out_repetitions(document: Document) -> Document:
    """The document without repetitions; the lines of the copies are those of what is repeated."""
    if not _has_repetition(document.value):
        return document
    table = document.value.get("examples") if isinstance(document.value, dict) else None
    writing = _Writing(document.lines, rows=max(1, len(table)) if isinstance(table, dict) else 1)
    value = writing.value(document.value, (), (), {})
    return replace(
        document, value=value, lines=writing.lines, mistakes=(*document.mistakes, *dict.fromkeys(writing.mistakes))
    )


def written_out(value: Any) -> Any:
    """A value of a document without repetitions, as far as they can be written out."""
    return write_out_repetitions(Document(value, {})).value


def _has_repetition(value: Any) -> bool:
    if isinstance(value, list):
        return any(is_repetition(inner) or _has_repetition(inner) for inner in value)
    return isinstance(value, dict) and any(map(_has_repetition, value.values()))


class _Writing:
    """One file: `lines` has each path of the source, and each of the copies."""

    def __init__(self, lines: Mapping[KeyPath, int], *, rows: int) -> None:
        self.lines = dict(lines)
        self.mistakes: list[Mistake] = []
        self._source = lines
        self._rows = rows
        self._values = 0
        self._characters = 0
        self._used: set[str] = set()
        self._noted_full = False

    def value(self, value: Any, source: KeyPath, path: KeyPath, counts: Mapping[str, int]) -> Any:
        """The value at `source` of the file as it stands at `path` of what is written out."""
        if source != path and source in self._source:
            self.lines[path] = self._source[source]
        if counts:
            self._values += 1
        if isinstance(value, str):
            return self._text(value, counts)
        if isinstance(value, dict):
            filled = {}
            for key, inner in value.items():
                name = str(self._text(key, counts))
                filled[name] = self.value(inner, (*source, key), (*path, name), counts)
            return filled
        if not isinstance(value, list):
            return value
        items: list[Any] = []
        self._add(items, value, source, path, counts)
        return items

    def _text(self, text: str, counts: Mapping[str, int]) -> Any:
        """A text that is a placeholder and nothing else becomes the number."""
        if not counts:
            return text
        self._characters += len(text)
        whole = PLACEHOLDER.fullmatch(text)
        if whole and whole[1] in counts:
            self._used.add(whole[1])
            return counts[whole[1]]

        def number(found: re.Match[str]) -> str:
            if found[1] not in counts:
                return found[0]
            self._used.add(found[1])
            return str(counts[found[1]])

        return PLACEHOLDER.sub(number, text)

    def _add(
        self, items: list[Any], more: list[Any], source: KeyPath, path: KeyPath, counts: Mapping[str, int]
    ) -> None:
        """Append to the list at `path` what a list of the file stands for."""
        for index, item in enumerate(more):
            if is_repetition(item):
                self._repeat(items, item, (*source, index), path, counts)
            else:
                items.append(self.value(item, (*source, index), (*path, len(items)), counts))

    def _repeat(
        self, items: list[Any], item: dict[str, Any], source: KeyPath, path: KeyPath, counts: Mapping[str, int]
    ) -> None:
        """Append the copies; of a wrong repetition the first alone, so that no other mistake follows from it."""
        line = self._source.get(source, 1)
        name = item.get("counter", COUNTER)
        wrong = list(self._mistakes_in(item, source, name, counts))
        self.mistakes += wrong
        name = name if isinstance(name, str) else COUNTER
        self._used.discard(name)
        for number in (1,) if wrong else range(1, item["times"] + 1):
            self._add(items, item["repeat"], (*source, "repeat"), path, {**counts, name: number})
            if self._is_full(line):
                return
        if name not in self._used and not wrong:
            self.mistakes.append(
                Mistake(
                    line,
                    f"nothing in this repetition has its counter `<{name}>`, so all {item['times']} copies are alike. "
                    f"Write `<{name}>` where they differ; a reply that is the same each time has `times`.",
                )
            )

    def _is_full(self, line: int) -> bool:
        """Whether there are more copies than a file may have, which is noted once."""
        values = self._values * self._rows
        if values <= MOST_VALUES and self._characters <= MOST_CHARACTERS:
            return False
        rows = f", in {self._rows} rows of `examples`" if self._rows > 1 else ""
        found = f"{values:,} values" if values > MOST_VALUES else f"{self._characters:,} characters"
        most = f"at most {MOST_VALUES:,} values and {MOST_CHARACTERS:,} characters are written out"
        if not self._noted_full:
            self.mistakes.append(Mistake(line, f"repetitions make {found} by here{rows}; {most}. Repeat fewer times."))
        self._noted_full = True
        return True

    def _mistakes_in(
        self, item: dict[str, Any], source: KeyPath, name: Any, counts: Mapping[str, int]
    ) -> Iterator[Mistake]:
        line = self._source.get(source, 1)
        times = item.get("times")
        at = self._source.get((*source, "times"), line)
        for key in sorted(item.keys() - _FIELDS):
            near = did_you_mean(key, _FIELDS - item.keys())
            message = f"`{key}` is no field of a repetition.{near} Allowed: `repeat`, `times`, `counter`."
            yield Mistake(self._source.get((*source, key), line), message)
        if "times" not in item and item.keys() <= _FIELDS:
            yield Mistake(line, "this repetition has no end: `repeat` without `times`. Say how often: `times: 30`.")
        elif isinstance(times, str) and times.startswith("$"):
            message = f"`times` is `{times}`, and a row of `examples` cannot say how often a list is repeated."
            yield Mistake(at, f"{message} Write the number here, or another file.")
        elif "times" in item and (
            not isinstance(times, int) or isinstance(times, bool) or not 1 <= times <= MOST_TIMES
        ):
            yield Mistake(at, f"`times` is {described(times)}; expected a whole number from 1 to {MOST_TIMES:,}.")
        if not item["repeat"]:
            yield Mistake(line, "`repeat` is an empty list. Give what is repeated, or leave it out.")
        at = self._source.get((*source, "counter"), line)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            yield Mistake(at, f"`counter` is {described(name)}; expected a word of lower-case letters, such as `k`.")
        elif name in counts:
            message = f"`<{name}>` counts the repetition around this one."
            yield Mistake(at, f"{message} Give this one another name: `counter: {'k' if name != 'k' else 'm'}`.")
        if len(counts) >= MOST_DEEP:
            yield Mistake(line, f"repetitions stand within each other {len(counts) + 1} deep; at most {MOST_DEEP} do.")
