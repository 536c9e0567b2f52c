"""YAML read strictly, with the line of every key and item.

Events are read, not nodes: libyaml's own composer recurses in C, and a file of brackets would end the process.
"""

import errno
import re
import stat
from collections.abc import Iterator, Mapping
from math import isinf
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from agent_conformance.scenario.yaml_files import Mistake

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml: slower, the same events
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

KeyPath = tuple[str | int, ...]

MAX_BYTES = 256 * 1024
MAX_DEPTH = 60
MAX_ALIASED = 1000
"""A small file could write out millions of values with aliases of aliases."""
MAX_DIGITS = 300
"""The largest double has 309."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


class Document(Struct, frozen=True):
    """What a file says, and the line of each path. `value` is None, with a mistake, where nothing could be read."""

    value: Any
    lines: Mapping[KeyPath, int]
    mistakes: tuple[Mistake, ...] = ()


class _UnreadableError(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.mistake = Mistake(line, message)


def read(data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    """The document in `data`; what is wrong with it is in `mistakes`, never raised."""
    builder = _Builder()
    try:
        text = _text(data, max_bytes)
        builder.events = list(_events(text))
        value = builder.document()
    except _UnreadableError as unreadable:
        return Document(None, {}, (unreadable.mistake,))
    return Document(value, builder.lines, tuple(builder.mistakes))


def _text(data: bytes, max_bytes: int) -> str:
    if len(data) > max_bytes:
        raise _UnreadableError(
            1,
            f"the file has {len(data):,} bytes; at most {max_bytes:,} are read. "
            "Write long texts as `{repeat: x, times: 2000}`.",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        found = f"byte 0x{data[error.start]:02x}"
        raise _UnreadableError(line, f"{found} is not UTF-8. Save the file as UTF-8.") from None


def _events(text: str) -> Iterator[yaml.Event]:
    """Lazily: libyaml takes seconds over a file of brackets, which ends here at the first that is too deep."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=_Loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise _too_deep(event)
            yield event
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        found = f"character U+{ord(error.character) if isinstance(error.character, str) else error.character:04X}"
        message = f'{found} cannot stand in YAML. Write it as an escape in double quotes, such as "\\x07".'
        raise _UnreadableError(line, message) from None
    except yaml.MarkedYAMLError as error:
        written_lines = text.rstrip("\n").split("\n")
        marks = [mark for mark in (error.problem_mark, error.context_mark) if mark and mark.line < len(written_lines)]
        line = marks[0].line + 1 if marks else 1
        written = written_lines[line - 1]
        problem = error.problem or "it ends too early"
        if re.search(r"[{\[].*\?", written):
            hint = "A `?` in a flow mapping (`{...}`) does not parse: write it in block style, or quote the text."
        elif "mapping values are not allowed" in problem:
            hint = "A text that contains `: ` needs quotes."
        elif "cannot start any token" in problem and re.match(r" *\t", written):
            hint = "YAML is not indented with tabs. Use blanks."
        elif "cannot start any token" in problem:
            hint = "A text that begins with a tab, `@`, `%` or a backquote needs quotes."
        elif "undefined alias" in problem:
            hint = "A text that begins with `*` needs quotes."
        else:
            hint = "Check the indentation and the quotes here and on the line above."
        raise _UnreadableError(line, f"this is not YAML: {problem}. {hint}") from None


