"""The output and the exit code of `agent-conformance mutants`."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.commands.shared import fitted, give_memory_back, print_json, unknown_name
from agent_conformance.commands.shared.served import progress
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_folder
from agent_mutants import MUTANTS, Mutant, mutant_adapter

BROKEN_SHARE = 1 / 3
"""A mutant that fails more of the scenarios than this is no historic bug any more, but a broken agent."""


@dataclass(frozen=True, slots=True)
class MutantFinding:
    """One finding in a case of a mutant. The reference agent has none in any case."""

    scenario: str
    case: str
    finding: str
    level: str = "must"
    row: str | None = None


@dataclass(slots=True)
class MutantResult:
    """The run of one mutant: how many scenarios, what they found, and cases that could not be judged."""

    mutant: str
    scenarios: int = 0
    findings: list[MutantFinding] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def catching(self) -> list[str]:
        """The scenarios that catch the mutant."""
        return sorted({finding.scenario for finding in self.findings})

    @property
    def is_broken(self) -> bool:
        failed = {finding.scenario for finding in self.findings if finding.level == "must"}
        return len(failed) > BROKEN_SHARE * self.scenarios

    def rows_with(self, scenario: str, finding: str) -> set[str | None]:
        """The rows of a scenario of which some case has a finding that matches, a glob."""
        return {
            found.row for found in self.findings if found.scenario == scenario and fnmatchcase(found.finding, finding)
        }


def result_of(
    name: str,
    adapter: Any,
    files: Iterable[ScenarioFile],
    is_wanted: Callable[[str, str | None], bool] = lambda scenario, row: True,
    is_enough: Callable[[MutantResult, str, str | None], bool] = lambda result, scenario, row: False,
) -> MutantResult:
    """Run one mutant over the files, on every wire and in every mode. Advice catches it too.

    `is_wanted` gets a scenario and a row of its examples. Of those that are `is_enough` no further case is run.
    """
    agent = checked_agent(name, adapter)
    result = MutantResult(name)
    with CaseSession(agent) as runner:
        for file in files:
            result.scenarios += 1
            for case in cases_of(file, agent, RunOptions()):
                if not is_wanted(file.id, case.row) or is_enough(result, file.id, case.row):
                    continue
                verdict = runner.run(case)
                if verdict.outcome == "error":
                    result.errors.append(f"{case.id}: {verdict.reason}")
                for finding in verdict.findings:
                    result.findings.append(MutantFinding(file.id, case.id, finding.id, finding.level, case.row))
    return result


def result_of_named(mutant: Mutant, files: Iterable[ScenarioFile], *, until_caught: bool = False) -> MutantResult:
    """Run one mutant over what it names among the files: scenarios, or rows of their examples. With `until_caught` a
    row is run on one wire after the other until it has what the mutant names for it.
    """
    chosen = [file for file in files if mutant.names(file.id)]

    def is_caught(result: MutantResult, scenario: str, row: str | None) -> bool:
        named = [pair.finding for pair in mutant.pairs if pair.names_row(scenario, row)]
        return until_caught and all(row in result.rows_with(scenario, finding) for finding in named)

    return result_of(mutant.name, mutant_adapter(mutant), chosen, mutant.names_row, is_caught)


def rows(results: Iterable[MutantResult]) -> Iterator[tuple[str, str, str]]:
    """Mutant, scenario, findings: one row for each scenario that catches the mutant."""
    for result in results:
        if not result.findings:
            yield result.mutant, "(not caught)", ""
        for scenario in result.catching:
            yield result.mutant, scenario, ", ".join(_finding_names(result, scenario))


def _finding_names(result: MutantResult, scenario: str) -> Iterator[str]:
    """Each finding once; one that is advice in one case and a must in another counts as the must."""
    levels: dict[str, set[str]] = {}
    for found in result.findings:
        if found.scenario == scenario:
            levels.setdefault(found.finding, set()).add(found.level)
    for name, its_levels in sorted(levels.items()):
        yield f"{name} (advice)" if its_levels == {"should"} else name


MINUTE = 60
"""Seconds; a shorter wait needs no forecast, and a pipe gets a line of progress for each."""


def run_mutants(
    names: Sequence[str], *, only_list: bool, scenarios: Path | None, named: bool, json: bool = False
) -> int:
    """1: a mutant that no bundled scenario catches; 2: a usage error. A project's scenarios need not catch any."""
    unknown = next((name for name in names if not any(_matches(mutant, name) for mutant in MUTANTS)), None)
    if unknown is not None:
        short = [mutant.name.partition("_")[0] for mutant in MUTANTS]
        print(
            unknown_name(
                "mutant", unknown, [*(mutant.name for mutant in MUTANTS), *short], shown="`--list` prints them."
            ),
            file=sys.stderr,
        )
        return 2
    chosen = [mutant for mutant in MUTANTS if not names or any(_matches(mutant, name) for name in names)]
    if only_list and json:
        listed = [{"name": one.name, "breaks": one.breaks, "not_reached": one.reason} for one in chosen]
        print_json({"mutants": listed})
        return 0
    if only_list:
        print(*(fitted(f"{mutant.name:34} {mutant.breaks}") for mutant in chosen), sep="\n")
        return 0
    files = _scenario_files(scenarios or bundled_scenarios())
    if not files:
        print(f"{scenarios}: there are no scenarios in it", file=sys.stderr)
        return 2
    run, caught = 0, 0
    broken: list[str] = []
    caught_by: list[dict[str, Any]] = []
    for result in _results(chosen, files, named=named, print_unreachable=not (scenarios or json)):
        run, caught = run + 1, caught + bool(result.findings)
        if json:
            by = [{"scenario": scenario, "findings": found} for _, scenario, found in rows([result]) if found]
            caught_by.append({"name": result.mutant, "scenarios": result.scenarios, "caught_by": by})
        else:
            _print_rows(result, also_not_caught=not scenarios)
        if result.is_broken and not (named or scenarios):
            broken.append(f"{result.mutant}: broken; it fails {len(result.catching)} of {result.scenarios} scenarios")
    if json:
        print_json({"run": run, "caught": caught, "broken": broken, "mutants": caught_by})
        return 0 if scenarios or caught == run else 1
    print(*broken, f"{run} mutant{'' if run == 1 else 's'}, {caught} caught", sep="\n")
    return 0 if scenarios or caught == run else 1


