"""The model fills in what only the agent's declaration of a tool requires, and no law counts it."""

import json
import re
from typing import Any

import pytest

from agent_conformance.judge.declarations import added_requirements
from agent_conformance.run.provider.tool_names import filled_in, own_parameters, without_added
from agent_conformance.scenario.model import ToolSpec
from fake_providers import Call, View, ViewCall, ViewMessage, ViewTool
from tests.agents.asking import AskingAgent, AskingReference
from tests.agents.plain import PlainAgent
from tests.tables import rows
from tests.trying import only_findings, verdicts

TEXT = {"type": "string"}
OF_TOOL = {"type": "object", "properties": {"city": TEXT, "days": {"type": "integer"}}, "required": ["city"]}
NO_PARAMETERS = {"type": "object", "properties": {}}
TWO_TURNS = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
    expect:
      executed: [{get_weather: {city: Oslo}}]
      requests: [{at: 2, calls: [{get_weather: {city: Oslo}}]}]
  - user: Thank you.
    model:
      - text: You are welcome.
"""
ASKED = """
tools:
  - name: delete_file
    description: Deletes a file.
    parameters: {path: string}
    returns: deleted
    approval: ask
conversation:
  - user: Delete a.txt and b.txt.
    approve: {delete_file: [false, true]}
    model:
      - calls: [{name: delete_file, arguments: {path: a.txt}}, {name: delete_file, arguments: {path: b.txt}}]
      - text: I deleted b.txt.
    expect:
      executed: [{delete_file: {path: b.txt}}]
      approvals: [{delete_file: {path: b.txt}}, {delete_file: {path: a.txt}}]
"""
WRITTEN = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
conversation:
  - user: What is the weather in Oslo?
    model:
      - text: '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
        means: {handling: run, calls: [{name: get_weather, arguments: {city: Oslo}}]}
      - {text: It rains., spare: true}
    expect: {outcome: either}
"""


class HandsAllOn(AskingReference):
    """What the model was asked for besides arrives at the tool, which does not have it."""

    hands_all_on = True


class RunsTwice(AskingAgent):
    def run(self, name: str, arguments: Any) -> str:
        super().run(name, arguments)
        return super().run(name, arguments)


class SaysAnotherCity(AskingAgent):
    """It runs what the model said, and sends another call back."""

    def body(self) -> dict[str, Any]:
        return json.loads(re.sub(r'(city\\*": ?\\*")Oslo', r"\1Rome", json.dumps(super().body())))


class RunsNoCall(AskingAgent):
    def run(self, name: str, arguments: Any) -> str:
        return "I would rather not."


@rows(
    "wanted, offered, added",
    [
        (OF_TOOL, OF_TOOL, ()),
        (OF_TOOL, {**OF_TOOL, "required": ["city", "days"]}, ()),
        (OF_TOOL, {"properties": {**OF_TOOL["properties"], "risk": TEXT}, "required": ["risk", "city"]}, ("risk",)),
        (OF_TOOL, {"properties": {**OF_TOOL["properties"], "risk": TEXT}, "required": ["city"]}, ()),
        (OF_TOOL, {"properties": {"town": TEXT, "days": TEXT}, "required": ["town"]}, ()),
        (OF_TOOL, {"properties": {"arguments": OF_TOOL}, "required": ["arguments"]}, ()),
        (NO_PARAMETERS, {"properties": {"why": TEXT}, "required": ["why"]}, ("why",)),
        ({"type": "object"}, {"properties": {"kwargs": {}}, "required": ["kwargs"]}, ()),
        ({"allOf": [OF_TOOL]}, {"properties": {**OF_TOOL["properties"], "why": TEXT}, "required": ["why"]}, ("why",)),
        (OF_TOOL, None, ()),
        (OF_TOOL, {"required": "risk"}, ()),
    ],
)
def test_what_a_declaration_requires_besides(wanted: Any, offered: Any, added: tuple[str, ...]) -> None:
    assert added_requirements(wanted, offered) == added


