"""The mutants that behave like the code itself, listed by hand with a reason each in `equivalents.yaml`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.mutation.mutants import Mutant

FILE = Path(__file__).with_name("equivalents.yaml")


class StaleEntry(Exception):
    """An entry that no mutant matches: the code has changed since."""


@dataclass(frozen=True, slots=True)
class Equivalent:
    """`was` and `now` are the two lines of a survivor's diff."""

    file: str
    function: str
    was: str
    now: str
    reason: str


def listed(file: Path = FILE) -> list[Equivalent]:
    return [Equivalent(**entry) for entry in yaml.safe_load(file.read_text(encoding="utf-8")) or ()]


def equivalent_mutants(mutants: Sequence[Mutant], entries: Sequence[Equivalent]) -> dict[str, str]:
    """The reason of each mutant that is equivalent, by its name. Raises `StaleEntry`."""
    by_change: dict[tuple[str, str, str, str], list[Mutant]] = {}
    for mutant in mutants:
        by_change.setdefault((mutant.file, mutant.function, mutant.was, mutant.now), []).append(mutant)
    reasons: dict[str, str] = {}
    files = {mutant.file for mutant in mutants}
    for entry in entries:
        found = by_change.get((entry.file, entry.function, entry.was, entry.now), [])
        if not found and entry.file in files:
            raise StaleEntry(
                f"{FILE.name}: no mutant of {entry.file} {entry.function} changes\n  - {entry.was}\n  + {entry.now}\n"
                "Correct the entry, or remove it if the code is gone."
            )
        reasons |= {mutant.name: entry.reason for mutant in found}
    return reasons
