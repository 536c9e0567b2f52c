"""Mutants over all scenarios, some in each process: what a process holds on to ends with it. Prints nothing."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from agent_conformance.agents.mutants import MUTANTS, Mutant, mutant_adapter
from agent_conformance.commands.mutants.results import MutantResult, result_of
from agent_conformance.commands.shared.memory import give_memory_back
from agent_conformance.scenario.loading import ScenarioFile

BATCH = 20
"""Mutants in one process. Each takes some thousand cases, and leaves about a megabyte in pieces."""

_FILES: list[ScenarioFile] = []
"""The scenarios, in a process of its own."""


def results_of_all(mutants: Sequence[Mutant], files: Sequence[ScenarioFile]) -> Iterator[MutantResult]:
    """The result of each, in order, as it is asked for. Raises `BrokenProcessPool` where a process dies."""
    if len(mutants) <= BATCH:
        for mutant in mutants:
            yield result_of(mutant.name, mutant_adapter(mutant), files)
        return
    context = get_context("spawn")  # a fork would begin with all that this process holds, its threads left out
    with ProcessPoolExecutor(
        1, mp_context=context, initializer=_begin, initargs=(files,), max_tasks_per_child=BATCH
    ) as worker:
        for mutant in mutants:
            yield worker.submit(_result_of, mutant.name).result()


def _begin(files: Sequence[ScenarioFile]) -> None:
    _FILES[:] = files


def _result_of(name: str) -> MutantResult:
    mutant = next(mutant for mutant in MUTANTS if mutant.name == name)
    result = result_of(name, mutant_adapter(mutant), _FILES)
    give_memory_back()
    return result