def test_model_writes_the_first_value_that_the_schema_takes() -> None:
    named = {"$ref": "#/$defs/Named"}
    declared = {
        "properties": {"city": TEXT, "risk": {"enum": ["LOW", "HIGH"]}, "named": named, "sure": {"type": "BOOLEAN"}},
        "required": ["city", "risk", "named", "sure", "unsaid"],
        "$defs": {"Named": {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}},
    }
    spec = ToolSpec(name="look", description="", parameters={"type": "object", "properties": {"city": TEXT}})

    added = own_parameters(View("m", False, tools=(ViewTool("look", "", declared),)), [spec])

    assert added == {"look": {"risk": "LOW", "named": {"name": "x"}, "sure": True, "unsaid": None}}


@rows(
    "text, filled",
    [
        ('{"city": "Oslo"}', '{"risk": "low", "city": "Oslo"}'),
        (' {"city": "Os', '{"risk": "low", "city": "Os'),
        ("{}", '{"risk": "low"}'),
        ("", '{"risk": "low"}'),
        ("null", '{"risk": "low"}'),
        ('"{\\"city\\": \\"Oslo\\"}"', '"{\\"risk\\": \\"low\\", \\"city\\": \\"Oslo\\"}"'),
        ("[1]", None),
        ("Oslo", None),
        ('"Oslo', None),
    ],
)
def test_text_of_arguments_is_filled_in_too(text: str, filled: str | None) -> None:
    call = filled_in(Call("look", None, text), {"risk": "low"})

    assert (None if call is None else call.arguments_text) == filled
    if filled is not None:
        assert filled_in(Call("look", None, text), {}) == Call("look", None, text)


def test_requests_are_read_without_it() -> None:
    calls = (
        ViewCall("1", "look", {"risk": "high", "city": "Oslo"}, '{"risk": "high", "city": "Oslo"}'),
        ViewCall("2", "look", None, '{"risk": "low", "city": "Os'),
        ViewCall("3", "other", {"risk": "low"}, '{"risk": "low"}'),
    )
    view = View("m", False, messages=(ViewMessage("assistant", "messages[0]", calls=calls),))

    read = without_added(view, {"look": {"risk": "low"}}).messages[0].calls

    assert read == (
        ViewCall("1", "look", {"city": "Oslo"}, '{"city": "Oslo"}'),
        ViewCall("2", "look", None, '{"city": "Os'),
        calls[2],
    )
    assert without_added(view, {}) is view


def test_agent_that_asks_for_more_is_right_on_each_wire_in_each_mode() -> None:
    found = only_findings(AskingReference, TWO_TURNS)

    assert len(found) == 2 * len(AskingReference.wires)
    assert set(map(tuple, found.values())) == {()}


def test_user_is_asked_about_what_the_tool_takes() -> None:
    found = only_findings(AskingReference, ASKED)

    assert found
    assert set(map(tuple, found.values())) == {()}


def test_call_that_the_model_writes_as_text_need_not_run() -> None:
    assert any("1.should.means[0]" in ids for ids in only_findings(PlainAgent, WRITTEN).values())
    assert not any("1.should.means[0]" in ids for ids in only_findings(AskingAgent, WRITTEN).values())


WRONG = [
    (HandsAllOn, "sent-arguments"),
    (RunsTwice, "once"),
    (SaysAnotherCity, "kept-whole"),
    (RunsNoCall, "1.executed"),
]


@pytest.mark.parametrize(("agent", "found"), WRONG)
def test_what_is_wrong_besides_is_found(agent: Any, found: str) -> None:
    ids = only_findings(agent, TWO_TURNS)

    assert {case: found in of_case for case, of_case in ids.items()} == dict.fromkeys(ids, True)


def test_finding_says_what_only_the_declaration_has() -> None:
    (verdict, *_) = verdicts(HandsAllOn, TWO_TURNS)

    (finding,) = verdict.findings
    assert "no parameter risk and no summary: only the agent's declaration does" in finding.expected
