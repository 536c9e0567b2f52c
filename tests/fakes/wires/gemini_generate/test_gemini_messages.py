"""The sentences, envelopes and places of refusals, written out."""

import json
import re
from pathlib import Path

import pytest
from gemini_requests import (
    ARRAY,
    CALL,
    RESULT,
    SIGNED,
    STREAM,
    WIRE,
    broken_rule,
    model,
    path,
    request,
    user,
    violation_of,
)

from fake_providers import ReplyContext, judge
from fake_providers.ids import Ids
from fake_providers.registry import wire_for


def declaring(parameters, name="f"):
    return {"tools": [{"functionDeclarations": [{"name": name, "description": "d", "parameters": parameters}]}]}


def test_history_that_starts_with_a_call_is_refused_word_for_word() -> None:
    violation = violation_of(model(SIGNED), user(RESULT))

    assert violation is not None
    assert violation.rule == "gemini/call-after-user-turn"
    assert violation.at == "contents[0]"
    assert violation.body == {
        "error": {
            "code": 400,
            "message": "Please ensure that function call turn comes immediately after a user turn or after a function "
            "response turn.",
            "status": "INVALID_ARGUMENT",
        }
    }


def test_parser_lists_every_violation_with_its_field() -> None:
    body = {
        "contents": [{"parts": [{"text": "hi"}]}],
        "generationConfig": {"json_mode": True},
        "response_schema": {},
    }

    violation = judge("gemini", path(), json.dumps(body).encode(), {})

    assert violation is not None
    first = "Invalid JSON payload received. Unknown name \"json_mode\" at 'generation_config': Cannot find field."
    second = 'Invalid JSON payload received. Unknown name "response_schema": Cannot find field.'
    assert violation.body == {
        "error": {
            "code": 400,
            "message": f"{first}\n{second}",
            "status": "INVALID_ARGUMENT",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{"field": "generation_config", "description": first}, {"description": second}],
                }
            ],
        }
    }


def test_parser_numbers_properties_and_the_validator_names_them() -> None:
    unknown = violation_of(
        user("hi"), **declaring({"type": "object", "properties": {"a": {"type": "string"}, "b": {"const": 1}}})
    )
    missing = violation_of(user("hi"), **declaring({"type": "object", "properties": {"tags": {"type": "array"}}}))

    assert unknown is not None
    assert unknown.message == (
        'Invalid JSON payload received. Unknown name "const" at \'tools[0].function_declarations[0].parameters.'
        "properties[1].value': Cannot find field."
    )
    assert missing is not None
    assert missing.message == (
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[tags].items: missing field.\n"
    )
    assert "details" not in missing.body["error"]


def test_single_objects_for_lists_are_accepted_and_have_no_index() -> None:
    tool = {"functionDeclarations": {"name": "f", "parameters": {"type": "object", "oneOf": []}}}

    violation = violation_of(user("hi"), tools=tool)

    assert violation is not None
    assert "at 'tools.function_declarations.parameters': Cannot find field." in violation.message


def test_bullets_of_one_refusal_are_listed_together() -> None:
    data = {"type": "string", "properties": {"x": {"type": "string"}}, "required": ["x"]}

    violation = violation_of(user("hi"), **declaring({"type": "object", "properties": {"data": data}}))

    assert violation is not None
    where = "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[data]"
    assert violation.message == (
        f"{where}.properties: only allowed for OBJECT type\n{where}.required: only allowed for OBJECT type\n"
    )


def test_response_schema_quotes_its_property_names() -> None:
    schema = {"type": "OBJECT", "properties": {"action": {"type": "ARRAY"}}}

    violation = violation_of(user("hi"), generationConfig={"responseSchema": schema})

    assert violation is not None
    assert violation.at == 'generation_config.response_schema.properties["action"].items'


def test_missing_signature_names_the_call_and_its_position() -> None:
    violation = violation_of(user("hi"), model("Let me see."), model(CALL), user(RESULT))

    assert violation is not None
    assert (
        "function call `default_api:get_weather` , position 3. Please refer to https://ai.google.dev"
        in violation.message
    )


def test_stages_are_checked_in_the_providers_order() -> None:
    turns = [model(CALL), user(RESULT)]
    without_parts = {"role": "user", "parts": []}

    assert broken_rule(violation_of(*turns, without_parts, extra=1)) == "gemini/unknown-field"
    assert broken_rule(violation_of(*turns, without_parts)) == "gemini/parts-empty"
    assert broken_rule(violation_of(*turns)) == "gemini/call-after-user-turn"
    assert broken_rule(violation_of(user("hi"), *turns)) == "gemini/thought-signature-missing"


def test_list_as_a_response_is_a_violation_of_its_field() -> None:
    violation = violation_of(user("hi"), model(SIGNED), user({"functionResponse": {"name": "f", "response": [1]}}))

    assert violation is not None
    assert violation.rule == "gemini/response-not-object"
    assert violation.message == (
        "Invalid JSON payload received. Unknown name \"response\" at 'contents[2].parts[0].function_response': "
        "Proto field is not repeating, cannot start list."
    )


