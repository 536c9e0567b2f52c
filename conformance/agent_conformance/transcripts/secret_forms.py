"""How a secret is written in texts, whole or cut, and how long each end of it must be to be recognised.

The time of every search grows as the text does, whatever is in it: a text and a secret may be an agent's.
"""

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html.entities import codepoint2name
from itertools import pairwise

MARKED = 8
"""So many characters of a secret are still replaced where dots or asterisks say that the rest is left out."""
PART = 12
"""So many are enough where a text ends, or a word does."""
BASE64_MARKED, BASE64_PART = 11, 16
"""The same of base64, which has four characters for three."""
RUN = "A-Za-z0-9+/_-"
"""The characters of base64, of both alphabets."""

_CUT_AFTER = re.compile(r" ?\[?(?P<mark>\.\.|…)|(?P<mask>\*{3})|\Z")
_CUT_BEFORE = re.compile(r"(?:\A|(?P<mark>(?:\.\.|…)\]? ?)|(?P<mask>\*{3}))\Z")
_SECRET_FORMS_PLAIN = re.compile(r"[A-Za-z0-9._~-]+")
_LETTERS = re.compile(r"[A-Za-z\s_.-]+")
_ESCAPE_BEFORE = re.compile(
    r"(?:\\(?:[abefnrtv]|[0-7]{1,3}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8})|%(?:25){0,3}[0-9a-fA-F]{2})\Z"
)
_LONGEST_ESCAPE = 10
_ESCAPES = "\\%&+"
"""An escape begins with one of these, or is a blank as forms write it."""
_UNIT = re.compile(r"\\+|[^\\]")
MOST_AROUND = 4000
_RUN = re.compile(rf"[{RUN}]*")
_RUN_TO_ITS_END = re.compile(rf"[{RUN}]*(?:=|%3[Dd]|\\u003[Dd]){{0,2}}")
_SECRET_FORMS_CODE = r"(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])"
"""A letter, a digit, or one of `-._~`: what is plain."""
_NEEDLESS = re.compile(
    rf"(?:(?<!\\)\\+(?:u00|x)|%(?:25)*|&(?:amp;)?#x0*)(?P<hex>{_SECRET_FORMS_CODE})(?P<end>;?)"
    r"|&(?:amp;)?#0*(?P<decimal>4[5689]|5[0-7]|6[5-9]|[78]\d|9[05789]|1[01]\d|12[0-26]);",
    re.IGNORECASE,
)
"""The escape of a plain character, which no encoder needs."""
_BEGINNINGS = ("\\u00", "\\U00", "\\x", "\\X", "%")
"""Of which it has one, or `&` and `#`. To look for these takes a tenth of the time of the search."""
_CONTROLS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}

Span = tuple[int, int]


STEPS = 16
"""Characters of secrets that are compared for each one of a text. A text needs more only where it repeats itself, and
the secret does so too; all that follows is then hidden.
"""


