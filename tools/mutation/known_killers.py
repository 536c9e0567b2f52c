"""What killed each mutant of a sample the last time, in `known_killers.json`: tried first, it spares the coverage.

The sample is the file's own, and no seed draws it again: whoever changes the code changes what a seed draws. A mutant
whose module was renamed is found by its function and its change, and a test that was moved by its name.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tools.mutation.killing import Fated
from tools.mutation.mutants import ROOT, Mutant

FILE = Path(__file__).with_name("known_killers.json")
MOST_LOST = 0.2
"""If more of what is remembered is gone from the code, what is left says too little."""


def known_killers(target: str, file: Path = FILE) -> dict[str, str]:
    """The unit that killed a mutant, by the mutant's name."""
    return dict(json.loads(file.read_text(encoding="utf-8")).get(target, {})) if file.exists() else {}


def found_again(killers: Mapping[str, str], mutants: Iterable[Mutant]) -> dict[Mutant, str]:
    """The mutants that are in the code still, and what killed each. One whose change is elsewhere twice is left out."""
    names: dict[str, Mutant] = {}
    changes: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        names[mutant.name] = mutant
        changes.setdefault(mutant.change, []).append(mutant)
    found: dict[Mutant, str] = {}
    for name, killer in killers.items():
        moved = changes.get(name.partition("|")[2], [])
        mutant = names.get(name) or (moved[0] if len(moved) == 1 else None)
        unit = _where_it_is_now(killer)
        if mutant is not None and unit is not None:
            found[mutant] = unit
    return found


def are_enough(found: int, remembered: int) -> bool:
    return found > 0 and remembered - found <= MOST_LOST * remembered


def _where_it_is_now(killer: str) -> str | None:
    """The id of a case or test. A test whose file is gone is in the one file that has a test of this name."""
    file, mark, test = killer.partition("::")
    if not mark or (ROOT / file).exists():
        return killer
    name = f"def {test.partition('[')[0]}("
    others = [path for path in ROOT.joinpath("tests").rglob("test_*.py") if name in path.read_text(encoding="utf-8")]
    return f"{others[0].relative_to(ROOT).as_posix()}::{test}" if len(others) == 1 else None


def remember(target: str, found: Sequence[Fated], units: Sequence[str], file: Path = FILE) -> None:
    """Write those of this sample in place of what is known of the target. One that ran out of time has no unit."""
    known = set(units)
    killers = {fated.mutant.name: fated.by for fated in found if fated.fate == "killed" and fated.by in known}
    everything = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    everything[target] = dict(sorted(killers.items()))
    file.write_text(json.dumps(everything, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
