"""Each historic bug dies of the scenario it names, by the finding it names; the reference agent lives."""

from fnmatch import fnmatchcase

import pytest

from conformance.agents.mutants import MUTANTS, Mutant, mutant_adapter
from conformance.agents.reference import Adapter
from conformance.commands.mutants.results import grade
from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import ScenarioFile, load_folder

FILES, _ = load_folder(bundled_scenarios())
REACHABLE = [mutant for mutant in MUTANTS if mutant.reachable]


def killers(mutant: Mutant) -> list[ScenarioFile]:
    return [file for file in FILES if any(fnmatchcase(file.id, scenario) for scenario, _ in mutant.kill)]


@pytest.mark.parametrize("mutant", REACHABLE, ids=lambda mutant: mutant.name)
def test_a_mutant_dies_of_what_it_names(mutant: Mutant) -> None:
    given = grade(mutant.name, mutant_adapter(mutant), killers(mutant))

    assert given.errors == []
    for scenario, finding in mutant.kill:
        named = [file.id for file in FILES if fnmatchcase(file.id, scenario)]
        assert named, f"{mutant.name} names {scenario}, which is no scenario"
        for id in named:
            assert given.dies_of(id, finding), f"{mutant.name} survives {id}; it has {given.kills}"


def test_the_reference_agent_lives_through_every_named_scenario() -> None:
    named = {file.id: file for mutant in REACHABLE for file in killers(mutant)}
    given = grade("reference", Adapter, named.values())

    assert given.scenarios > 20
    assert (given.kills, given.errors) == ([], [])


def test_every_scenario_is_named_by_a_mutant_that_dies_of_it() -> None:
    """One that none names is a defect: it has never been seen to fail."""
    named = {file.id for mutant in REACHABLE for file in killers(mutant)}

    assert sorted({file.id for file in FILES} - named) == []


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if not m.reachable], ids=lambda mutant: mutant.name)
def test_a_mutant_that_cannot_be_reached_says_why(mutant: Mutant) -> None:
    assert len(mutant.reason) > 20