@dataclass(frozen=True)
class Form:
    """One way of writing a secret. Each of its characters may be escaped besides, as JSON, `repr`, URLs and HTML do.

    Of a text that was cut, `part` characters at an end of the secret are enough, and `least` beside a mark of the cut.
    In a `run` the characters around it belong to the same encoded text.
    """

    value: str
    least: int
    part: int
    is_run: bool = False

    def spans(self, text: str) -> Iterator[Span]:
        """Where the secret is in the text, in whole or cut."""
        left, over = STEPS * (len(text) + self.part), 0
        if self._is_possible(text, 0):
            for head in self._ends[0].finditer(text):
                if head.start() < over:
                    continue
                count, end = self._extended(text, head)
                if (left := left - count) < 0:
                    yield head.start(), len(text)
                    return
                if count == len(self.value):
                    if not self._is_letters or _is_apart(text, head.start(), end):
                        yield (found := self._whole_run(text, head.start(), end))
                        over = found[1]
                elif self._is_cut(count, count, head.group(), _CUT_AFTER.match(text, end), _is_word(text, end)):
                    yield self._whole_run(text, head.start(), end)
        if self._is_possible(text, 1):
            for tail in self._ends[1].finditer(text):
                count, start = self._extended_back(text, tail)
                if (left := left - count) < 0:
                    yield 0, len(text)
                    return
                if count == len(self.value):  # found from its head, or within a word
                    continue
                mark = _CUT_BEFORE.search(text, max(0, start - 4), start)
                at = len(self.value) - count
                goes_on = _is_word(self.value, at) and _goes_on_before(text, start)
                if self._is_cut(count, at, tail.group(), mark, goes_on):
                    yield self._whole_run(text, start, tail.end())

    def _is_possible(self, text: str, end: int) -> bool:
        if self.anchors[end] not in text:
            return False
        raw = self.value[-self.least :] if end else self.value[: self.least]
        return raw in text or any(map(text.__contains__, _ESCAPES))

    @cached_property
    def anchors(self) -> tuple[str, str]:
        """What no encoder changes in the first and the last characters: a search for it is quick."""
        ends = self.value[: self.least], self.value[-self.least :]
        first, last = (max(_SECRET_FORMS_PLAIN.findall(end), key=len, default="") for end in ends)
        return first, last

    @cached_property
    def _units(self) -> list[str]:
        """Its characters; backslashes beside each other are one, since encoders make any number of them."""
        return _UNIT.findall(self.value)

    @cached_property
    def _ends(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        first, last = self._units[: self._in_end(self._units)], self._units[-self._in_end(self._units[::-1]) :]
        return _sequence(first), _sequence(last)

    def _in_end(self, units: list[str]) -> int:
        """How many units are the characters of an end."""
        size = 0
        for number, unit in enumerate(units, 1):
            size += len(unit)
            if size >= self.least:
                return number
        return len(units)

    def _extended(self, text: str, head: re.Match[str]) -> tuple[int, int]:
        """How many of its first characters stand there, and where they end."""
        if text.startswith(self.value, head.start()):
            return len(self.value), head.start() + len(self.value)
        known, end = self._in_end(self._units), head.end()
        count, before = sum(map(len, self._units[:known])), self._units[known - 1]
        for unit in self._units[known:]:
            found = _token(unit, before.startswith("\\")).match(text, end)
            if found is None:
                return count, end
            count, end, before = count + len(unit), found.end(), unit
        return len(self.value), end

    def _extended_back(self, text: str, tail: re.Match[str]) -> tuple[int, int]:
        """How many of its last characters stand there, and where they begin."""
        if text.endswith(self.value, 0, tail.end()):
            return len(self.value), tail.end() - len(self.value)
        units, start = self._units[::-1], tail.start()
        known = self._in_end(units)
        count = sum(map(len, units[:known]))
        for unit in units[known:]:
            found = _token_before(unit).search(text, max(0, start - 14), start)
            if found is None:
                return count, start
            count, start = count + len(unit), found.start()
        return len(self.value), start

    def _is_cut(self, count: int, at: int, part: str, mark: re.Match[str] | None, goes_on: bool) -> bool:
        """Whether so many characters, which begin or end there, are of the secret: no words that others write too."""
        if count < self.part:
            return mark is not None and (mark["mask"] is not None or (mark["mark"] is not None and _looks_random(part)))
        is_within_word = _is_word(self.value, at - 1) and _is_word(self.value, at)
        return mark is not None or (not goes_on and (_looks_random(part) or is_within_word))

    @cached_property
    def _is_letters(self) -> bool:
        """Letters alone may be a part of longer words."""
        return _LETTERS.fullmatch(self.value) is not None

    def _whole_run(self, text: str, start: int, end: int) -> Span:
        """With what is encoded together with it: of a long text as much as it may be in front, and behind it."""
        if not self.is_run:
            return start, end
        before = _RUN.match(text[max(0, start - MOST_AROUND) : start][::-1])
        after = _RUN_TO_ITS_END.match(text, end, end + MOST_AROUND)
        begin = start - (before.end() if before else 0)
        if text[begin - 1 : begin] == "\\" and begin < start:  # the letter of an escape
            begin += 1
        return begin, (after.end() if after else end)


def without_needless_escapes(text: str) -> str:
    """The text with plain characters in place of their escapes: all forms of a secret have them as they are."""
    may_have = any(map(text.__contains__, _BEGINNINGS)) or ("&" in text and "#" in text)
    if not may_have or _NEEDLESS.search(text) is None:
        return text
    return _NEEDLESS.sub(_plain_character, text)


def _plain_character(found: re.Match[str]) -> str:
    if found["decimal"]:
        return chr(int(found["decimal"]))
    end = "" if found[0].startswith("&") else found["end"]
    return chr(int(found["hex"], 16)) + end


def forms_of(value: str) -> tuple[Form, ...]:
    """All forms of one secret."""
    data = _bytes_of(value)
    forms = [Form(text, MARKED, PART) for text in dict.fromkeys((value, value.lower()))]
    forms += [Form(core, BASE64_MARKED, BASE64_PART, is_run=True) for core in dict.fromkeys(_base64_cores(data))]
    forms += [Form(text, 2 * MARKED, 2 * PART) for text in dict.fromkeys((data.hex(), data.hex().upper()))]
    return tuple(forms)


def _base64_cores(data: bytes) -> Iterator[str]:
    """What base64 makes of it wherever it begins in a longer text, without what depends on its neighbours."""
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + data).decode()
        core = encoded[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")


def _sequence(units: list[str]) -> re.Pattern[str]:
    """An expression for these beside each other. It begins nowhere within backslashes, where it would begin at each."""
    first, others = written(units[0], r"(?<!\\)\\+"), pairwise(units)
    return re.compile(first + "".join(_behind(unit, before) for before, unit in others))


def _behind(unit: str, before: str) -> str:
    """Backslashes have taken all that stand there: the escape of what follows them is without its own."""
    return written(unit, r"\\*" if before.startswith("\\") else r"\\+")


@lru_cache(maxsize=4096)
def written(unit: str, backslashes: str = r"\\+") -> str:
    """A regular expression of all ways in which encoders write one character, or backslashes beside each other."""
    raw = re.escape(unit)
    if _SECRET_FORMS_PLAIN.fullmatch(unit):
        return raw
    if unit.startswith("\\"):
        begins = r"(?<!\\)" if backslashes.startswith("(?<!") else ""
        return begins + r"(?:\\(?:u005[cC]|x5[cC])|\\|%(?:25)*5[cC]|&(?:amp;)?#(?:0*92|[xX]0*5[cC]);)+"
    ways = [*_backslashed(unit, backslashes), *_percented(unit), *_entities(unit), raw]
    return f"(?:{'|'.join(ways)})"


def _backslashed(character: str, backslashes: str) -> Iterator[str]:
    """The text as JSON, `repr` and shells escape it, also more than once."""
    code = ord(character)
    if character in _CONTROLS:
        yield backslashes + _CONTROLS[character]
    if character in "\"'/ `$!&":
        yield backslashes + re.escape(character)
    if code > 0xFFFF:
        high, low = 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)
        yield rf"{backslashes}(?i:u{high:04x}\\+u{low:04x}|U{code:08x})"
    else:
        yield rf"{backslashes}(?i:u{code:04x})"
    if code < 0x100:
        yield rf"{backslashes}(?i:x{code:02x})"
    yield backslashes + r"\\+".join(rf"(?i:x{byte:02x})" for byte in _bytes_of(character))


