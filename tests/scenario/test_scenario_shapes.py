"""What a scenario may say with `tool_choice` and `output_schema`."""

import pytest

from agent_conformance.scenario.model import NamedToolSpec
from tests.trying import ONE_CALL, scenario

SHAPED = "output_schema: {place: string, degrees: integer}\n" + ONE_CALL
DISABLED = ONE_CALL.replace("rain\n", "rain\n    enabled: false\n", 1)
FORCED = "tool_choice: {tool: get_weather}\n"


def test_short_form_of_a_schema_is_closed() -> None:
    read = next(iter(scenario(SHAPED).rows.values()))

    assert read.output_schema == {
        "type": "object",
        "properties": {"place": {"type": "string"}, "degrees": {"type": "integer"}},
        "required": ["place", "degrees"],
        "additionalProperties": False,
    }


def test_full_schema_stays_as_it_is() -> None:
    schema = {"type": "object", "properties": {"place": {"type": "string"}}}

    assert next(iter(scenario(f"output_schema: {schema}\n" + ONE_CALL).rows.values())).output_schema == schema


def test_named_tool_is_read() -> None:
    assert next(iter(scenario(FORCED + ONE_CALL).rows.values())).tool_choice == NamedToolSpec(tool="get_weather")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("tool_choice: any\n" + ONE_CALL, 4, "Allowed: `auto`, `required`, `none`"),
        ("tool_choice: {tool: get_time}\n" + ONE_CALL, 4, "`get_time` is no tool that is enabled from the start."),
        (FORCED + DISABLED, 4, "`get_weather` is no tool that is enabled from the start. The scenario has none."),
        ("tool_choice: required\n" + DISABLED, 4, "`tool_choice` demands a call, and no tool is enabled"),
        (
            FORCED + ONE_CALL.replace("calls: [{name: get_weather, arguments: {city: Oslo}}]", "text: Rain."),
            15,
            "`tool_choice` makes the model call `get_weather` first, and this reply does not.",
        ),
        ("tool_choice: none\n" + ONE_CALL, 15, "`tool_choice: none` forbids calls, so this reply is never sent."),
        ("output_schema: {type: array, items: {}, $id: x}\n" + ONE_CALL, 4, "is no object with properties"),
        (
            "output_schema: {type: object, properties: {a: {type: text}}}\n" + ONE_CALL,
            4,
            "`output_schema` is no JSON Schema",
        ),
        ("output_schema: {place: text}\n" + ONE_CALL, 4, "the type of the parameter `place` is the text `text`"),
        (ONE_CALL + "    expect: {reply: {json: {place: Oslo}}}\n", 16, "which this scenario lacks"),
        (SHAPED + "    expect: {reply: {json: {place: Oslo}}}\n", 17, "`json` is not of the `output_schema`"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(AssertionError) as refused:
        scenario(text)

    assert message in str(refused.value)
    assert f"this.yaml:{line}: " in str(refused.value)
