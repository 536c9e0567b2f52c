"""Which scenarios catch which mutant, and by which findings. Knows no pytest."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from agent_conformance.agents.mutants import Mutant, mutant_adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.session import Session
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile

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
) -> MutantResult:
    """Run one mutant over the files, on every wire and in every mode. Advice catches it too.

    `is_wanted` gets a scenario and a row of its examples.
    """
    agent = checked_agent(name, adapter)
    result = MutantResult(name)
    with Session(agent) as session:
        for file in files:
            result.scenarios += 1
            for case in cases_of(file, agent, RunOptions()):
                if not is_wanted(file.id, case.row):
                    continue
                verdict = session.run(case)
                if verdict.outcome == "error":
                    result.errors.append(f"{case.id}: {verdict.reason}")
                for finding in verdict.findings:
                    result.findings.append(MutantFinding(file.id, case.id, finding.id, finding.level, case.row))
    return result


def result_of_named(mutant: Mutant, files: Iterable[ScenarioFile]) -> MutantResult:
    """Run one mutant over what it names among the files: scenarios, or rows of their examples."""
    chosen = [file for file in files if mutant.names(file.id)]
    return result_of(mutant.name, mutant_adapter(mutant), chosen, mutant.names_row)


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