def _percented(character: str) -> Iterator[str]:
    yield "".join(rf"%(?:25)*(?i:{byte:02x})" for byte in _bytes_of(character))
    if character == " ":
        yield r"\+"


def _entities(character: str) -> Iterator[str]:
    code = ord(character)
    yield rf"&(?:amp;)?(?i:#0*{code}|#x0*{code:x});"
    if code in codepoint2name:
        yield rf"&(?:amp;)?{codepoint2name[code]};"


def _bytes_of(text: str) -> bytes:
    """Undecoded bytes of the environment as they were, and half a character of a recording as if it were one."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=4096)
def _token(unit: str, is_behind_backslashes: bool) -> re.Pattern[str]:
    return re.compile(_behind(unit, "\\" if is_behind_backslashes else ""))


@lru_cache(maxsize=4096)
def _token_before(unit: str) -> re.Pattern[str]:
    return re.compile(rf"{written(unit)}\Z")


def _looks_random(part: str) -> bool:
    """Words of a language have no digits among their letters."""
    return any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def _is_word(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")


def _goes_on_before(text: str, start: int) -> bool:
    """Whether a word goes on in front of it. The letter of an escape, as in ``\\nkey`` within JSON, is of no word."""
    if not _is_word(text, start - 1):
        return False
    return _ESCAPE_BEFORE.search(text, max(0, start - _LONGEST_ESCAPE), start) is None


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether no word goes on around it."""
    return not _goes_on_before(text, start) and not _is_word(text, end)
