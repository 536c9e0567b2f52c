"""What was judged when the baseline was written, in a file beside it, and what of that is judged no longer.

Fewer declared features, wires or modes, and deleted recordings, lead to a green run without a finding less.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from agent_conformance.baseline.case_report import CaseReport
from agent_conformance.scenario.yaml_files import shown_path


class BrokenJudged(Exception):
    """The file cannot be read, in a line that names it."""


class Judged(Struct, frozen=True):
    """What an agent declares, and how many cases had a verdict, by the profiles that ran in whole."""

    features: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    cases: Mapping[str, int] = field(default_factory=dict)
    snapshots: Mapping[str, int] = field(default_factory=dict)
    """How many cases have a recording, by the same profiles."""

    def lost(self, now: "Judged") -> tuple[str, ...]:
        """What it declares and `now` does not: `feature history`, `wire openai-chat`."""
        kinds = (
            ("feature", self.features, now.features),
            ("wire", self.wires, now.wires),
            ("mode", self.modes, now.modes),
        )
        return tuple(f"{kind} {name}" for kind, was, still in kinds for name in was if name not in still)

    def fewer(self, now: "Judged") -> dict[str, tuple[int, int]]:
        """The profiles of which `now` judged fewer cases: how many then, and how many now."""
        return {name: (self.cases[name], n) for name, n in now.cases.items() if n < self.cases.get(name, 0)}

    def in_part(self, now: "Judged", judged: int) -> str:
        """What a run says where options chose a part of the cases, or another profile. Empty where it judged no fewer
        than a whole one.
        """
        name, whole = max(self.cases.items(), key=lambda item: item[1], default=("", 0))
        is_known = not self.cases.keys().isdisjoint(now.cases)
        return "" if is_known or judged >= whole else f"{judged} of the {whole} cases that a run of {name} judged"

    def unrecorded(self, now: "Judged") -> tuple[str, ...]:
        """Recordings that are gone, in words. A case whose scenario has changed still has one."""
        counts = ((name, self.snapshots.get(name, 0), now.snapshots.get(name, 0)) for name in now.cases)
        return tuple(f"{was - n} of {was} snapshots of {name}" for name, was, n in counts if n < was)


class Fewer(Struct, frozen=True):
    """What is judged no longer: in words, and how many cases that is, 0 where nobody can know."""

    words: tuple[str, ...] = ()
    cases: int = 0

    def __bool__(self) -> bool:
        return bool(self.words)


def fewer(before: Judged, now: Judged, reports: Iterable[CaseReport]) -> Fewer:
    """A case counts if it was not verified for want of what is declared no longer; or by the numbers of a whole run."""
    lost, counts = before.lost(now), before.fewer(now)
    names = {name.removeprefix("feature ") for name in lost}
    unverified = sum(bool(report.missing) and names.issuperset(report.missing) for report in reports)
    numbers = [f"{was - n} of {was} cases of {profiles}" for profiles, (was, n) in counts.items()]
    words = (*(f"{name}, which is not declared any more" for name in lost), *numbers, *before.unrecorded(now))
    return Fewer(words, max([unverified, *(was - n for was, n in counts.values())]))


def path_beside(baseline: Path) -> Path:
    return baseline.with_name(f"{baseline.stem}.judged.json")


def refuse_lost_baseline(baseline: Path) -> None:
    """A first run has no such file: where there is one, the baseline was deleted, and all would be known anew.

    Raises `BrokenJudged`.
    """
    path = path_beside(baseline)
    if path.is_file():
        raise BrokenJudged(
            f"{shown_path(baseline)} is gone, and {shown_path(path)} is there. Restore the baseline; or delete both, "
            "and all findings are known anew."
        )


def read_judged(baseline: Path) -> Judged | None:
    """None where there is none. Raises `BrokenJudged`."""
    path = path_beside(baseline)
    if not path.is_file():
        return None
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        lists = {name: tuple(map(str, read[name])) for name in ("features", "wires", "modes")}
        return Judged(**lists, cases=_counts(read["cases"]), snapshots=_counts(read.get("snapshots", {})))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {error}"
        where = shown_path(path)
        raise BrokenJudged(f"{where}: it cannot be read ({what}). --agent-baseline-update writes it anew.") from None


def _counts(read: Mapping[object, Any]) -> dict[str, int]:
    return {str(name): int(count) for name, count in read.items()}


def write_judged(baseline: Path, now: Judged) -> None:
    """Numbers of profiles that did not run stay. A file that says the same is not touched."""
    try:
        before = read_judged(baseline)
    except BrokenJudged:
        before = None
    if before is not None:
        now = replace(now, cases={**before.cases, **now.cases}, snapshots={**before.snapshots, **now.snapshots})
    if now != before:
        text = json.dumps(asdict(now), indent=1, sort_keys=True)
        path_beside(baseline).write_text(f"{text}\n", encoding="utf-8")
