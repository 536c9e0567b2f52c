"""What counts as a secret: by the name of a variable or a setting, and by what its value looks like.

How one is written in texts is in `secret_forms`.
"""

import json
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

LEAST = 16
"""Shorter values are placeholders such as `test`, which may be ordinary words of a text."""
MOST = 1_000_000
"""Characters of a value that are looked at."""
DOTENV = (".env", ".env.local")
DEPTH = 3
"""Settings within settings of an adapter."""
MOST_MEMBERS = 1000
"""Attributes of an adapter and of what it holds, the nearest first."""
LONGEST_END = 100
"""Characters of a name that are looked at: only its end says whether it is that of a secret."""
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
_IN_URL = re.compile(r"://[^/\s:@]*:([^/\s@]+)@")
"""The password of an address: `postgres://user:password@host`. Without the word in front, which would be looked for at
each of its own characters.
"""
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)")


class Bound(str):
    """In place of a value: a sentence on what was not looked at."""

    __slots__ = ()


def _cut(name: str, text: str) -> Iterator[tuple[str, str]]:
    if len(text) > MOST:
        yield name, Bound(f"the first {MOST:,} characters of {name} were looked at for secrets, and not the rest")


def is_named_as_secret(name: str) -> bool:
    """`OPENAI_API_KEY`, `apiKey`, `client-secret`, but not `MONKEY` or `TOKENIZERS`."""
    return _is_end_of_secret(name[-LONGEST_END:])


@lru_cache(maxsize=MOST_NAMES)
def _is_end_of_secret(name: str) -> bool:
    return _NAMED.search(_HUMP.sub("_", name)) is not None


def is_secret(value: str) -> bool:
    """Long enough, and neither a path, a number nor an address of this machine."""
    if len(value) < LEAST or _NUMBER.fullmatch(value) or _LOOPBACK.match(value):
        return False
    return not (_PATH.match(value) or (value.startswith("/") and _exists(value)))


def secrets_in(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Names and values of the secrets in one variable: itself, its items, its lines, or a password in an address."""
    value = value.strip()
    yield from _cut(name, value)
    value = value[:MOST]
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
        text = _text_of(folder / name)
        yield from _cut(name, text)
        for line in text[:MOST].splitlines():
            if (found := _LINE.fullmatch(line)) is not None:
                yield from secrets_in(found[1], _unquoted(found[2]))


def _text_of(path: Path) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MOST + 1)
    except OSError:
        return ""


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
    # Each with the levels below it, and whether what holds it is named as a secret, as what holds the text of a
    # `SecretStr`. The last class is `object`.
    tables = deque((_table(one), DEPTH, False) for one in (owner, *classes[:-1]))
    left = MOST_MEMBERS
    while tables:
        table, depth, named = tables.popleft()
        for name, value in list(table.items()):
            if type(name) is not str or type(value) in _WITHOUT_SETTINGS:
                continue
            if (left := left - 1) < 0:
                kind = type.__dict__["__name__"].__get__(classes[0])
                what = f"the first {MOST_MEMBERS:,} attributes of the adapter {kind}"
                yield name, Bound(f"{what} were looked at for secrets, and not the rest")
                return
            is_named = named or is_named_as_secret(name)
            if type(value) is str:
                if is_named and is_secret(value) and " " not in value:
                    yield name.strip("_"), value
            elif type(value) is dict:
                # Only settings of the adapter itself: deeper ones are schemas, arguments and messages.
                if depth == DEPTH and not is_named:
                    tables.append((value, 0, False))
            elif depth and not issubclass(type(value), (type, ModuleType)):
                tables.append((_table(value), depth - 1, is_named))


_classes_of: Callable[[Any], tuple[type, ...]] = type.__dict__["__mro__"].__get__


def _table(owner: object) -> Mapping[object, object]:
    """The attributes that the object itself has, read without its help."""
    if issubclass(type(owner), type):
        return dict(type.__dict__["__dict__"].__get__(owner))
    try:
        table = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return table if type(table) is dict else {}
