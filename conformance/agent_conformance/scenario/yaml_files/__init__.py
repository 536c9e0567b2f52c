"""From the bytes of a YAML file to a document in which every value has its line, and what is wrong at one."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from os.path import realpath
from pathlib import Path
from typing import Any

from msgspec import Struct

from agent_conformance.scenario.files import bundled_scenarios


class Problem(Struct, frozen=True, order=True):
    """One mistake of a file's author. `file` is as a reader would type it, `line` counts from 1."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


class Mistake(Struct, frozen=True, order=True):
    """A problem before its file has a name."""

    line: int
    message: str


def shown_path(path: Path, start: Path | None = None) -> str:
    """The path from `start`, by default the working directory, where it lies under it; of a bundled scenario that of
    the corpus; else in full.
    """
    here = _resolved(path.absolute())
    for folder in (_resolved(start or Path.cwd()), bundled_scenarios()):
        if here.is_relative_to(folder):
            return here.relative_to(folder).as_posix()
    return path.as_posix()


def real_path(path: Path) -> Path:
    """Where it leads. Of a link that leads nowhere or in a circle, where the link is: it is a file that is broken."""
    leads_to = Path(realpath(path))  # unlike `resolve`, it takes links in a circle
    return leads_to if leads_to.exists() else Path(realpath(path.parent), path.name)


_resolved = cache(real_path)


LONGEST_WORD = 100
"""Nobody has meant another word by a longer text, and comparing a long one takes long."""


def nearest(word: str, allowed: Iterable[str]) -> list[str]:
    """The allowed word that looks most like this one, or none."""
    if len(word) > LONGEST_WORD:
        return []
    return get_close_matches(word, sorted(allowed), n=1, cutoff=0.5)


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """A sentence naming the nearest allowed word, or nothing."""
    near = nearest(word, allowed)
    return f" Did you mean `{near[0]}`?" if near else ""


def listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def described(value: Any) -> str:
    """A value as an author wrote it: its kind, and its text where that is short."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if value is None:
        return "`null`"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text `{value}`" if len(value) <= 40 else f"a text of {len(value)} characters"
    if isinstance(value, dict):
        return "a mapping with " + listed(list(value)[:4]) if value else "an empty mapping"
    return f"a list of {len(value)}" if value else "an empty list"
