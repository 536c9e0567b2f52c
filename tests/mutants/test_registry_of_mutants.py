import dataclasses
import importlib
import inspect
import textwrap
from pathlib import Path

import pytest

import agent_mutants
from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.wires import WIRES
from agent_conformance.attach.loading import load_agent
from agent_mutants import MUTANTS, mutant_adapter, named
from tests.tables import rows

FOLDER = Path(agent_mutants.__file__).parent
LONGEST = 15


def names(mutants):
    return [mutant.name for mutant in mutants]


def test_names_are_unique_also_when_they_are_short():
    short = [name.partition("_")[0] for name in names(MUTANTS)]

    assert len(set(short)) == len(MUTANTS)


def test_every_mutant_cites_where_it_comes_from_and_what_it_breaks():
    assert [mutant.name for mutant in MUTANTS if not (mutant.source and mutant.breaks)] == []


@rows("mutant", [m for m in MUTANTS if m.reachable], ids=lambda m: m.name)
def test_reachable_mutant_has_other_defences_and_names_what_catches_it(mutant):
    defences = mutant_adapter(mutant).defences

    assert defences != Adapter.defences
    assert mutant.caught_by
    assert mutant.reason == ""


@pytest.mark.parametrize("mutant", [m for m in MUTANTS if not m.reachable], ids=lambda m: m.name)
def test_mutant_that_cannot_be_reached_says_why(mutant):
    assert mutant.reason


@rows("mutant", MUTANTS, ids=lambda m: m.name)
def test_change_is_small(mutant):
    lines = textwrap.dedent(inspect.getsource(mutant.change)).splitlines()
    decorators = next((number for number, line in enumerate(lines) if line.startswith("def ")), 0)

    assert len(lines) - decorators <= LONGEST


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda p: p.name)
def test_mutants_know_no_wire(path):
    text = path.read_text()

    assert [wire for wire in WIRES if wire in text] == []


def test_mutant_is_an_agent_by_its_name(tmp_path):
    agent = load_agent("agent_conformance.mutants:M3a_passthrough_bracket", cwd=tmp_path)

    assert agent.wires == Adapter.wires
    assert agent.adapter.defences != Adapter.defences


def test_mutants_share_nothing_with_the_reference_agent():
    before = {field.name: getattr(Adapter.defences, field.name) for field in dataclasses.fields(Adapter.defences)}

    for mutant in MUTANTS:
        mutant_adapter(mutant)

    after = {field.name: getattr(Adapter.defences, field.name) for field in dataclasses.fields(Adapter.defences)}
    assert after == before


def test_unknown_mutant_is_an_error_with_the_known_names():
    with pytest.raises(LookupError, match="M3a_passthrough_bracket"):
        named("M99")
    with pytest.raises(AttributeError):
        importlib.import_module("agent_mutants").M99  # noqa: B018 - asking for it is the test


def test_pair_may_name_rows_of_the_examples_of_a_scenario():
    caught_by = (("tools/other", "paired"), ("tools/weather[hot, c*]", "1.reply"))
    mutant = dataclasses.replace(MUTANTS[0], caught_by=caught_by)

    assert [pair.rows for pair in mutant.pairs] == [(), ("hot", "c*")]
    assert mutant.names("tools/weather")
    assert [row for row in ("hot", "cold", "cool", "warm", None) if mutant.names_row("tools/weather", row)] == [
        "hot",
        "cold",
        "cool",
    ]
    assert mutant.names_row("tools/other", "any")
    assert mutant.names_row("tools/other", None)
    assert not mutant.names("tools/third")


def test_short_name_is_enough():
    assert named("M3a").name == "M3a_passthrough_bracket"
