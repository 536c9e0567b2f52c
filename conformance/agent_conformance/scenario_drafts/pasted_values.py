"""The values in a text that somebody pasted: JSON, and what Python, Node, PHP and Ruby print, within any other words.

It reads brackets, quotes and names, and knows nothing of requests. Nothing is run.
"""

import html
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.scenario.yaml_files.reading import read

DEEPEST = 100
DEEP = 10_000
"""What it costs to read so many levels in vain, in characters."""
WORK = 30
"""Characters read in vain, for each of the text: more is a text of nothing but brackets."""


class Shortened:
    """Stands for what a program printed as `[Object]`, `[Array]` or `... 3 more items`."""


SHORTENED = Shortened()


class ClassName(str):
    """The type of what was printed as `Name(member=...)` or `Name {member: ...}`; no text of the value."""


class TooTangled(ValueError):
    """The text has too many brackets that open nothing."""


class _Stops(ValueError):
    """This is no value, from `at` on. `is_end`: the text ended before the value did."""

    def __init__(self, at: int, *, is_end: bool = False, is_deep: bool = False) -> None:
        super().__init__(at)
        self.at = at
        self.is_end = is_end
        self.is_deep = is_deep


@dataclass(slots=True)
class PastedText:
    """A text, read for its values. `cuts` are the places of those that the end of the text cuts off.

    `broken` are those of lines that begin as an object and do not go on so.
    """

    text: str
    cuts: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)

    def values(self) -> Iterator[Any]:
        """Each outermost object and list, in order. Raises `TooTangled`."""
        decoder, text, at, vain = json.JSONDecoder(strict=False), self.text, 0, 0
        while (found := _OPENS.search(text, at)) is not None:
            at = found.start()
            if text.startswith("{}", at) or text.startswith("[]", at):
                at += 2
                continue
            value, end, cost = None, at, 0
            is_bytes = _BYTES.search(text, max(0, at - 400), at) is not None
            if is_bytes:
                value, end = _escaped(text, at, is_bytes=True)
            try:
                # It counts the lines before an error, which takes long for each bracket of a long log
                if end == at and _JSON.match(text, at):
                    value, end = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                pass
            if end == at:
                try:
                    value, end = _Reader(text, is_php=_PHP.match(text, at) is not None).value(at, 0)
                except _Stops as error:
                    cost = DEEP if error.is_deep else error.at - at
                    if "\\" in text[at : error.at + 2]:
                        value, end = _escaped(text, at)
                    if end == at and error.is_end:
                        self.cuts.append(at)
            if end > at:
                yield value
                at = end
                continue
            if _MEMBERS.match(text, at) and _LINE_BEGINS.search(text, max(0, at - 80), at):
                self.broken.append(at)
            at += 1
            vain += cost
            if vain > WORK * len(text) + 10_000:
                raise TooTangled


