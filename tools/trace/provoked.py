"""What provoked each law and each rule: from runs of the mutants, and from the results of the leaderboard."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agent_conformance.attach.loading import checked_agent
from agent_conformance.judge.laws import law_of
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import case_and_finding
from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.transcripts.finding import Subject, Verdict, subject_of
from agent_conformance.transcripts.transcript import Transcript
from agent_mutants import MUTANTS, Mutant, mutant_adapter


@dataclass(slots=True)
class Provoked:
    """By which mutants and agents one law or rule was broken, each with the scenarios in which they broke it."""

    mutants: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    agents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def scenarios(self) -> list[str]:
        return sorted(
            {scenario for found in (self.mutants, self.agents) for held in found.values() for scenario in held}
        )


Trace = dict[str, Provoked]
"""By the id of a law or a rule."""


def by_mutants(files: Iterable[ScenarioFile], trace: Trace, *, everything: bool) -> Iterator[Mutant]:
    """Run the mutants, add what they provoke, and yield each that is done."""
    known = list(files)
    for mutant in MUTANTS:
        if mutant.reachable:
            named = [file for file in known if mutant.names(file.id)]
            for scenario, id in _provoked_by(mutant, known if everything else named):
                trace.setdefault(id, Provoked()).mutants[mutant.name].add(scenario)
        yield mutant


def by_agents(leaderboard: Path, trace: Trace) -> None:
    """Add what the agents of the leaderboard provoked."""
    for row in json.loads(leaderboard.read_text(encoding="utf-8"))["agents"]:
        for pair in row["failing"]:
            scenario, finding = case_and_finding(pair)
            for id in _ids_of(subject_of(finding)):
                trace.setdefault(id, Provoked()).agents[row["agent"]].add(scenario)


def _provoked_by(mutant: Mutant, files: Iterable[ScenarioFile]) -> Iterator[tuple[str, str]]:
    """Scenario, and the id of the law or rule."""
    agent = checked_agent(mutant.name, mutant_adapter(mutant))
    with CaseSession(agent) as runner:
        for file in files:
            for case in cases_of(file, agent, RunOptions()):
                verdict, transcripts = runner.examine(case)
                yield from ((file.id, id) for id in {*_laws_in(verdict), *_rules_in(transcripts)})


def _laws_in(verdict: Verdict) -> Iterator[str]:
    for finding in verdict.findings:
        yield from _ids_of(finding.subject)


def _rules_in(transcripts: Iterable[Transcript]) -> Iterator[str]:
    for transcript in transcripts:
        for record in transcript.turns:
            yield from (request.violation.rule for request in record.requests if request.violation is not None)


def _ids_of(subject: Subject) -> Iterator[str]:
    """The law that a finding is about, and the rule, if it names one."""
    law = law_of(subject)
    if law is not None:
        yield law.id
    if subject.rule:
        yield subject.rule
