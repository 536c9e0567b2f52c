"""What is known of an agent before a search: by running scenarios. Knows no report and no baseline."""

from collections.abc import Callable, Iterable

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.fuzz.findings import Known, findings_by_kind
from agent_conformance.minimise.trials import Kind, Trials
from agent_conformance.record.finding import Level
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile


def known_of_scenarios(
    trials: Trials,
    agent: DeclaredAgent,
    files: Iterable[ScenarioFile],
    *,
    level: Level,
    progress: Callable[[str], None],
) -> Known:
    """The kinds of findings that the agent has in the cases of these files."""
    kinds: set[Kind] = set()
    for file in files:
        progress(f"the corpus first: {file.id}, {len(kinds)} kinds of findings so far")
        for case in cases_of(file, agent, RunOptions()):
            if not case.missing:
                kinds |= findings_by_kind(trials.verdict_on(case), level).keys()
    return Known(frozenset(kinds))
