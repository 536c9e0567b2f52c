"""Each historic bug is caught by the scenario and the finding that it names.

The reference agent passes all scenarios: `pytest --agent=conformance.reference:Adapter`, which .ci/run runs as well.
"""

from fnmatch import fnmatchcase

import pytest

from conformance.agents.mutants import MUTANTS, Mutant, mutant_adapter
from conformance.commands.mutants.results import result_of
from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import ScenarioFile, load_folder

pytestmark = pytest.mark.slow

FILES, _ = load_folder(bundled_scenarios())
REACHABLE = [mutant for mutant in MUTANTS if mutant.reachable]


def scenarios_that_catch(mutant: Mutant) -> list[ScenarioFile]:
    return [file for file in FILES if any(fnmatchcase(file.id, scenario) for scenario, _ in mutant.caught_by)]


@pytest.mark.parametrize("mutant", REACHABLE, ids=lambda mutant: mutant.name)
def test_mutant_is_caught_by_what_it_names(mutant: Mutant) -> None:
    result = result_of(mutant.name, mutant_adapter(mutant), scenarios_that_catch(mutant))

    assert result.errors == []
    for scenario, finding in mutant.caught_by:
        named = [file.id for file in FILES if fnmatchcase(file.id, scenario)]
        assert named, f"{mutant.name} names {scenario}, which is no scenario"
        for id in named:
            assert result.caught_by(id, finding), f"{id} does not catch {mutant.name}, which has {result.findings}"


def test_every_scenario_is_named_by_a_mutant_that_it_catches() -> None:
    """One that none names is a defect: nothing shows that it can fail."""
    named = {file.id for mutant in REACHABLE for file in scenarios_that_catch(mutant)}

    assert sorted({file.id for file in FILES} - named) == []


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if not m.reachable], ids=lambda mutant: mutant.name)
def test_mutant_that_cannot_be_reached_says_why(mutant: Mutant) -> None:
    assert len(mutant.reason) > 20
