"""The shape of requests: the constraints of the newest service model, each in the service's own words."""

import json
from typing import Any

import pytest
from service_model import TABLE, table

from fake_providers.wires.bedrock_converse.shapes import shape_faults


def sentences(operation: str = "converse", **body: Any) -> list[str]:
    return [fault.sentence for fault in shape_faults(body, operation)]


def message(*content: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"text": "a"}]}, {"role": "user", "content": list(content)}]}


def test_table_has_the_constraints_of_the_newest_botocore() -> None:
    """`./dev python -m tests.fakes.wires.bedrock_converse.service_model` writes it anew."""
    written, newest = json.loads(TABLE.read_text()), table()

    assert (written["operations"], written["shapes"]) == (newest["operations"], newest["shapes"])


def test_several_faults_come_in_the_order_of_the_members_pattern_before_length() -> None:
    tools = [{"toolSpec": {"name": "f", "inputSchema": {}}}, {"toolSpec": {"name": "", "description": ""}}]

    assert sentences(toolConfig={"tools": tools}) == [
        "Value '' at 'toolConfig.tools.2.member.toolSpec.name' failed to satisfy constraint: Member must satisfy "
        "regular expression pattern: [a-zA-Z0-9_-]+",
        "Value '' at 'toolConfig.tools.2.member.toolSpec.name' failed to satisfy constraint: Member must have length "
        "greater than or equal to 1",
        "Value '' at 'toolConfig.tools.2.member.toolSpec.description' failed to satisfy constraint: Member must have "
        "length greater than or equal to 1",
        "Value null at 'toolConfig.tools.2.member.toolSpec.inputSchema' failed to satisfy constraint: Member must not "
        "be null",
    ]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"inferenceConfig": {"maxTokens": 0}}, "Value '0' at 'inferenceConfig.maxTokens' failed"),
        ({"inferenceConfig": {"temperature": 2}}, "Value '2.0' at 'inferenceConfig.temperature' failed"),
        ({"toolConfig": {"tools": []}}, "Value at 'toolConfig.tools' failed"),
        ({"toolConfig": {}}, "Value null at 'toolConfig.tools' failed"),
        ({"messages": [{"role": "user", "content": None}]}, "Value null at 'messages.1.member.content' failed"),
        (
            message({"toolUse": {"toolUseId": "a", "name": "$x", "input": {}}}),
            "Value at 'messages.2.member.content.1.member.toolUse.name' failed",
        ),
        ({"system": [{"text": ""}]}, "Value '' at 'system.1.member.text' failed"),
    ],
)
def test_value_is_shown_but_for_lists_and_what_stands_in_messages(body: Any, sentence: str) -> None:
    (found,) = sentences(**body)

    assert found.startswith(sentence)


def test_value_of_another_json_type_is_all_that_is_said() -> None:
    assert sentences(messages="x", toolConfig={}) == ["Unexpected token, expected a list or a structure."]
    assert sentences(system=[{"text": 7}]) == ["NUMBER_VALUE can not be converted to a String"]
    assert sentences(messages=[{"role": "user", "content": [["x"]]}]) == ["Start of list found where not expected."]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"modelId": "inside the body", "anything": [None]},
        {"messages": [{"role": "user", "content": [{"text": "", "more": 1}]}], "system": [], "inferenceConfig": {}},
        message({"toolUse": {"toolUseId": "functions.t:0", "name": "f", "input": "x", "type": "tool_use"}}),
        message({"toolResult": {"toolUseId": "a", "content": [{"json": 7}, {"text": ""}]}}),
        {"additionalModelRequestFields": {"thinking": 7}, "toolConfig": None},
    ],
)
def test_what_the_service_ignores_or_hands_on_has_no_fault(body: Any) -> None:
    assert sentences(**body) == []


def test_stream_has_a_member_more() -> None:
    guarded = {"guardrailConfig": {"streamProcessingMode": "never"}}

    assert sentences(**guarded) == []
    assert "enum value set: [sync, async]" in sentences("converse-stream", **guarded)[0]
