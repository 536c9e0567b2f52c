"""How the cases of a run are divided among the areas, beside what newest reports of users are about."""

from collections import Counter
from functools import cache

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import Patterns, bundled_scenarios, head_of
from agent_conformance.scenario.files.selection import default_examples
from tests.bundled import bundled_files

SUBJECTS: dict[str, tuple[int, tuple[str, ...]]] = {
    "who acts around a turn": (9, ("turns", "pairs")),
    "how a turn ends": (8, ("finish", "loops")),
    "windows and compaction": (7, ("limits", "long-sessions")),
    "errors and streams of providers": (6, ("faults", "streaming")),
    "histories that are refused": (4, ("history", "reasoning", "no-tools")),
    "results and narration": (3, ("round-trip", "parallel", "images")),
    "declarations": (2, ("declarations",)),
    "calls as text, names, arguments": (1, ("pseudo-calls", "tool-names", "arguments", "injection")),
}
"""By subject: of forty public reports of September 2026 so many are about it; and the areas that play it."""


def is_played(case_id: str, some: Patterns) -> bool:
    """Whether a run plays it without `--agent-profile=all`."""
    return not some.could_match(head_of(case_id)) or some.match(case_id)


@cache
def shares() -> dict[str, tuple[float, float, float]]:
    """By subject, in percent: of the reports, of the cases of a run, and of those of a run with `all`."""
    agent = checked_agent("the reference agent", Adapter)
    files = bundled_files()
    some = Patterns(default_examples(bundled_scenarios()))
    every = [case for file in files for case in cases_of(file, agent, RunOptions())]
    played = Counter(case.file.area for case in every if is_played(case.id, some))
    whole = Counter(case.file.area for case in every)
    reports = sum(count for count, _ in SUBJECTS.values())
    return {
        subject: (100 * count / reports, _percent(played, areas), _percent(whole, areas))
        for subject, (count, areas) in SUBJECTS.items()
    }


def _percent(cases: Counter[str], areas: tuple[str, ...]) -> float:
    return 100 * sum(cases[area] for area in areas) / cases.total()