_OPENS = re.compile(r"[\[{]|\barray\s*\((?=\s*(?:['\")]|\d+\s*=>))")
_PHP = re.compile(r"(?:(?:array\s*\(|\[)\s*(?:\d+\s*=>\s*)?){1,8}'[^'\n]*'\s*=>")
_LINE_BEGINS = re.compile(r"(?:^|\n)[^\n{\[\"]*$")
_JSON = re.compile(r'\{\s*"|\[\s*[\[{"]')
_MEMBERS = re.compile(r"\{\s*(?:['\"]|\Z)")
_BYTES = re.compile(r"\bb['\"][^'\"\n]*$")
_SPACE = re.compile(r"(?:\s+|//[^\n]*\n)*")
_STRINGS = {
    "'": re.compile(r"'([^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'", re.DOTALL),
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "`": re.compile(r"`([^`\\]*+(?:\\.[^`\\]*+)*+)`", re.DOTALL),
}
_PHP_STRING = re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL)
_PHP_ESCAPE = re.compile(r"\\([\\'])")
_PREFIX = re.compile(r"[bBuUfF]{0,2}(?=['\"`])")
_SYMBOL = re.compile(r":(?=[A-Za-z_\"])")
_WORD = re.compile(r"[^\s,{}\[\]()'\"`<>=:]+(?::(?=\d)[^\s,{}\[\]()'\"`<>=:]+)*")
_PRINTED = re.compile(r"\[(Object|Array|(?:Async)?(?:Function|class|Getter|Setter|Circular|Symbol)\b[^\]\n]*)\]")
_REFERENCE = re.compile(
    r"<(?:ref \*\d+)>\s*|Object \[[\w ]+\](?=\s*\{)|\[[A-Z]\w*\](?=\s*\{)|[A-Z]\w*(?:\(\d+\))?\s*(?=[{\[])|"
    r"\(object\)\s*(?=array\s*\(|\[)"
)
_ARRAY = re.compile(r"array\s*\(")
_NAMED = re.compile(r"([A-Z]\w*)\s*\{")
_ENUM = re.compile(r"<[\w.]+: (?='|\"|\d)")
_OPAQUE = re.compile(r"<[^<>\n]*(?:<[^<>\n]*>[^<>\n]*)*>")
_MORE = re.compile(r"\.\.\.(?: \d+ more \w+)?")
_WORDS = {"null": None, "None": None, "undefined": None, "NOT_GIVEN": None, "true": True, "True": True}
_WORDS |= {"false": False, "False": False, "nil": None, "NULL": None, "TRUE": True, "FALSE": False}
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "e": "\x1b", "\n": ""}


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text

    def char(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3] or found[4]
        number = int(code, 16) if code else 0
        return _LETTERS.get(found[5], found[5]) if found[5] is not None else chr(min(number, 0x10FFFF))

    # Two halves of a character beyond the first 65,536 are one
    return _ESCAPE.sub(char, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(text: str, at: int, *, is_bytes: bool = False) -> tuple[Any, int]:
    """A value within a string of the text, as `"{\\"model\\": ...}"`; the same place where there is none."""
    before = text[at - 1 : at]
    for quote in (before,) if before in ("'", '"') else ("'", '"'):
        inner = re.compile(rf"(?:[^{quote}\\\n]|\\.)*+").match(text, at)
        if inner is None:
            continue
        content = _unescaped(inner[0])
        content = _decoded(content) if is_bytes else content
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(content)
        except (ValueError, RecursionError):
            try:
                value, _ = _Reader(content).value(0, 0)
            except _Stops:
                continue
        return value, inner.end()
    return None, at


def _decoded(text: str) -> str:
    """What Python printed as bytes."""
    return text.encode("latin-1", "ignore").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a value as JSON or a language writes it: its methods return the value, and where it ends."""

    text: str
    is_php: bool = False

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        text = self.text
        at = self._after(_SPACE, at)
        if _NAMED.match(text, at) is None:
            at = self._after(_REFERENCE, at)
        if at >= len(text):
            raise _Stops(at, is_end=True)
        if depth > DEEPEST:
            raise _Stops(at, is_deep=True)
        if text[at] == "{":
            return self._object(at + 1, depth)
        if text[at] == "[":
            printed = _PRINTED.match(text, at)
            if printed is not None:
                return (SHORTENED if printed[1] in ("Object", "Array") else None), printed.end()
            return self._items(at + 1, "]", depth)
        if (named := _NAMED.match(text, at)) is not None:
            value, end = self._object(named.end(), depth)
            return {"type": ClassName(named[1]), **value}, end
        if (array := _ARRAY.match(text, at)) is not None:
            return self._items(array.end(), ")", depth)
        if text[at] == "(":
            items, end = self._items(at + 1, ")", depth)
            return (items[0] if len(items) == 1 and isinstance(items[0], str) else items), end
        if text[at] == "<":
            enum, opaque = _ENUM.match(text, at), _OPAQUE.match(text, at)
            if enum is not None:
                value, end = self.value(enum.end(), depth + 1)
                return value, self._expected(end, ">")
            if opaque is not None:
                return None, opaque.end()
            raise _Stops(at)
        at = self._after(_SYMBOL, at)
        prefix = _PREFIX.match(text, at)
        return self._texts(at) if prefix is not None else self._word(at, depth)

    def _texts(self, at: int) -> tuple[str, int]:
        """Strings that follow each other, with `+` or nothing between them, are one."""
        parts: list[str] = []
        end = at
        while True:
            prefix = _PREFIX.match(self.text, at)
            if prefix is None:
                return "".join(parts), end
            quote = self.text[prefix.end()]
            is_php = self.is_php and quote == "'"
            found = (_PHP_STRING if is_php else _STRINGS[quote]).match(self.text, prefix.end())
            if found is None:
                line = self.text.find("\n", at)
                is_end = quote != "'" or line < 0 or is_php
                raise _Stops(len(self.text) if is_end else line, is_end=is_end)
            part = _PHP_ESCAPE.sub(r"\1", found[1]) if is_php else _unescaped(found[1])
            if "b" in prefix[0].lower():
                part = _decoded(part)
            parts.append(part)
            end = found.end()
            at = self._after(_SPACE, end)
            if self.text.startswith((("+", ".") if self.is_php else "+"), at):
                at = self._after(_SPACE, at + 1)

    def _word(self, at: int, depth: int) -> tuple[Any, int]:
        """A number, a name that stands for a value, a call as Python prints objects, or any other word."""
        found = _WORD.match(self.text, at)
        if found is None:
            raise _Stops(at)
        word, end = found[0], found.end()
        if self.text.startswith("(", end) and word.replace(".", "").isidentifier():
            return self._call(word.rpartition(".")[2], end + 1, depth)
        if word in _WORDS:
            return _WORDS[word], end
        try:
            return json.loads(word.removesuffix("n")), end
        except ValueError:
            return word, end

    def _call(self, name: str, at: int, depth: int) -> tuple[Any, int]:
        """`HumanMessage(content='Hi')` is an object with its type; what it has not is left out."""
        named: dict[str, Any] = {}
        others = []
        while True:
            at = self._after(_SPACE, at)
            if self.text.startswith(")", at):
                break
            word = _WORD.match(self.text, at)
            is_named = word is not None and word[0].isidentifier() and self.text.startswith("=", word.end())
            value, at = self.value(word.end() + 1 if word and is_named else at, depth + 1)
            if word is not None and is_named:
                named[word[0]] = value
            else:
                others.append(value)
            at = self._between(at, ")")
        if not named:
            return (others[0] if len(others) == 1 else None), at + 1
        kept = {key: value for key, value in named.items() if value is not None}
        return {"type": ClassName(name), **kept}, at + 1

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        while True:
            at = self._after(_SPACE, at)
            if self.text.startswith("}", at):
                return found, at + 1
            if (more := _MORE.match(self.text, at)) is not None:
                at = more.end()
                continue
            key, at = self.value(at, depth + 1)
            at = self._expected(at, "=>" if self._is_pair(at) else ":")
            value, at = self.value(at, depth + 1)
            found[str(key)] = value
            at = self._between(at, "}")

    def _is_pair(self, at: int) -> bool:
        return self.text.startswith("=>", self._after(_SPACE, at))

    def _items(self, at: int, closing: str, depth: int) -> tuple[Any, int]:
        """A list; or an object, where PHP has names or numbers that do not count from 0 before the values."""
        found: list[Any] = []
        named: dict[str, Any] = {}
        while True:
            at = self._after(_SPACE, at)
            if self.text.startswith(closing, at):
                if named and found:
                    raise _Stops(at)
                is_list = list(named) == [str(place) for place in range(len(named))]
                return (found or [*named.values()] if is_list else named), at + 1
            if (more := _MORE.match(self.text, at)) is not None:
                found.append(SHORTENED)
                at = self._between(more.end(), closing)
                continue
            value, at = self.value(at, depth + 1)
            if self._is_pair(at):
                named[str(value)], at = self.value(self._expected(at, "=>"), depth + 1)
            else:
                found.append(value)
            at = self._between(at, closing)

    def _between(self, at: int, closing: str) -> int:
        """After the comma, or at the bracket that closes."""
        at = self._after(_SPACE, at)
        return at if self.text.startswith(closing, at) else self._expected(at, ",")

    def _expected(self, at: int, sign: str) -> int:
        at = self._after(_SPACE, at)
        if not self.text.startswith(sign, at):
            raise _Stops(at, is_end=at >= len(self.text))
        return at + len(sign)

    def _after(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self.text, at)
        return found.end() if found else at


_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?"
_LINE_PREFIX = re.compile(
    rf"(?:[ \t]*>[ \t]?|[\w.-]+[ \t]*\| ?|[ \t]*{_TIME}(?: std(?:out|err) [FP](?= ))?[ \t]?|\[pod/[\w./-]+\] "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [^\s:\[]+(?:\[\d+\])?: |[ \t]*\d+\t)+"
)
"""Of a quotation, of containers (compose, kubectl, CRI), of times, of syslog and journald, of numbered lines."""
_TRACE_PREFIX = re.compile(r"[0-9a-f]{4,}: ")
"""Of `curl --trace-ascii`, which writes so many characters of what was sent in each line."""
_PIECE = re.compile(r" std(?:out|err) P $")
"""CRI writes a long line in pieces, marked so but for the last."""
SEEN = 200_000
"""Characters of a text by which it is known what its lines are like."""
NARROWEST = 40
"""Columns of a terminal that breaks lines. A text whose lines all end there was broken by it."""
_YAML = re.compile(r"^[ \t]*```ya?ml[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_SMART_QUOTES = str.maketrans("“”„‟″‘’", '"""""\'\'')


