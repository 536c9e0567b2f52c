"""Which cases an agent with `fixed-tools` never meets: tools declared as only others declare them."""

from dataclasses import replace

import pytest

from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.loading import checked_agent
from agent_conformance.scenario.cases import FOREIGN_TOOLS, RunOptions, cases_of
from agent_conformance.scenario.derived.routes import has_foreign_tools
from agent_conformance.scenario.model import ToolSpec
from tests.bundled import bundled_files
from tests.trying import ONE_CALL, scenario


def declared(name: str, *, wire: str = "openai-chat", **schema: object) -> bool:
    file = scenario(ONE_CALL)
    row = file.rows[None]
    spec: ToolSpec = row.tools[0].changed({"name": name, "parameters": schema or {"type": "object"}})
    return has_foreign_tools(row.changed({"tools": [row.tools[0], spec]}), wire)


@pytest.mark.parametrize("name", ["get_weather", "getWeather", "get-weather", "_x9", "a" * 64])
def test_name_that_every_provider_takes_is_the_agents_own(name: str) -> None:
    assert not declared(name)


@pytest.mark.parametrize("name", ["node.js", "mcp:tool", "two words", "3d", "wörterbuch", "a" * 65])
def test_name_that_some_provider_refuses_is_of_others(name: str) -> None:
    assert declared(name)


def test_name_is_of_others_where_the_provider_of_the_wire_refuses_it() -> None:
    assert declared("get-weather", wire="cohere-chat")
    assert not declared("get_weather", wire="cohere-chat")


def test_choice_at_the_top_of_a_schema_is_of_others() -> None:
    assert declared("look", anyOf=[{"type": "object"}])
    assert not declared("look", type="object", properties={"a": {"anyOf": [{"type": "string"}]}})


def test_agent_with_fixed_tools_is_not_judged_on_those_of_others_alone() -> None:
    reference = checked_agent("reference", Adapter)
    fixed = replace(reference, features=reference.features | {"fixed-tools"})
    files = bundled_files()

    missed = [(file.id, case.wire) for file in files for case in cases_of(file, fixed, RunOptions()) if case.missing]
    left_out = {id for id, wire in missed if wire != "cohere-chat"}

    assert {id for id, wire in missed} - left_out == {
        "declarations/allowed-names-are-kept",
        "round-trip/ids-and-numbers",
        "round-trip/restored-call",
    }
    assert left_out == {
        "declarations/names-that-collide",
        "declarations/odd-names",
        "declarations/one-odd-name-among-good",
        "declarations/other-words-at-the-top",
        "declarations/shapes-of-schema",
        "declarations/union-at-the-top",
        "history/names-that-collide",
    }
    assert not any(case.missing for file in files for case in cases_of(file, reference, RunOptions()))
    (case, *_) = cases_of(next(file for file in files if file.id == "declarations/odd-names"), fixed, RunOptions())
    assert case.missing == {FOREIGN_TOOLS}
