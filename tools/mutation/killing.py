"""Runs a sample of mutants, each in a process of its own, until something notices it or nothing is left that could."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from mmap import mmap

from tools.mutation.coverage_map import CoverageMap
from tools.mutation.forking import Ended, limit_cpu, run_forked
from tools.mutation.mutants import Mutant
from tools.mutation.new_process import failing_with, runs_at_import
from tools.mutation.oracles import Oracle
from tools.mutation.score import Fate

LEAST, FACTOR = 10.0, 30.0
"""Seconds of the processor for one unit, and so many times what it takes without a mutant. More is an endless loop."""

WAITING, WAITING_FACTOR = 300.0, 40.0
"""The same for a mutant in all, by the clock: others may use the processor as well."""


@dataclass(frozen=True, slots=True)
class Fated:
    """A mutant and what became of it. `by` is what killed it, or why nothing could; `unit` is the case or test."""

    mutant: Mutant
    fate: Fate
    by: str
    seconds: float = 0.0
    unit: int | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    mutant: Mutant
    units: tuple[int, ...]
    left_out: int
    begun: float
    running: mmap
    """Shared with the process: the number of the unit that runs, plus one. It says what an endless loop began in."""


def fates(
    sample: Sequence[Mutant],
    oracle: Oracle,
    covered: CoverageMap,
    reasons: Mapping[str, str],
    *,
    at_once: int,
    most: int | None = None,
) -> Iterator[Fated]:
    """The fate of each mutant. `reasons` has those that are equivalent, by name. No mutant is run against more than
    `most` cases and as many tests."""
    killers: dict[tuple[str, str], list[int]] = {}
    to_run: list[Mutant] = []
    for mutant in sample:
        if mutant.name in reasons:
            yield Fated(mutant, "equivalent", reasons[mutant.name])
        elif not covered.covering(mutant):
            yield _at_import(mutant, oracle)
        else:
            to_run.append(mutant)

    def jobs() -> Iterator[_Job]:
        for mutant in to_run:
            known = killers.get((mutant.file, mutant.function), [])
            units = ordered(oracle.units, covered, mutant, first=known, early=oracle.tried_first)
            chosen = {*[u for u in units if u < oracle.cases][:most], *[u for u in units if u >= oracle.cases][:most]}
            run = tuple(unit for unit in units if unit in chosen)
            yield _Job(mutant, run, len(units) - len(run), time.monotonic(), mmap(-1, 4))

    def seconds(job: _Job) -> float:
        return WAITING + WAITING_FACTOR * sum(covered.seconds[unit] for unit in job.units)

    for job, ended in run_forked(jobs(), _attempt(oracle, covered), seconds=seconds, at_once=at_once):
        fated = _fated(job, ended, oracle.units)
        if fated.unit is not None and not ended.stopped:
            killers.setdefault((job.mutant.file, job.mutant.function), []).insert(0, fated.unit)
        yield fated


def _at_import(mutant: Mutant, oracle: Oracle) -> Fated:
    """The fate of a mutant that no unit executes: it may still be executed before any of them begins."""
    if not (oracle.tests_anew and runs_at_import(mutant)):
        return Fated(mutant, "survived", f"no unit of {len(oracle.units)} executes it")
    begun = time.monotonic()
    try:
        failed = failing_with(mutant, oracle.tests_anew)
    except ImportError as error:
        return Fated(mutant, "broken", str(error))
    taken = time.monotonic() - begun
    if failed is None:
        return Fated(mutant, "survived", "it is executed at import alone, and all pass", taken)
    return Fated(mutant, "killed", failed, taken)


def ordered(
    units: Sequence[str], covered: CoverageMap, mutant: Mutant, first: Sequence[int] = (), early: range = range(0)
) -> tuple[int, ...]:
    """All units that cover the mutant: what killed a neighbour, then one of each scenario or test, cheapest first.

    All of `early` come before the others.
    """
    covering = covered.covering(mutant)
    rank: dict[str, int] = {}
    rounds: dict[int, int] = {}
    for unit in sorted(covering, key=lambda unit: (covered.seconds[unit], unit)):
        group = units[unit].partition("[")[0].partition("@")[0]
        rounds[unit] = rank[group] = rank.get(group, -1) + 1
    rest = sorted(covering, key=lambda unit: (rounds[unit], covered.seconds[unit], unit))
    in_order = dict.fromkeys([*(unit for unit in first if unit in covering), *rest])
    return tuple(sorted(in_order, key=lambda unit: unit not in early))


def _attempt(oracle: Oracle, covered: CoverageMap) -> Callable[[_Job], int | str]:
    """What runs in the process: the unit that notices the mutant, twice in a row; -1 for none; or why it is broken."""

    def attempt(job: _Job) -> int | str:
        try:
            oracle.apply(job.mutant)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        for unit in job.units:
            job.running[:] = (unit + 1).to_bytes(4)
            limit_cpu(LEAST + FACTOR * covered.seconds[unit])
            if not oracle.passes(unit) and not oracle.passes(unit):
                return unit
        return -1

    return attempt


def _fated(job: _Job, ended: Ended, units: Sequence[str]) -> Fated:
    taken = time.monotonic() - job.begun
    if ended.stopped:
        unit = int.from_bytes(job.running[:]) - 1
        return Fated(job.mutant, "killed", ended.stopped, taken, unit if unit >= 0 else None)
    if isinstance(ended.value, str):
        return Fated(job.mutant, "broken", ended.value, taken)
    if ended.value < 0:
        how_many = f"{len(job.units) + job.left_out} of {len(units)} execute it, and all"
        return Fated(
            job.mutant, "survived", f"{how_many}{f' but {job.left_out}, not run,' * bool(job.left_out)} pass", taken
        )
    return Fated(job.mutant, "killed", units[ended.value], taken, ended.value)
