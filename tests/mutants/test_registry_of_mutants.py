import ast
import dataclasses
import importlib
import re
import sys
from pathlib import Path

import pytest

import agent_conformance.mutants
import agent_mutants
from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.wires import WIRES
from agent_conformance.attach.loading import load_agent
from agent_conformance.commands.main import main
from agent_mutants import MUTANTS, mutant_adapter, named
from tests.docs.documents import DOCUMENTS
from tests.tables import rows

PATHS = sorted(Path(agent_mutants.__file__).parent.rglob("*.py"))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
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


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_change_is_small(path):
    """Its lines, without the row above it."""
    functions = [node for node in ast.parse(path.read_text()).body if isinstance(node, FUNCTIONS)]

    assert [one.name for one in functions if one.name[0] == "M" and one.end_lineno - one.lineno >= LONGEST] == []


def test_mutants_that_documents_run_are_installed():
    texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS if path.name != "CONTRIBUTING.md"]
    run = {name for text in texts for name in re.findall(r"agent_conformance\.mutants:(M\w+)", text)}

    assert run == {name for name in vars(agent_conformance.mutants) if name.startswith("M") and name[1].isdigit()}


def test_where_nothing_else_is_installed_the_others_are_said_to_be_in_a_checkout(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "agent_mutants", None)

    assert agent_conformance.mutants.M2a_prune_first_user.wires == Adapter.wires
    with pytest.raises(
        AttributeError, match="M3a_passthrough_bracket is not installed: most mutants are in a checkout"
    ):
        _ = agent_conformance.mutants.M3a_passthrough_bracket
    assert main(["mutants", "--list"]) == 2
    assert capsys.readouterr().err == "The mutants are not installed: run this command in a checkout of the project.\n"


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
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
