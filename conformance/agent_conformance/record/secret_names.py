"""What counts as a secret: by the name of a variable or a setting, and by what its value looks like."""

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType

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
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NUMBER = re.compile(r"[-+\d.,:_ ]+")
_PATH = re.compile(
    r"(?:~|\.{1,2})?/(?:app|data|dev|etc|home|Library|media|mnt|opt|private|proc|root|run|secrets?|srv|sys|tmp|usr|Users"
    r"|var|Volumes|workspaces?)(?:/|$)|(?:~|\.{1,2})/|[A-Za-z]:[\\/]|file:"
)
_LOOPBACK = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?:/|$)")
_IN_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@", re.IGNORECASE)
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
    yield from ((name, part) for part in parts if part != value and is_secret(part) and _is_mixed(part))


def secrets_of(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in variables.items():
        yield from secrets_in(name, value)


def secrets_of_command(words: list[str]) -> Iterator[tuple[str, str]]:
    """Of `NAME=value`, `--name=value` and `--name value` in a command line."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, sign, value = word.partition("=")
        if not re.fullmatch(r"-{0,2}[A-Za-z][\w.-]*", name) or not (sign or name.startswith("-")):
            continue
        yield from secrets_in(name.lstrip("-"), value if sign else following)


def secrets_of_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Of the dotenv files of a folder. Programs read them themselves, and later than the suite starts."""
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


def _is_mixed(part: str) -> bool:
    """Not `-----BEGIN PRIVATE KEY-----`: many texts have that."""
    return any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


def secrets_of_members(owner: object) -> Iterator[tuple[str, str]]:
    """Of the attributes of an object and of its classes, such as the settings of an adapter, to some depth.

    Runs no code of theirs: no property, no `__getattr__` and no iterator.
    """
    classes = type.mro(owner) if isinstance(owner, type) else type(owner).__mro__
    left = [MOST_MEMBERS]
    for table in [_table(owner), *map(_table, classes[:-1])]:  # the last is `object`
        yield from _of_table(table, DEPTH, left)


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
        elif depth and not isinstance(value, (type, ModuleType)):
            yield from _of_table(_table(value), depth - 1, left, named=is_named)


def _table(owner: object) -> Mapping[object, object]:
    """The attributes that the object itself has, read without its help."""
    if isinstance(owner, type):
        return dict(type.__dict__["__dict__"].__get__(owner))
    try:
        table = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return table if type(table) is dict else {}
