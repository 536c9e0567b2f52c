"""What counts as a secret: by the name of a variable or a setting, and by what its value looks like."""

import base64
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html.entities import codepoint2name
from pathlib import Path
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

LEAST = 16
"""Shorter values are placeholders such as `test`, which may be ordinary words of a text."""
MOST = 65_536
"""Characters of a value that are looked at."""
DOTENV = (".env", ".env.local")
DEPTH = 3
"""Settings within settings of an adapter."""
MOST_MEMBERS = 400
MOST_NAMES = 4096
"""Names that are remembered: those of the environment and of an adapter's members come in every case."""

_PLAIN = frozenset({type(None), bool, bytes, int, float, list, tuple, set, frozenset, property})
_CODE = frozenset({FunctionType, MethodType, GetSetDescriptorType, MemberDescriptorType, classmethod, staticmethod})
_WITHOUT_SETTINGS = _PLAIN | _CODE
"""Most members of a class are of these: they have no attributes, or those of a function."""
_NAMED = re.compile(
    r"(?:^|[_.-])(?:API)?(?:KEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)(?:_(?:ID|BASE|\d+))?$",
    re.IGNORECASE,
)
"""Also `OPENAI_API_KEY_2` and `AWS_ACCESS_KEY_ID`; `KEYBOARD` and `MAX_TOKENS_LEFT` hold no secret."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a name such as `apiKey` is read as `api_Key`."""
_NUMBER = re.compile(r"[-+\d.,:_ ]+")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/(?:app|data|dev|etc|home|Library|media|mnt|opt|private|proc|root|run|secrets?|srv|sys|tmp|usr|Users"
    r"|var|Volumes|workspaces?)(?:/|$)|(?:~|\.{1,2})/|[A-Za-z]:[\\/]|file:"
)
"""A value that is the path of a file with a secret is none itself."""
_LOOPBACK = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/|$)")
_IN_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@", re.IGNORECASE)
"""The password of an address: `postgres://user:password@host`."""
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)")


@lru_cache(maxsize=MOST_NAMES)
def is_named_as_secret(name: str) -> bool:
    """`OPENAI_API_KEY`, `apiKey`, `client-secret`, but not `MONKEY` or `TOKENIZERS`."""
    return _NAMED.search(_HUMP.sub("_", name)) is not None


def is_secret(value: str) -> bool:
    """Long enough, and neither a path, a number nor an address of this machine."""
    if len(value) < LEAST or _NUMBER.fullmatch(value) or _LOOPBACK.match(value):
        return False
    return not (_PATH.match(value) or (value.startswith("/") and _exists(value)))


