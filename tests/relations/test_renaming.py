"""Other names of tools: the same everywhere in a scenario, as near to each other as before, and led back."""

import pytest

from agent_conformance.relations.renaming import Renaming, renamed, renaming_of
from agent_conformance.scenario.model import Scenario
from tests.trying import scenario

TEXT = """
system: Ask get_weather, and never forget_weather.
tools:
  - {name: get_weather, description: As get_weather_daily., parameters: {city: string}, returns: get_weather says rain}
  - {name: mail, description: Sends mail., parameters: {to: string}}
history:
  - user: Use get_weather.
  - assistant: {calls: [{id: call000001, name: get_weather, arguments: {city: Oslo}}]}
  - tool: {id: call000001, result: rain}
  - assistant: It rains.
conversation:
  - user: And in Rome?
    model:
      - calls:
          - {name: get_wether, arguments: {city: Rome}}
          - {name: functions.Get-Weather, arguments: {city: Rome}}
          - {name: ghost, arguments: {tool: mail}}
      - {text: "I asked get_weather.", chunks: [I asked get_, weather.]}
      - {text: "I asked get_weather.", blocks: [I asked get_, weather.], spare: true}
"""


@pytest.fixture(scope="module")
def given() -> Scenario:
    return scenario(TEXT).rows[None]


@pytest.fixture(scope="module")
def new(given: Scenario) -> Renaming:
    found = renaming_of(given)
    assert found is not None
    return found


def test_names_are_others_wherever_they_are_names(given: Scenario, new: Renaming) -> None:
    other = renamed(given, new)

    assert [tool.name for tool in other.tools] == ["trg_jrngure", "znvy"]
    assert other.system == "Ask trg_jrngure, and never forget_weather."
    assert other.tools[0].description == "As trg_jrngure_daily."
    assert other.tools[0].returns == "trg_jrngure says rain"
    assert other.history[0].user == "Use trg_jrngure."
    assert other.history[1].assistant.calls[0].name == "trg_jrngure"  # type: ignore[union-attr]
    assert [call.name for call in other.conversation[0].model[0].calls] == [
        "trg_jrgure",
        "functions.Trg-Jrngure",
        "ghost",
    ]
    assert other.conversation[0].model[0].calls[2].arguments == {"tool": "znvy"}


def test_chunks_stay_as_long_as_they_were(given: Scenario, new: Renaming) -> None:
    reply = renamed(given, new).conversation[0].model[1]

    assert reply.text == "I asked trg_jrngure."
    assert reply.chunks == ["I asked trg_", "jrngure."]
    assert renamed(given, new).conversation[0].model[2].blocks == reply.chunks


def test_ids_and_expectations_stay(given: Scenario, new: Renaming) -> None:
    other = renamed(given, new)

    assert other.history[1].assistant.calls[0].id == "call000001"  # type: ignore[union-attr]
    assert other.conversation[0].expect == given.conversation[0].expect
    assert "id" not in other.conversation[0].model[0].calls[0].given


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ("There is no tool trg_jrngure.", "There is no tool get_weather."),
        ("mcp__trg_jrngure", "mcp__get_weather"),
        ("functions_trg_jrngure", "functions_get_weather"),
        ("TRG-JRNGURE", "GET-WEATHER"),
        ("trg_jrnguretrg_jrngure", "get_weatherget_weather"),
        ("nothing of that", "nothing of that"),
    ],
)
def test_names_are_led_back_as_agents_spell_them(new: Renaming, sent: str, named: str) -> None:
    assert new.back(sent) == named


@pytest.mark.parametrize("name", ["天气", "_1"])
def test_name_without_letters_has_no_other_one(name: str) -> None:
    text = f"tools:\n  - {{name: '{name}', description: Weather., parameters: {{}}}}\n"
    text += "conversation:\n  - user: Hi.\n    model:\n      - text: Hi.\n"

    assert renaming_of(scenario(text).rows[None]) is None


def test_other_name_that_is_there_already_is_not_given() -> None:
    text = "tools:\n  - {name: tang, description: As gnat., parameters: {}}\n"
    text += "conversation:\n  - user: Hi.\n    model:\n      - text: Hi.\n"

    assert renaming_of(scenario(text).rows[None]) is None
