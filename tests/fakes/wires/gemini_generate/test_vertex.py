"""What Vertex AI accepts and sends differently from the Developer API, on the same wire."""

import json
from typing import Any

import pytest
from gemini_requests import ARRAY, CALL, PLAIN, RESULT, STREAM, bodies, broken_rule, model, user

from fake_providers import Call, Fault, Reply, ReplyContext, Request, Violation, judge
from fake_providers.ids import Ids
from fake_providers.registry import wire_for

WIRE = wire_for("vertex", "gemini-generate")
PROJECT = "/v1beta1/projects/p/locations/us-east5"
MODEL, OLD = "gemini-3-flash-preview", "gemini-2.5-flash"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
SIGNED = {**CALL, "thoughtSignature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}


def path(verb: str = PLAIN, *, of: str = MODEL, scope: str = PROJECT) -> str:
    return f"{scope}/publishers/google/models/{of}{verb}"


def request(*, verb: str = PLAIN, of: str = MODEL, scope: str = PROJECT, **headers: str) -> Request:
    return Request("POST", path(verb, of=of, scope=scope), headers, json.dumps({"contents": [user("Rain?")]}).encode())


def violation_of(*contents: Any, of: str = MODEL, **fields: Any) -> Violation | None:
    return judge("vertex", path(of=of), json.dumps({"contents": list(contents), **fields}).encode(), {})


def encode_for_vertex(reply: Reply, *, verb: str = PLAIN, of: str = MODEL) -> Any:
    return WIRE.encode(reply, ReplyContext(request(verb=verb, of=of), "vertex", Ids("test")))


@pytest.mark.parametrize("scope", [PROJECT, "/v1/projects/p-1/locations/global", "/v1beta1", "//v1"])
@pytest.mark.parametrize("verb", [PLAIN, STREAM, ARRAY])
def test_paths_with_and_without_a_project_are_routed(scope: str, verb: str) -> None:
    route = WIRE.route(request(verb=verb, scope=scope))

    assert route is not None
    assert (route.model, route.stream) == (MODEL, verb != PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        "/v1/projects/p/publishers/google/models/m:generateContent",
        "/v1/publishers/anthropic/models/m:generateContent",
        "/v1/projects/p/locations/l/publishers/google/models/m:countTokens",
        "/v2/publishers/google/models/m:generateContent",
    ],
)
def test_other_paths_are_not_routed(other: str) -> None:
    assert WIRE.route(Request("POST", other, {}, b"{}")) is None


def test_bearer_token_is_required() -> None:
    violation = WIRE.missing_key(request())

    assert violation is not None
    assert (violation.rule, violation.status) == ("vertex/missing-credential", 401)
    error = violation.body["error"]
    assert error["status"] == "UNAUTHENTICATED"
    assert error["details"][0]["metadata"] == {
        "method": "google.cloud.aiplatform.v1beta1.PredictionService.GenerateContent",
        "service": "aiplatform.googleapis.com",
    }
    assert WIRE.missing_key(request(authorization="Bearer t")) is None
    assert isinstance(WIRE.missing_key(request(verb=ARRAY)).body, list)  # type: ignore[union-attr]


def test_requests_that_only_vertex_accepts_are_accepted() -> None:
    config = {"functionCallingConfig": {"mode": "AUTO"}}
    schema = {**SCHEMA, "additionalProperties": False}
    declared = [{"functionDeclarations": [{"name": "f", "parameters": schema}]}]

    assert violation_of(user("Rain?"), toolConfig=config) is None
    assert (
        broken_rule(
            judge(
                "gemini",
                "/v1beta/models/m:generateContent",
                json.dumps({"contents": [user("Rain?")], "toolConfig": config}).encode(),
                {},
            )
        )
        == "gemini/tool-config-without-declarations"
    )
    assert violation_of(user("Rain?"), tools=declared) is None
    assert (
        violation_of(user("Rain?"), tools=declared, generationConfig={"responseMimeType": "application/json"}) is None
    )


def test_shared_rules_have_the_same_sentences() -> None:
    violation = violation_of(user("Rain?"), {"role": "assistant", "parts": [{"text": "No."}]}, user("Sure?"))

    assert violation is not None
    assert violation.rule == "gemini/role-unknown"
    assert violation.message == "Please use a valid role: user, model."
    assert broken_rule(violation_of(model(SIGNED), user(RESULT))) == "gemini/call-after-user-turn"


def test_parser_names_the_service_in_types() -> None:
    violation = violation_of(
        user("Rain?"), tools=[{"functionDeclarations": [{"name": "f", "parameters": {"type": "text"}}]}]
    )

    assert violation is not None
    assert violation.message == (
        "Invalid value at 'tools[0].function_declarations[0].parameters.type' "
        '(type.googleapis.com/google.cloud.aiplatform.v1beta1.Type), "text"'
    )


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"type": "string"}, "`f` functionDeclaration parameters schema should be of type OBJECT."),
        ({}, "`f` functionDeclaration parameters schema should be of type OBJECT."),
        (
            {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"description": "x"}}}}},
            "`f` functionDeclaration `parameters.a.b` schema didn't specify the schema type field.",
        ),
        (
            {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}], "default": "x"}}},
            "`f` functionDeclaration `parameters.a` schema specified other fields alongside any_of. When using any_of, "
            "it must be the only field set.",
        ),
    ],
)
def test_schema_is_refused_with_one_sentence(parameters: Any, sentence: str) -> None:
    violation = violation_of(user("Rain?"), tools=[{"functionDeclarations": [{"name": "f", "parameters": parameters}]}])

    assert violation is not None
    assert violation.message == (
        f"Unable to submit request because {sentence} Learn more: "
        "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"
    )
    assert violation.body == {"error": {"code": 400, "message": violation.message, "status": "INVALID_ARGUMENT"}}