def _print_rows(result: MutantResult, *, also_not_caught: bool) -> None:
    """Nothing of a result is kept once it is printed: a mutant may have a finding in each of some thousand cases."""
    if result.findings or also_not_caught:
        progress("")
        for name, scenario, findings in rows([result]):
            print(fitted(f"{name:34} {scenario:52} {findings}"), flush=True)


def _results(
    mutants: Sequence[Mutant], files: Sequence[ScenarioFile], *, named: bool, print_unreachable: bool
) -> Iterator[MutantResult]:
    reachable = [mutant for mutant in mutants if mutant.reachable]
    begun = said = time.monotonic()
    done = 0
    found = map(partial(result_of_named, files=files), reachable) if named else results_of_all(reachable, files)
    for place, mutant in enumerate(mutants, 1):
        if mutant.reachable:
            now = time.monotonic()
            left = (now - begun) / done * (len(reachable) - done) if done else 0.0
            forecast = f", about {left / 60:.0f} minutes left" if left > MINUTE else ""
            text = f"{place} of {len(mutants)} mutants, {mutant.name}{forecast}"
            progress(text)
            if now - said > MINUTE and not sys.stderr.isatty():
                print(text, file=sys.stderr, flush=True)
                said = now
            yield next(found)
            done += 1
            give_memory_back()
        elif print_unreachable:
            progress("")
            print(fitted(f"{mutant.name:34} not reached: {mutant.reason}"))
    progress("")


def _matches(mutant: Mutant, name: str) -> bool:
    """By a glob, or by the mutant's name up to the first `_`."""
    return fnmatchcase(mutant.name, name) or mutant.name.partition("_")[0] == name


def _scenario_files(folder: Path) -> list[ScenarioFile]:
    """The scenario files in the areas of a folder, or in the one area that it is."""
    files, problems = load_folder(folder.parent if any(folder.glob("*.yaml")) else folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return [file for file in files if file.path.is_relative_to(folder)]


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
