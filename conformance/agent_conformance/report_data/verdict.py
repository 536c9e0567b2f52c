"""The verdict on a run, from its results: one word, and what speaks against it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent_conformance.baseline.case_report import JUDGED
from agent_conformance.report_data.model import Results

Word = Literal["passed", "failed", "incomplete"]
"""`failed`: something was found in the agent. `incomplete`: nothing was, and not everything could be judged."""

ENDED = {
    "stopped": "the run was stopped",
    "interrupted": "the run was interrupted",
    "terminated": "the run was terminated",
    "killed": "the run was killed",
}


@dataclass(frozen=True, slots=True)
class RunVerdict:
    word: Word
    gaps: tuple[str, ...]
    """Why not everything that was chosen has a verdict."""


def verdict_of(results: Results) -> RunVerdict:
    gaps = tuple(_gaps(results))
    if results.counts.get("fail") or results.counts.get("stale") or results.fewer:
        return RunVerdict("failed", gaps)
    return RunVerdict("incomplete" if gaps else "passed", gaps)


def wrote_baseline(results: Results) -> bool:
    """Whether it is the first run: there was no baseline, and yet all that was found is known, and not tolerated."""
    states = {one.state for case in results.cases for one in case.findings if not one.is_tolerated}
    return not results.options.baseline and "known" in states and "new" not in states


def _gaps(results: Results) -> Iterator[str]:
    counts = results.counts
    ran = len(results.cases)
    if results.ended != "complete":
        of = f" of {results.selected}" if results.selected else ""
        yield f"{ENDED[results.ended]} after {ran}{of} cases"
    elif results.selected > ran:
        yield f"{results.selected - ran} of {results.selected} cases have no result"
    if results.shard is not None and results.shard.missing:
        numbers = ", ".join(f"{number}/{results.shard.of}" for number in results.shard.missing)
        yield f"missing shard{'s' if len(results.shard.missing) > 1 else ''}: {numbers}"
    yield from (f"no longer judged: {text}" for text in results.fewer)
    if errors := counts.get("error", 0):
        yield f"{errors} error{'s' if errors > 1 else ''} (not the agent)"
    if broken := len(results.broken_files):
        yield f"{broken} broken scenario file{'s' if broken > 1 else ''}"
    if results.stray_exits:
        yield "the agent wanted to end the process between two cases"
    if ran and not any(counts.get(outcome) for outcome in JUDGED):
        yield "nothing was judged"
