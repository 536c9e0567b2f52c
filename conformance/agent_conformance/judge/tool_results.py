"""Whether a request has a tool's result: the one comparison that laws and expectations use.

A result is its content, whatever it is wrapped in. One character more or less in the content is another result.
"""

import ast
import html
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from fake_providers import View, ViewMessage
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
"""The end of what may stand before a short result: `temperature:`, `city=`, `answer ->`."""
_REMARK = re.compile(r"\s+(?:\(.*\)|\[.*\]|<.*>|\{.*\})\s*")
"""In brackets of its own behind a result: `7 degrees (cached)`."""
_BETWEEN_TAGS = re.compile(r"<[^<>/!][^<>]*>([^<]+)(?=</)")
_MARKS_BEFORE, _MARKS_BEHIND = re.compile(r"[^\w\s]$"), re.compile(r"[^\w\s]")
_NO_VALUE = object()


class Readings(Struct):
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
            if (unescaped := html.unescape(section)) != section:  # outside of markup an escape is other words
                _add_text(found, unescaped, depth - 1)


def _add_value(found: Readings, value: Any, depth: int) -> None:
    if isinstance(value, str):
        if (plain := _plain(value)) != value:
            found.texts.append(value)
        _add_text(found, plain, depth)
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
    if any((whole.strip() == _trimmed(expected)) for whole in found.wholes):
        return True
    if any(_says(reading, expected) for reading in found.texts):
        return True
    value = _container(expected)
    return value is not None and _has_value(found, value)


def has_exactly(text: str, expected: str) -> bool:
    """Whether a text of this result is `expected` to the last byte, or has it so in a frame.

    A frame tells the model that a result is data: lines before and after it, marks around it, or one before each line.
    """
    found = readings(text)
    if text == expected or expected in found.texts or expected in found.wholes:
        return True
    unquoted = "\n".join(line.removeprefix("> ") for line in text.split("\n"))
    return any(
        _is_framed(reading[:start], reading[start + len(expected) :])
        for reading in (text, unquoted, *found.texts)
        for start in (_places(reading, expected) if expected else ())
    )


def _is_framed(before: str, after: str) -> bool:
    """Whether it has lines or marks to itself, with nothing blank beside them."""
    begins = not before or (before.endswith("\n") and bool(before.strip()))
    ends = not after or (after.startswith("\n") and bool(after.strip()))
    is_marked = bool(_MARKS_BEFORE.search(before)) and bool(_MARKS_BEHIND.match(after))
    return bool(before or after) and ((begins and ends) or is_marked)


def result_contains(text: str, part: str) -> bool:
    """Whether this text is in the result, as it stands or in what it wraps."""
    return part in text or any(part in reading for reading in readings(text).texts)


def request_contains(view: View, part: str) -> bool:
    """Whether a request has this text, as it stands or in what one of its results wraps.

    An answer that was streamed may come back as a part for each piece.
    """
    if part in view.texts:
        return True
    answers = (message.text for message in view.messages if message.role == "assistant")
    if any(part.replace("\n", "") in text.replace("\n", "") for text in answers):
        return True
    return any(result_contains(result.text, part) for message in view.messages for result in message.results)


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
    return any(_words(text, expected) or _has_members(text, expected) for text in found.texts)


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
    return bool(value == expected)


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
    """Whether prose, YAML, a table or markup tells the value. What looks like JSON is read as JSON alone."""
    if "{" in text or "[" in text:
        return False
    if not all(_named(key).search(text) for key in _names(expected)):
        return False
    return _told(text, expected, 0) is not None or _told(text, _columns(expected), 0) is not None


def _told(text: str, value: Any, start: int) -> int | None:
    """Where the words for a value end, which begin there or later; None where they are not.

    Items of a list stand in its order. Members of an object stand beside their names, or all in the order in which the
    text first has the names, as below the head of a table.
    """
    if isinstance(value, list):
        for item in value:
            if (end := _told(text, item, start)) is None:
                return None
            start = end
        return start
    if isinstance(value, Mapping):
        ends = [_labelled(text, name, inner, start) for name, inner in value.items()]
        if None not in ends:
            return max((end for end in ends if end is not None), default=start)
        in_order = sorted(value, key=lambda name: found.start() if (found := _named(name).search(text)) else 0)
        return _told(text, [value[name] for name in in_order], start)
    match = _named(_word(value)).search(text, start)
    return match.end() if match else None


def _labelled(text: str, name: str, value: Any, start: int) -> int | None:
    """Where the words for a member of an object end that stands beside its name."""
    if isinstance(value, Mapping | list):
        match = _named(name).search(text, start)
        return _told(text, value, match.end()) if match else None
    match = re.compile(rf"{_BEFORE}{re.escape(name)}\W{{1,8}}{re.escape(_word(value))}{_AFTER}").search(text, start)
    return match.end() if match else None


_MEMBER = re.compile(r"(?:[-*+]\s+)?[*_`]{0,3}(\S(?:.*?\S)??)[*_`]{0,3}\s*(?::|=|->|=>)[*_`]{0,3}\s+(.*)")
"""Of a line without white space around it. A name ends before white space, which is read once, however long it is."""


def _has_members(text: str, expected: Any) -> bool:
    """Whether each member of an object has a line, as in `- **posts**: [{"id": 1}]`, its value as JSON or a text."""
    if not isinstance(expected, Mapping) or not expected:
        return False
    lines = {match[1]: match[2] for line in text.split("\n") if (match := _MEMBER.fullmatch(line.strip()))}
    return all(
        name in lines and (lines[name] == inner if isinstance(inner, str) else _same(_parsed(lines[name]), inner))
        for name, inner in expected.items()
    )


def _columns(value: Any) -> Any:
    """A list of objects as what they have under each name, which a text may tell one name after the other."""
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return value
    return {name: [item[name] for item in value if name in item] for item in value for name in item}


_BEFORE, _AFTER = r"(?:^|[\s\"'`*(<>:=|,-])", r"(?=$|[\s\"'`*)<>:=|,;])"


def _named(word: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEFORE}{re.escape(word)}{_AFTER}")


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _names(inner)


def _word(value: Any) -> str:
    return value.strip() if isinstance(value, str) else _spellings(value)[0]


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