def test_json_schema_is_not_checked() -> None:
    declaration = {"name": "f", "parametersJsonSchema": {"properties": {"a": {"anyOf": [{}], "title": "x"}}}}

    assert violation_of(user("Rain?"), tools=[{"functionDeclarations": [declaration]}]) is None


def test_call_without_a_signature_is_reported_with_its_position() -> None:
    violation = violation_of(user("Rain?"), model(CALL), user(RESULT))

    assert violation is not None
    assert "function call `default_api:get_weather` in the 2. content block is missing" in violation.message
    assert (
        broken_rule(violation_of(user("Rain?"), model(CALL), user(RESULT), of="gemini-3-pro-preview")) == violation.rule
    )
    assert violation_of(user("Rain?"), model(CALL), user(RESULT), of=OLD) is None
    assert violation_of(user("Rain?"), model(SIGNED), user(RESULT)) is None


def test_plain_answer_has_the_recorded_members_in_order() -> None:
    answer = json.loads(encode_for_vertex(Reply(text="Hello."), of=OLD).body)

    assert list(answer) == ["candidates", "usageMetadata", "modelVersion", "createTime", "responseId"]
    (candidate,) = answer["candidates"]
    assert list(candidate) == ["content", "finishReason", "avgLogprobs"]
    assert list(candidate["content"]) == ["role", "parts"]
    assert answer["usageMetadata"] == {
        "promptTokenCount": 2,
        "candidatesTokenCount": 2,
        "totalTokenCount": 4,
        "trafficType": "ON_DEMAND",
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 2}],
        "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": 2}],
    }


def test_models_with_signatures_have_no_avg_logprobs() -> None:
    assert "avgLogprobs" not in encode_for_vertex(Reply(text="Hello.")).body.decode()


def test_call_has_no_finish_message() -> None:
    (candidate,) = json.loads(encode_for_vertex(Reply(calls=(Call("f", {"a": 1}, id="x"),))).body)["candidates"]

    assert list(candidate) == ["content", "finishReason"]
    assert candidate["content"]["parts"][0]["functionCall"] == {"name": "f", "args": {"a": 1}, "id": "x"}


def test_provider_generates_no_call_ids() -> None:
    (candidate,) = json.loads(encode_for_vertex(Reply(calls=(Call("f", {"a": 1}),))).body)["candidates"]

    assert candidate["content"]["parts"][0]["functionCall"] == {"name": "f", "args": {"a": 1}}


def test_stream_ends_with_its_last_piece() -> None:
    chunks = bodies(encode_for_vertex(Reply(text="It is raining in Oslo, and cold."), verb=STREAM, of=OLD))

    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None, "STOP"]
    assert chunks[0]["usageMetadata"] == {"trafficType": "ON_DEMAND"}
    assert chunks[1]["usageMetadata"]["candidatesTokenCount"] == 8
    assert "avgLogprobs" not in json.dumps(chunks)


def test_stream_with_a_signature_ends_with_an_empty_text() -> None:
    *_, last = bodies(encode_for_vertex(Reply(text="Six."), verb=STREAM))

    (part,) = last["candidates"][0]["content"]["parts"]
    assert part["text"] == ""
    assert part["thoughtSignature"]
    assert last["candidates"][0]["finishReason"] == "STOP"


def test_streamed_calls_end_the_stream() -> None:
    (chunk,) = bodies(encode_for_vertex(Reply(calls=(Call("f"),)), verb=STREAM))

    assert chunk["candidates"][0]["finishReason"] == "STOP"
    assert "functionCall" in chunk["candidates"][0]["content"]["parts"][0]


def test_events_have_the_recorded_spacing() -> None:
    body = encode_for_vertex(Reply(text="Six."), verb=STREAM, of=OLD).body

    assert body.startswith(b'data: {"candidates": [{"content": {"role": "model","parts": [{"text": "Six."}]},"finish')


def test_error_in_a_stream_comes_after_all_pieces() -> None:
    chunks = bodies(encode_for_vertex(Reply(text="Six.", fault=Fault(error_event="503")), verb=STREAM, of=OLD))

    assert [next(iter(chunk)) for chunk in chunks] == ["candidates", "error"]
    assert chunks[1]["error"]["message"] == "The service is currently unavailable."


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "Request is missing required authentication credential."),
        (403, "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/"),
        (404, "Publisher Model `projects/p/locations/us-east5/publishers/google/models/gemini-3-flash-preview` was"),
        (
            429,
            "Resource exhausted. Please try again later. Please refer to "
            "https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
        ),
        (500, "Internal error encountered."),
        (503, "The service is currently unavailable."),
        (504, "Deadline expired before operation could complete."),
    ],
)
def test_status_has_vertex_ais_sentence(status: int, words: str) -> None:
    response = WIRE.fail(Fault(status=status), ReplyContext(request(), "vertex", Ids("test")))

    error = json.loads(response.body)["error"]
    assert response.status == error["code"] == status
    assert error["message"].startswith(words)
    assert "RetryInfo" not in json.dumps(error)