def forms_of(text: str) -> Iterator[str]:
    """The text as it is and each other form; where all lines have a prefix or one length, first without these."""
    text = _ANSI.sub("", text) if "\x1b" in text else text
    seen = {""}
    changes = CHANGES if not _is_broken_up(text) else (_without_breaks, _without_prefixes, *CHANGES)
    for change in changes:  # each only where those before it had nothing: a log may be long
        form = change(text)
        if form not in seen:
            seen.add(form)
            yield form


def _is_broken_up(text: str) -> bool:
    """Whether a value is in pieces, between which something else stands; else the text as it is is read first."""
    lines = [line for line in text[:SEEN].splitlines() if line.strip()]
    return _is_trace(text) or (bool(lines) and all(map(_LINE_PREFIX.match, lines))) or _is_even(lines)


def _is_even(lines: list[str]) -> bool:
    return len(lines) > 2 and len(lines[0]) >= NARROWEST and len({*map(len, lines[:-1])}) == 1


def _without_breaks(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return "".join(lines) if _is_even(lines) and not _LINE_PREFIX.match(lines[0]) else ""


def _is_trace(text: str) -> bool:
    return "\n=> Send data" in f"\n{text[:SEEN]}"


def _without_prefixes(text: str) -> str:
    parts = []
    is_trace = _is_trace(text)
    for line in text.splitlines(keepends=True):
        found = (_TRACE_PREFIX if is_trace else _LINE_PREFIX).match(line)
        rest = line[found.end() :] if found else line
        is_piece = found is not None and (is_trace or _PIECE.search(found[0]))
        parts.append(rest.rstrip("\r\n") if is_piece else rest)
    return "".join(parts)


def _joined_records(text: str) -> str:
    """Docker's log files: each line is JSON, with a piece of what was printed."""
    pieces: list[str] = []
    for line in text.splitlines() if '"log":' in text else ():
        try:
            record = json.loads(line)
        except ValueError:
            return ""
        piece = record.get("log") if isinstance(record, dict) else None
        if not isinstance(piece, str):
            return ""
        pieces.append(piece)
    return "".join(pieces)


def _of_spreadsheet(text: str) -> str:
    return text.replace('""', '"') if re.search(r'[{\[]\s*""', text) else ""


def _of_powershell(text: str) -> str:
    return re.sub(r"`(.)", r"\1", text) if '`"' in text else ""


def _of_windows_shell(text: str) -> str:
    return re.sub(r"\^(\r?\n|.)", lambda found: found[1].strip("\r\n"), text) if '^"' in text else ""


def _with_straight_quotes(text: str) -> str:
    return text.translate(_SMART_QUOTES)


def _of_yaml(text: str) -> str:
    """Each fence of YAML, as JSON. Without a fence nothing would tell that its end was cut off."""
    values = [read(textwrap.dedent(found[1]).encode()).value for found in _YAML.finditer(text)]
    return "\n".join(json.dumps(value) for value in values if isinstance(value, dict | list))


CHANGES: tuple[Callable[[str], str], ...] = (
    str,
    _without_prefixes,
    html.unescape,
    _joined_records,
    _of_spreadsheet,
    _of_powershell,
    _of_windows_shell,
    _with_straight_quotes,
    _of_yaml,
)
"""What takes back a change; "" where the text has none of it. The first changes nothing."""
