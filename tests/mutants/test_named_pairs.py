"""Each historic bug is caught by the scenario and the finding that it names.

The reference agent passes all scenarios: `pytest --agent=agent_conformance.reference:Adapter`, which .ci/run runs as
well.
"""

from fnmatch import fnmatchcase

import pytest

from agent_conformance.scenario.loading import ScenarioFile
from agent_mutants import MUTANTS, Mutant, encoding
from agent_mutants.command import result_of_named
from tests.bundled import bundled_files
from tests.tables import rows
from tests.wrong_agents.wrong import wrong_agents

pytestmark = pytest.mark.slow

FILES = bundled_files()
REACHABLE = [mutant for mutant in MUTANTS if mutant.reachable]
BEHAVIOURAL = [mutant for mutant in REACHABLE if mutant not in encoding.MUTANTS]
"""Those of an area. A mutant of the encoding fails wherever a request is sent."""


def rows_named(rows: tuple[str, ...], file: ScenarioFile) -> set[str]:
    return {row for row in file.rows if row is not None and any(fnmatchcase(row, glob) for glob in rows)}


@pytest.mark.parametrize("mutant", REACHABLE, ids=lambda mutant: mutant.name)
def test_mutant_is_caught_by_what_it_names(mutant: Mutant) -> None:
    result = result_of_named(mutant, FILES, until_caught=True)

    assert result.errors == []
    for pair in mutant.pairs:
        files = [file for file in FILES if pair.names(file.id)]
        assert files, f"{mutant.name} names {pair.scenario}, which is no scenario"
        for file in files:
            caught = result.rows_with(file.id, pair.finding)
            assert caught, f"{file.id} does not catch {mutant.name}, which has {result.findings}"
            missed = sorted(rows_named(pair.rows, file) - caught)
            assert missed == [], f"of {file.id} these do not catch {mutant.name}, which has {result.findings}"


@rows("mutant", REACHABLE, ids=lambda mutant: mutant.name)
def test_rows_that_a_mutant_names_are_there(mutant: Mutant) -> None:
    for pair in mutant.pairs:
        for file in FILES:
            if pair.names(file.id):
                unknown = [glob for glob in pair.rows if not rows_named((glob,), file)]
                assert unknown == [], f"{mutant.name} names rows that {file.id} does not have"


def test_every_scenario_is_named_by_an_agent_that_it_catches() -> None:
    """By a mutant or a wrong agent. One that none names is a defect: nothing shows that it can fail. Mutants of the
    encoding show it of none.
    """
    agents = [*BEHAVIOURAL, *wrong_agents()]
    unnamed = [file.id for file in FILES if not any(agent.names(file.id) for agent in agents)]

    assert unnamed == []


def test_every_row_is_named_by_an_agent_that_it_catches() -> None:
    """By itself, not only with its scenario, of which another row may catch the agent."""
    named_rows = [*(pair for mutant in BEHAVIOURAL for pair in mutant.pairs if pair.rows), *wrong_agents()]
    unnamed = [
        f"{file.id}[{row}]"
        for file in FILES
        for row in file.rows
        if row is not None and not any(pair.names_row(file.id, row) for pair in named_rows)
    ]

    assert unnamed == []
