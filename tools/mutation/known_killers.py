"""What killed each mutant of a sample the last time, in `known_killers.json`: tried first, it spares the coverage."""

import json
from collections.abc import Sequence
from pathlib import Path

from tools.mutation.killing import Fated

FILE = Path(__file__).with_name("known_killers.json")


def known_killers(target: str, file: Path = FILE) -> dict[str, str]:
    """The unit that killed a mutant, by the mutant's name."""
    return dict(json.loads(file.read_text(encoding="utf-8")).get(target, {})) if file.exists() else {}


def remember(target: str, found: Sequence[Fated], units: Sequence[str], file: Path = FILE) -> None:
    """Write those of this sample in place of what is known of the target. One that ran out of time has no unit."""
    known = set(units)
    killers = {fated.mutant.name: fated.by for fated in found if fated.fate == "killed" and fated.by in known}
    everything = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    everything[target] = dict(sorted(killers.items()))
    file.write_text(json.dumps(everything, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
