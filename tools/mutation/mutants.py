"""The mutants of a target: where each is, what it changes, and which are drawn with a seed. Runs nothing."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tools.mutation.changes import FUNCTIONS, Change, Kind, changes_in, header

ROOT = Path(__file__).parents[2]
KEPT = 60
"""So many characters are kept around what changes in a long statement."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in a file. `number` counts the changes of the file, `same` those that read the same before it.

    `lines` are those of the statement, one of which a run must execute to notice anything. They are empty if the
    statement is executed when the module is imported.
    """

    file: str
    function: str
    kind: Kind
    was: str
    now: str
    number: int
    same: int
    line: int
    lines: tuple[int, ...]
    in_defaults: bool = False

    @property
    def name(self) -> str:
        return f"{self.file}|{self.change}"

    @property
    def change(self) -> str:
        """Of the name what stays the same when the module is renamed."""
        return f"{self.function}|{self.was}|{self.now}|{self.same}"

    @property
    def at(self) -> str:
        return f"{self.file}:{self.line} {self.function}".strip()

    @property
    def diff(self) -> str:
        return f"{self.kind}: {self.at}\n  - {self.was}\n  + {self.now}"

    def tree(self) -> ast.Module:
        """The module with this change. Lines are those of the file."""
        tree = ast.parse((ROOT / self.file).read_text(encoding="utf-8"))
        change = next(change for number, change in enumerate(changes_in(tree)) if number == self.number)
        _copy_places(change)
        change.put()
        return ast.fix_missing_locations(tree)


def mutants_of(files: Iterable[str]) -> list[Mutant]:
    return [mutant for file in files for mutant in _mutants_in(file)]


def drawn(mutants: Sequence[Mutant], *, seed: int, sample: int) -> list[Mutant]:
    """The same on any machine; a change elsewhere in the code replaces few of them."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed}|{mutant.name}".encode()).digest())[:sample]


def _mutants_in(file: str) -> Iterator[Mutant]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    seen: Counter[tuple[str, str, str]] = Counter()
    for number, change in enumerate(changes_in(tree)):
        was, now = _texts(change)
        function = change.place.function
        seen[function, was, now] += 1
        line = getattr(change.old, "lineno", None) or getattr(change.place.statement, "lineno", 1)
        yield Mutant(
            file,
            function,
            change.kind,
            was,
            now,
            number,
            seen[function, was, now],
            line,
            _lines(change),
            change.place.in_defaults,
        )


def _texts(change: Change) -> tuple[str, str]:
    """The statement before and after, cut to what changes if it is long."""
    statement = change.place.statement
    assert statement is not None
    was = header(statement)
    if change.old is statement:
        return _cut(was, "return" if change.kind == "early return" and "return" not in was else _of_statement(change))
    change.put()
    now = header(statement)
    change.undo()
    return _shortened(was, now)


def _of_statement(change: Change) -> str:
    if change.kind == "doubled yield":
        return f"{header(change.old)}; {header(change.old)}"
    return "return None" if isinstance(change.new, ast.Return) else "pass"


def _cut(was: str, now: str) -> tuple[str, str]:
    return (was if len(was) <= 3 * KEPT else f"{was[: 3 * KEPT]}…"), now


def _shortened(was: str, now: str) -> tuple[str, str]:
    before = _in_common(was, now)
    after = _in_common(was[before:][::-1], now[before:][::-1])
    start, end = max(0, before - KEPT), max(0, after - KEPT)

    def shown(text: str) -> str:
        return ("…" if start else "") + text[start : len(text) - end] + ("…" if end else "")

    return shown(was), shown(now)


def _in_common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _lines(change: Change) -> tuple[int, ...]:
    """Of the statement without those in it; of a default, all of the function."""
    statement, function = change.place.statement, change.place.in_function
    if function is None or statement is None:
        return ()
    if change.place.in_defaults:
        return tuple(range(function.body[0].lineno, (function.end_lineno or function.lineno) + 1))
    if isinstance(statement, FUNCTIONS):
        return ()
    body = getattr(statement, "body", None)
    start = statement.pattern.lineno if isinstance(statement, ast.match_case) else statement.lineno
    end = body[0].lineno - 1 if isinstance(body, list) and body else getattr(statement, "end_lineno", start)
    return tuple(range(start, max(end, start) + 1))


def _copy_places(change: Change) -> None:
    if isinstance(change.old, ast.AST):
        ast.copy_location(change.new, change.old)
