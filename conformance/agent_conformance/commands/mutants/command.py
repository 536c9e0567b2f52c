"""The output and the exit code of `agent-conformance mutants`. Judges nothing."""

import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from agent_conformance.agents.mutants import MUTANTS, Mutant
from agent_conformance.commands.mutants.batches import results_of_all
from agent_conformance.commands.mutants.results import MutantResult, result_of_named, rows
from agent_conformance.commands.shared.arguments import unknown_name
from agent_conformance.commands.shared.line_printing import progress
from agent_conformance.commands.shared.memory import give_memory_back
from agent_conformance.scenario.files.corpus import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_folder


def run_mutants(names: Sequence[str], *, only_list: bool, scenarios: Path | None, named: bool) -> int:
    """1: a mutant that no bundled scenario catches; 2: a usage error. A project's scenarios need not catch any."""
    unknown = next((name for name in names if not any(_matches(mutant, name) for mutant in MUTANTS)), None)
    if unknown is not None:
        print(_no_mutant(unknown), file=sys.stderr)
        return 2
    chosen = [mutant for mutant in MUTANTS if not names or any(_matches(mutant, name) for name in names)]
    if only_list:
        print("\n".join(f"{mutant.name:34} {mutant.breaks}" for mutant in chosen))
        return 0
    files = _scenario_files(scenarios or bundled_scenarios())
    if not files:
        print(f"{scenarios}: there are no scenarios in it", file=sys.stderr)
        return 2
    run, caught = 0, 0
    broken: list[str] = []
    for result in _results(chosen, files, named=named, print_unreachable=not scenarios):
        run, caught = run + 1, caught + bool(result.findings)
        _print_rows(result, also_not_caught=not scenarios)
        if result.is_broken and not (named or scenarios):
            broken.append(f"{result.mutant}: broken; it fails {len(result.catching)} of {result.scenarios} scenarios")
    print(*broken, f"{run} mutant{'' if run == 1 else 's'}, {caught} caught", sep="\n")
    return 0 if scenarios or caught == run else 1


def _print_rows(result: MutantResult, *, also_not_caught: bool) -> None:
    """Nothing of a result is kept once it is printed: a mutant may have a finding in each of some thousand cases."""
    if result.findings or also_not_caught:
        progress("")
        for name, scenario, findings in rows([result]):
            print(f"{name:34} {scenario:52} {findings}", flush=True)


def _results(
    mutants: Sequence[Mutant], files: Sequence[ScenarioFile], *, named: bool, print_unreachable: bool
) -> Iterator[MutantResult]:
    reachable = [mutant for mutant in mutants if mutant.reachable]
    found = map(partial(result_of_named, files=files), reachable) if named else results_of_all(reachable, files)
    for place, mutant in enumerate(mutants, 1):
        if mutant.reachable:
            progress(f"{place} of {len(mutants)} mutants, {mutant.name}")
            yield next(found)
            give_memory_back()
        elif print_unreachable:
            progress("")
            print(f"{mutant.name:34} not reached: {mutant.reason}")
    progress("")


def _matches(mutant: Mutant, name: str) -> bool:
    """By a glob, or by the mutant's name up to the first `_`."""
    return fnmatchcase(mutant.name, name) or mutant.name.partition("_")[0] == name


def _no_mutant(name: str) -> str:
    short = [mutant.name.partition("_")[0] for mutant in MUTANTS]
    return unknown_name("mutant", name, [*(mutant.name for mutant in MUTANTS), *short], shown="`--list` prints them.")


def _scenario_files(folder: Path) -> list[ScenarioFile]:
    """Those in the areas of a folder, or in the one area that it is."""
    files, problems = load_folder(folder.parent if any(folder.glob("*.yaml")) else folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return [file for file in files if file.path.is_relative_to(folder)]