def test_truncated_body_is_not_json() -> None:
    violation = judge("gemini", path(), b'{"contents":', {})

    assert violation is not None
    assert violation.message == (
        'Invalid JSON payload received. Unexpected end of string. Expected a value.\n{"contents":\n            ^'
    )


def test_version_of_the_path_is_in_the_type_names() -> None:
    body = json.dumps({"contents": ["hi"]}).encode()

    violation = judge("gemini", "/v1/models/gemini-3-flash-preview:generateContent", body, {})

    assert violation is not None
    assert '(type.googleapis.com/google.ai.generativelanguage.v1.Content), "hi"' in violation.message


def test_refusal_of_a_stream_is_an_array_without_alt_sse() -> None:
    def refused(verb: str):
        context = request({"contents": []}, verb=verb)
        violation = WIRE.judge(context, provider="gemini")
        assert violation is not None
        return WIRE.refuse(violation, ReplyContext(context, "gemini", Ids("test")))

    array, events = refused(ARRAY), refused(STREAM)

    assert json.loads(array.body)[0]["error"]["code"] == 400
    assert dict(array.headers)["content-type"] == "application/json; charset=UTF-8"
    assert json.loads(events.body)["error"]["code"] == 400
    assert dict(events.headers)["content-type"] == "text/event-stream"


def test_missing_key_is_a_403_only_when_serving() -> None:
    keyed = [
        request(headers={"x-goog-api-key": "k"}),
        request(headers={"authorization": "Bearer k"}),
        request(verb=":generateContent?key=k"),
    ]

    violation = WIRE.missing_key(request())

    assert violation is not None
    assert (violation.rule, violation.status) == ("gemini/missing-key", 403)
    assert violation.body["error"]["status"] == "PERMISSION_DENIED"
    assert violation.message.startswith("Method doesn't allow unregistered callers")
    assert [WIRE.missing_key(one) for one in keyed] == [None, None, None]
    assert judge("gemini", path(), request().body, {}) is None
    assert WIRE.missing_key(request(headers={"authorization": "Bearer "})) is not None


def listed_rules(provider: str) -> list[str]:
    """The ids in the section of this provider in `fakes/RULES.md`."""
    page = (Path(__file__).parents[4] / "fakes" / "RULES.md").read_text(encoding="utf-8")
    section = page.split(f"## {provider} on gemini-generate\n")[1].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_every_broken_rule_is_listed() -> None:
    ids = [rule.id for rule in WIRE.rules]
    on_vertex = {rule.id for rule in wire_for("vertex", "gemini-generate").rules}
    missing, long = WIRE.missing_key(request()), WIRE.too_long(request(), provider="gemini", tokens=9, window=8)

    assert len(ids) == len(set(ids))
    assert ids == listed_rules("gemini")
    assert {id for id in on_vertex if id.startswith("vertex/")} == set(listed_rules("vertex"))
    assert missing is not None
    assert {missing.rule, long.rule, "gemini/call-after-user-turn"} <= set(ids)


def test_picture_within_a_response_is_refused_at_its_place() -> None:
    parts = [{"inlineData": {"mimeType": kind, "data": "R0lGODlhAQABAA=="}} for kind in ("image/png", "image/svg+xml")]
    response = {"functionResponse": {**RESULT["functionResponse"], "parts": parts}}

    violation = violation_of(user("hi"), model(SIGNED), user(response))

    assert violation is not None
    assert violation.rule == "gemini/picture-media-type"
    assert violation.at == "contents[2].parts[0].function_response.parts[1].inline_data"


def test_picture_within_a_response_reaches_a_model_that_uses_a_computer() -> None:
    parts = [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]
    said = user("hi"), model(CALL), user({"functionResponse": {**RESULT["functionResponse"], "parts": parts}})

    assert broken_rule(violation_of(*said, of="gemini-2.5-flash")) == "gemini/response-parts"
    assert violation_of(*said, of="gemini-2.5-computer-use-preview-10-2025") is None


@pytest.mark.parametrize(
    "kind",
    ["image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "png", "jpeg"],
)
def test_media_type_that_was_reported_is_refused_by_name(kind: str) -> None:
    violation = violation_of(user({"inlineData": {"mimeType": kind, "data": "R0lGODlhAQABAA=="}}))

    assert violation is not None
    assert (violation.rule, violation.message) == ("gemini/picture-media-type", f"Unsupported MIME type: {kind}")


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/webp", "video/mp4", "application/pdf"])
def test_other_media_types_are_accepted(kind: str) -> None:
    assert violation_of(user({"inlineData": {"mimeType": kind, "data": "R0lGODlhAQABAA=="}})) is None