def secrets_in(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Names and values of the secrets in one variable: itself, its items, its lines, or a password in an address."""
    value = value.strip()[:MOST]
    if not is_named_as_secret(name):
        yield from ((name, found) for found in _IN_URL.findall(value) if is_secret(found))
        return
    if is_secret(value):
        yield name, value
    parts = [*_leaves(value), *re.split(r"[,;\s]+", value)] if value[:1] in "{[" else re.split(r"[,;]\s*|\n", value)
    # Not `-----BEGIN PRIVATE KEY-----`: many texts have that.
    yield from (
        (name, part)
        for part in parts
        if part != value and is_secret(part) and (any(c.isdigit() for c in part) and any(c.isalpha() for c in part))
    )


def secrets_of(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in variables.items():
        yield from secrets_in(name, value)


def secrets_of_command(words: list[str]) -> Iterator[tuple[str, str]]:
    """The secrets in `NAME=value`, `--name=value` and `--name value` in a command line."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, sign, value = word.partition("=")
        if not re.fullmatch(r"-{0,2}[A-Za-z][\w.-]*", name) or not (sign or name.startswith("-")):
            continue
        yield from secrets_in(name.lstrip("-"), value if sign else following)


def secrets_of_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and value of each secret in the dotenv files of a folder.

    Programs read them themselves, and later than the suite starts.
    """
    for name in DOTENV:
        for line in _lines(folder / name):
            if (found := _LINE.fullmatch(line)) is not None:
                yield from secrets_in(found[1], _unquoted(found[2]))


def _lines(path: Path) -> list[str]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return []
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MOST).splitlines()
    except OSError:
        return []


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] in "'\"" and (end := text.rfind(text[0])) > 0:
        return text[1:end]
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


def _leaves(text: str) -> Iterator[str]:
    """The texts with names of secrets in a value that is JSON, as an account of Google is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        yield from (leaf for name, leaf in value.items() if isinstance(leaf, str) and is_named_as_secret(name))
    elif isinstance(value, list):
        yield from (leaf for leaf in value if isinstance(leaf, str))


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


def secrets_of_members(owner: object) -> Iterator[tuple[str, str]]:
    """Of the attributes of an object and of its classes, such as the settings of an adapter, to some depth.

    Runs no code of theirs: no property, no `__getattr__` and no iterator.
    """
    classes = _classes_of(owner if issubclass(type(owner), type) else type(owner))  # `isinstance` asks for `__class__`
    left = [MOST_MEMBERS]
    for table in [_table(owner), *map(_table, classes[:-1])]:  # the last is `object`
        yield from _of_table(table, DEPTH, left)


_classes_of: Callable[[Any], tuple[type, ...]] = type.__dict__["__mro__"].__get__


def _of_table(
    table: Mapping[object, object], depth: int, left: list[int], *, named: bool = False
) -> Iterator[tuple[str, str]]:
    """`named`: what holds it has the name of a secret, as what holds the text of a `SecretStr`."""
    for name, value in list(table.items()):
        left[0] -= 1
        if left[0] < 0 or type(name) is not str:
            return
        if type(value) in _WITHOUT_SETTINGS:
            continue
        is_named = named or is_named_as_secret(name)
        if type(value) is str:
            if is_named and is_secret(value) and " " not in value:
                yield name.strip("_"), value
        elif type(value) is dict:
            # Only settings of the adapter itself: deeper ones are schemas, arguments and messages.
            if depth == DEPTH and not is_named:
                yield from _of_table(value, 0, left)
        elif depth and not issubclass(type(value), (type, ModuleType)):
            yield from _of_table(_table(value), depth - 1, left, named=is_named)


def _table(owner: object) -> Mapping[object, object]:
    """The attributes that the object itself has, read without its help."""
    if issubclass(type(owner), type):
        return dict(type.__dict__["__dict__"].__get__(owner))
    try:
        table = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return table if type(table) is dict else {}


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
_ESCAPE_BEFORE = re.compile(r"(?:\\(?:[nrtbf]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|%[0-9a-fA-F]{2})\Z")
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
        if self._is_possible(text, 0):
            for head in self._ends[0].finditer(text):
                count, end = self._extended(text, head.end())
                if count == len(self.value):
                    if not self._is_letters or _is_apart(text, head.start(), end):
                        yield self._whole_run(text, head.start(), end)
                elif self._is_cut(count, count, head.group(), _CUT_AFTER.match(text, end), _is_word(text, end)):
                    yield self._whole_run(text, head.start(), end)
        if self._is_possible(text, 1):
            for tail in self._ends[1].finditer(text):
                count, start = self._extended_back(text, tail.start())
                if count == len(self.value):  # found from its head, or within a word
                    continue
                mark = _CUT_BEFORE.search(text, max(0, start - 4), start)
                if self._is_cut(count, len(self.value) - count, tail.group(), mark, _is_word(text, start - 1)):
                    yield self._whole_run(text, start, tail.end())

    def _is_possible(self, text: str, end: int) -> bool:
        return self.anchors[end] in text

    @cached_property
    def anchors(self) -> tuple[str, str]:
        """What no encoder changes in the first and the last characters: a search for it is quick."""
        ends = self.value[: self.least], self.value[-self.least :]
        first, last = (max(_SECRET_FORMS_PLAIN.findall(end), key=len, default="") for end in ends)
        return first, last

    @cached_property
    def _ends(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        first, last = self.value[: self.least], self.value[-self.least :]
        return re.compile("".join(map(written, first))), re.compile("".join(map(written, last)))

    def _extended(self, text: str, end: int) -> tuple[int, int]:
        """How many of its first characters stand there, and where they end."""
        for count, character in enumerate(self.value[self.least :], self.least):
            found = _token(character).match(text, end)
            if found is None:
                return count, end
            end = found.end()
        return len(self.value), end

    def _extended_back(self, text: str, start: int) -> tuple[int, int]:
        """How many of its last characters stand there, and where they begin."""
        for count, character in enumerate(reversed(self.value[: -self.least]), self.least):
            found = _token_before(character).search(text, max(0, start - 14), start)
            if found is None:
                return count, start
            start = found.start()
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
        if not self.is_run:
            return start, end
        before = re.compile(rf"(?<!\\)[{RUN}]*\Z").search(text, max(0, start - 4000), start)
        after = re.compile(rf"[{RUN}]*(?:=|%3[Dd]|\\u003[Dd]){{0,2}}").match(text, end)
        return (before.start() if before else start), (after.end() if after else end)


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


@lru_cache(maxsize=512)
def forms_of(value: str) -> tuple[Form, ...]:
    """All forms of one secret."""
    data = _bytes_of(value)
    forms = [Form(text, MARKED, PART) for text in dict.fromkeys((value, value.lower()))]
    forms += [Form(core, BASE64_MARKED, BASE64_PART, is_run=True) for core in dict.fromkeys(_base64_cores(data))]
    forms += [Form(text, 2 * MARKED, 2 * PART) for text in dict.fromkeys((data.hex(), data.hex().upper()))]
    return tuple(forms)


@lru_cache(maxsize=512)
def anchors_of(value: str) -> tuple[str, ...]:
    """Parts of the secret: a text that has none of them has no form of the secret."""
    return tuple(dict.fromkeys(anchor for form in forms_of(value) for anchor in form.anchors))


def _base64_cores(data: bytes) -> Iterator[str]:
    """What base64 makes of it wherever it begins in a longer text, without what depends on its neighbours."""
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + data).decode()
        core = encoded[-(-offset * 8 // 6) : (offset + len(data)) * 8 // 6]
        yield core
        yield core.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=4096)
def written(character: str) -> str:
    """A regular expression of all ways in which encoders write one character."""
    raw = re.escape(character)
    if _SECRET_FORMS_PLAIN.fullmatch(character):
        return raw
    ways = [*_backslashed(character), *_percented(character), *_entities(character), raw]
    return f"(?:{'|'.join(ways)})"


def _backslashed(character: str) -> Iterator[str]:
    """The text as JSON, `repr` and shells escape it, also more than once."""
    code = ord(character)
    if character == "\\":
        yield r"\\+"
        yield r"\\+(?i:u005c|x5c)"
        return
    if character in _CONTROLS:
        yield rf"\\+{_CONTROLS[character]}"
    if character in "\"'/ `$!&":
        yield rf"\\+{re.escape(character)}"
    if code > 0xFFFF:
        high, low = 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF)
        yield rf"\\+(?i:u{high:04x}\\+u{low:04x}|U{code:08x})"
    else:
        yield rf"\\+(?i:u{code:04x})"
    if code < 0x100:
        yield rf"\\+(?i:x{code:02x})"
    yield "".join(rf"\\+(?i:x{byte:02x})" for byte in _bytes_of(character))


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
def _token(character: str) -> re.Pattern[str]:
    return re.compile(written(character))


@lru_cache(maxsize=4096)
def _token_before(character: str) -> re.Pattern[str]:
    return re.compile(rf"{written(character)}\Z")


def _looks_random(part: str) -> bool:
    """Words of a language have no digits among their letters."""
    return any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def _is_word(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether no word goes on around it. The letter of an escape, as in ``\\nkey`` within JSON, is of no word."""
    begins = not _is_word(text, start - 1) or _ESCAPE_BEFORE.search(text, max(0, start - 6), start) is not None
    return begins and not _is_word(text, end)
