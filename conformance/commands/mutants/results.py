"""Which scenarios catch which mutant, and by which findings. Knows no pytest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from conformance.agents.loading import checked_agent
from conformance.run.session import Session
from conformance.scenario.cases import RunOptions, cases_of
from conformance.scenario.loading import ScenarioFile

BROKEN_SHARE = 1 / 3
"""A mutant that fails more of the scenarios than this is no historic bug any more, but a broken agent."""


@dataclass(frozen=True, slots=True)
class MutantFinding:
    """One finding in a case of a mutant. The reference agent has none in any case."""

    scenario: str
    case: str
    finding: str
    level: str = "must"


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

    def caught_by(self, scenario: str, finding: str) -> bool:
        """Whether some case of a scenario that matches has a finding that matches; both are globs."""
        return any(
            fnmatchcase(found.scenario, scenario) and fnmatchcase(found.finding, finding) for found in self.findings
        )


def result_of(name: str, adapter: Any, files: Iterable[ScenarioFile]) -> MutantResult:
    """Run one mutant over the files, on every wire and in every mode. Advice catches it too."""
    agent = checked_agent(name, adapter)
    result = MutantResult(name)
    with Session(agent) as session:
        for file in files:
            result.scenarios += 1
            for case in cases_of(file, agent, RunOptions()):
                verdict = session.run(case)
                if verdict.outcome == "error":
                    result.errors.append(f"{case.id}: {verdict.reason}")
                for finding in verdict.findings:
                    result.findings.append(MutantFinding(file.id, case.id, finding.id, finding.level))
    return result


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
