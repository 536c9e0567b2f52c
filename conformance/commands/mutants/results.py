"""Grading scenarios with mutants: which historic bug dies of which scenario, by which finding. Knows no pytest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from conformance.agents.loading import declared_agent
from conformance.run.session import Session
from conformance.scenario.cases import RunOptions, cases_of
from conformance.scenario.loading import ScenarioFile

BROKEN_SHARE = 1 / 3
"""A mutant that fails more of the scenarios than this is no historic bug any more, but a broken agent."""


@dataclass(frozen=True, slots=True)
class Kill:
    """One finding that a mutant has and that the reference agent has not."""

    scenario: str
    case: str
    finding: str
    level: str = "must"


@dataclass(slots=True)
class MutantResult:
    """What the scenarios made of one mutant."""

    mutant: str
    scenarios: int = 0
    kills: list[Kill] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def killers(self) -> list[str]:
        return sorted({kill.scenario for kill in self.kills})

    @property
    def is_broken(self) -> bool:
        failed = {kill.scenario for kill in self.kills if kill.level == "must"}
        return len(failed) > BROKEN_SHARE * self.scenarios

    def dies_of(self, scenario: str, finding: str) -> bool:
        """Whether some case of a scenario that matches yields a finding that matches; both are globs."""
        return any(fnmatchcase(kill.scenario, scenario) and fnmatchcase(kill.finding, finding) for kill in self.kills)


def grade(name: str, adapter: Any, files: Iterable[ScenarioFile]) -> MutantResult:
    """Run one mutant over the files, every wire and mode. Advice kills too: the reference agent is given none."""
    agent = declared_agent(name, adapter)
    given = MutantResult(name)
    with Session(agent) as session:
        for file in files:
            given.scenarios += 1
            for case in cases_of(file, agent, RunOptions()):
                verdict = session.run(case)
                if verdict.outcome == "error":
                    given.errors.append(f"{case.id}: {verdict.reason}")
                for finding in verdict.findings:
                    given.kills.append(Kill(file.id, case.id, finding.id, finding.level))
    return given


def rows(grades: Iterable[MutantResult]) -> Iterator[tuple[str, str, str]]:
    """Mutant, scenario, findings: one row for each scenario that kills."""
    for given in grades:
        if not given.kills:
            yield given.mutant, "(survives)", ""
        for scenario in given.killers:
            kills = sorted(
                (kill for kill in given.kills if kill.scenario == scenario), key=lambda kill: kill.level != "should"
            )
            findings = {kill.finding: kill.level for kill in kills}
            told = [f"{id} (advice)" if level == "should" else id for id, level in sorted(findings.items())]
            yield given.mutant, scenario, ", ".join(told)