def _too_deep(event: Any) -> _UnreadableError:
    return _UnreadableError(_line(event), f"this is nested more than {MAX_DEPTH} deep.")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class _Builder:
    """Builds the value from `events`, notes lines and collects mistakes that leave the rest readable."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.lines: dict[KeyPath, int] = {}
        self.mistakes: list[Mistake] = []
        self._at = 0
        self._anchors: dict[str, int | None] = {}
        self._aliases = 0
        self._aliased = 0

    def document(self) -> Any:
        starts = [event for event in self.events if isinstance(event, yaml.DocumentStartEvent)]
        if not starts:
            raise _UnreadableError(
                1, "the file says nothing. A scenario needs at least a description and a conversation."
            )
        if len(starts) > 1:
            line = _line(starts[1])
            raise _UnreadableError(line, "a second document begins here. One file holds one scenario.")
        if starts[0].version or starts[0].tags:
            raise _UnreadableError(1, "a `%` directive stands here. Leave it out: scenarios are read without any.")
        self._at = next(i for i, event in enumerate(self.events) if event is starts[0]) + 1
        return self._value((), 1)

    def _next(self) -> Any:
        event = self.events[self._at]
        self._at += 1
        return event

    def _value(self, path: KeyPath, depth: int) -> Any:
        event = self._next()
        line = _line(event)
        self.lines.setdefault(path, line)
        if depth > MAX_DEPTH:
            raise _too_deep(event)
        if self._aliases:
            self._aliased += 1
            if self._aliased > MAX_ALIASED:
                raise _UnreadableError(
                    line, f"aliases (`*name`) write out more than {MAX_ALIASED} values. Write them plainly."
                )
        if isinstance(event, yaml.AliasEvent):
            name = event.anchor
            start = self._anchors.get(name or "")
            if start is None:
                why = "stands inside the value it names" if name in self._anchors else "names nothing above it"
                raise _UnreadableError(line, f"the alias `*{name}` {why}. A text that begins with `*` needs quotes.")
            resume, self._at = self._at, start
            self._aliases += 1
            value = self._value(path, depth)
            self._aliases -= 1
            self._at = resume
            return value
        if event.tag is not None:
            self.mistakes.append(Mistake(line, f"the tag `{event.tag}` stands here. Leave it out: quotes make a text."))
        start = self._at - 1
        if event.anchor:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, line)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._items(path, depth)
        else:
            value = self._mapping(path, depth)
        if event.anchor:
            self._anchors[event.anchor] = start
        return value

    def _items(self, path: KeyPath, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(self.events[self._at], yaml.SequenceEndEvent):
            items.append(self._value((*path, len(items)), depth + 1))
        self._at += 1
        return items

    def _mapping(self, path: KeyPath, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not isinstance(self.events[self._at], yaml.MappingEndEvent):
            key, line = self._key()
            if key in found:
                message = f"`{key}` is given twice. Keep one; the other would be lost."
                self.mistakes.append(Mistake(line, message))
                self._value((*path, key, "a second time"), depth + 1)
                continue
            self.lines[(*path, key)] = line
            found[key] = self._value((*path, key), depth + 1)
        self._at += 1
        return found

    def _key(self) -> tuple[str, int]:
        event = self._next()
        line = _line(event)
        if not isinstance(event, yaml.ScalarEvent):
            hint = " A text with braces needs quotes." if isinstance(event, yaml.MappingStartEvent) else ""
            raise _UnreadableError(line, f"a key is {_kind(event)}; expected a word.{hint}")
        if event.value == "<<" and not event.style:
            raise _UnreadableError(line, "`<<` merges nothing here. Write the fields out, or quote the key.")
        if event.tag is not None:
            self.mistakes.append(Mistake(line, f"the tag `{event.tag}` stands before a key. Leave it out."))
        if event.anchor:
            raise _UnreadableError(line, f"the anchor `&{event.anchor}` stands before a key. Put it before a value.")
        return event.value, line

    def _scalar(self, event: Any, line: int) -> Any:
        text = event.value
        if event.style:  # quoted, or a block
            return text
        if text in _WORDS:
            return _WORDS[text]
        if not text:
            self.mistakes.append(
                Mistake(line, 'a value is missing here. Write one, `null`, or `""` for an empty text.')
            )
            return text
        number = _NUMBER.fullmatch(text)
        if not number:
            return text
        value = float(text) if number[1] or number[2] else int(text[:MAX_DIGITS])
        if len(text) > MAX_DIGITS or isinf(value):
            self.mistakes.append(Mistake(line, "this number is too large to be read. Quote it to make it a text."))
        return value


def _kind(event: Any) -> str:
    if isinstance(event, yaml.MappingStartEvent):
        return "a mapping"
    return "a list" if isinstance(event, yaml.SequenceStartEvent) else "an alias"


LARGEST = 64 * 1024 * 1024
"""Bytes of a file that is read at all."""


def read_data(path: Path) -> bytes:
    """Raises `OSError`, also for a pipe, whose writer may never come, and for a device, which may never end."""
    found = path.stat()
    if stat.S_ISREG(found.st_mode) and found.st_size > LARGEST:
        raise OSError(errno.EFBIG, f"it has {found.st_size:,} bytes", str(path))
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device", str(path))
    with path.open("rb") as file:
        return file.read(LARGEST)
