"""Trying an agent on a scenario under each relation: what the tests of relations have in common."""

from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.relations import RelationChecks
from agent_conformance.relations.scope import RELATIONS, Relation
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Finding
from tests.trying import scenario


def findings(
    adapter: Any, text: str, *, relations: tuple[Relation, ...] = RELATIONS, **choice: Any
) -> dict[str, list[Finding]]:
    """Each case's target and mode with its findings."""
    agent, options = checked_agent("trying", adapter), RunOptions(**choice)
    found = {}
    with CaseSession(agent, keeps_transcripts=True) as runner:
        checks = RelationChecks(runner, agent, options, relations)
        for case in cases_of(scenario(text), agent, options):
            verdict = checks.with_differences(case, runner.run(case))
            assert verdict.outcome in ("pass", "fail"), verdict
            found[case.id.partition("@")[2]] = list(verdict.findings)
    return found


def ids(adapter: Any, text: str, **choice: Any) -> dict[str, list[str]]:
    """Each case with the ids of its findings, without those that have none."""
    found = findings(adapter, text, **choice)
    assert found
    return {case: [finding.id for finding in those] for case, those in found.items() if those}
