"""What a reader finds in a tool result: every text and every JSON value, through whatever an agent wraps around them.

Knows JSON, Python's spelling of it, and escaped markup. Knows no key of any framework, no wire and no law.
"""

import ast
import html
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fake_providers.values.json_texts import read_json

DEEPEST = 30
"""Levels that are opened: an object, a list in it, a text in that, and the JSON value that the text is, are four."""
MOST_EMBEDDED = 50
"""Places in one text where a JSON value is looked for."""
LONGEST_LITERAL = 100_000
"""Characters of Python's spelling of a value that are parsed."""

_PAIRS = {"'": "'", '"': '"', "`": "`", "*": "*", "_": "_", "(": ")", "[": "]", "{": "}", "<": ">"}
_PAIRS |= {"\N{LEFT DOUBLE QUOTATION MARK}": "\N{RIGHT DOUBLE QUOTATION MARK}"}
_PAIRS |= {"\N{LEFT SINGLE QUOTATION MARK}": "\N{RIGHT SINGLE QUOTATION MARK}"}
_PAIRS |= {"\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}"}
_LABEL = re.compile(r"[\w\"')\]}](?:[:=|]|->|=>)$")
_REMARK = re.compile(r"\s+(?:\(.*\)|\[.*\]|<.*>|\{.*\})\s*")
_BETWEEN_TAGS = re.compile(r"<[^<>/!][^<>]*>([^<]+)(?=</)")
_NO_VALUE = object()


@dataclass(slots=True)
class Readings:
    """The texts and JSON values of a result at every level, outermost first.

    `wholes` are texts that are an object, a list or a quoted text as they stand: parts of these are no texts.
    """

    texts: list[str] = field(default_factory=list)
    wholes: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


def readings(text: str) -> Readings:
    """Everything that can be read in a result."""
    found = Readings()
    _add_text(found, _plain(text), DEEPEST)
    return found


def stands_free(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is whole there: not a piece of something longer.

    It is enclosed in quotes, brackets or tags; or it ends a line, with nothing in front of it in the line, or with
    prose and a blank, or with a label. A remark in brackets may follow it.
    """
    before, after = text[:start], text[end:]
    if _is_enclosed(before, after):
        return True
    if before.endswith(text[start:end]):  # it is there twice, end to end
        return False
    left, right = before.rpartition("\n")[2], after.partition("\n")[0]
    begins = not left.strip() or left[-1].isspace() or bool(_LABEL.search(left))
    return begins and (not right.strip() or _REMARK.fullmatch(right) is not None)


def _is_enclosed(before: str, after: str) -> bool:
    """A doubled quote or bracket is none: one of the two was added to what it encloses."""
    opened, closed = before[-1:], after[:1]
    if opened == ">" and after.startswith("</"):
        return before[-2:-1] != ">"
    return bool(opened) and _PAIRS.get(opened) == closed and before[-2:-1] != opened and after[1:2] != closed


def _add_text(found: Readings, text: str, depth: int) -> None:
    value = _parsed(text) if depth else _NO_VALUE
    if isinstance(value, dict | list | str):
        found.wholes.append(text)
        _add_value(found, value, depth - 1)
        return
    found.texts.append(text)
    if value is not _NO_VALUE:
        found.values.append(value)
    elif depth:
        for inner in _embedded(text):
            _add_value(found, inner, depth - 1)
        for section in _sections(text):
            _add_text(found, section, depth - 1)
        if (unescaped := html.unescape(text)) != text:
            _add_text(found, unescaped, depth - 1)


def _add_value(found: Readings, value: Any, depth: int) -> None:
    if isinstance(value, str):
        _add_text(found, _plain(value), depth)
        return
    found.values.append(value)
    if not isinstance(value, dict | list):
        found.texts.append(_spelled(value))
    elif depth:
        for inner in value.values() if isinstance(value, dict) else value:
            _add_value(found, inner, depth - 1)
        if isinstance(value, list):
            _add_joined(found, value, depth - 1)


def _add_joined(found: Readings, blocks: list[Any], depth: int) -> None:
    """A result in several blocks: what the blocks have under the same key, and their texts joined."""
    if len(blocks) < 2:
        return
    columns: list[list[Any]] = [blocks]
    if all(isinstance(block, dict) for block in blocks):
        columns = [[block.get(key) for block in blocks] for key in blocks[0]]
        found.values += columns
    for column in columns:
        if all(isinstance(text, str) for text in column):
            for seam in ("\n", ""):
                _add_text(found, _plain(seam.join(column)), depth)


def _parsed(text: str) -> Any:
    """The value of a text that is JSON, or that Python writes for a list, an object or a text."""
    stripped = text.strip()
    try:
        return read_json(stripped)
    except ValueError:
        return _literal(stripped)


def _literal(text: str) -> Any:
    if text[:1] not in ("{", "[", "(", "'", '"') or len(text) > LONGEST_LITERAL:
        return _NO_VALUE
    try:
        value = ast.literal_eval(text)
        json.dumps(value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return _NO_VALUE
    return list(value) if isinstance(value, tuple) else value


def _sections(text: str) -> Iterator[str]:
    """What stands between two tags, in a CDATA section of XML, or in a cell of a Markdown table."""
    yield from itertools.islice(_cdata(text), MOST_EMBEDDED)
    for match in itertools.islice(_BETWEEN_TAGS.finditer(text), MOST_EMBEDDED):
        yield match[1]
    for line in text.split("\n"):
        before, *cells = line.strip().split("|")
        if cells and not before and not cells.pop() and all(cell.strip() for cell in cells):
            yield from itertools.islice(cells, MOST_EMBEDDED)


def _cdata(text: str) -> Iterator[str]:
    while text:
        text = text.partition("<![CDATA[")[2]
        inside, end, text = text.partition("]]>")
        if end:
            yield inside


def _embedded(text: str) -> Iterator[Any]:
    """Values that stand free in a text, as in `Result: {"content": "hello"}`."""
    end = 0
    for match in itertools.islice(re.finditer(r'[{\["]', text), MOST_EMBEDDED):
        start = match.start()
        if start < end:
            continue
        value, stop = _value_at(text, start)
        if value is not _NO_VALUE and stands_free(text, start, stop):
            end = stop
            yield value


def _value_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins there and the place where it ends; or the rest of the text, as Python writes it."""
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return _literal(text[start:].rstrip()), len(text)


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
