"""What the real provider was seen to accept: a false refusal is as bad as a missed one."""

import json
from typing import Any

import pytest
from gemini_requests import CALL, MODEL, RESULT, SIGNED, judged, model, request, rule_of, user

from fakes import judge, wire_named
from fakes.ids import Ids
from fakes.wires.gemini_generate.thought_signatures import issue

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
OTHER = {"functionCall": {"name": "get_news", "args": {}}}

HISTORIES: dict[str, list[Any]] = {
    "a call answered by text alone": [user("hi"), model(SIGNED), user("never mind")],
    "responses in one content each": [user("hi"), model(SIGNED, OTHER), user(RESULT), user(RESULT)],
    "calls in one content each": [user("hi"), model(SIGNED), model(SIGNED), user(RESULT, RESULT)],
    "the empty text that ends a streamed call": [user("hi"), model(SIGNED), model(""), user(RESULT)],
    "a response under another name": [user("hi"), model(SIGNED), user({"functionResponse": {"name": "x"}})],
    "a response of role function": [user("hi"), model(SIGNED), {"role": "function", "parts": [RESULT]}],
    "a response without a role": [user("hi"), model(SIGNED), {"parts": [RESULT]}],
    "text beside a response": [user("hi"), model(SIGNED), user(RESULT, "be brief")],
    "text before a call": [user("hi"), model("Let me see.", SIGNED), user(RESULT)],
    "an empty text of the user": [user("")],
    "a greeting first": [model("Hello!"), user("hi")],
    "a beginning of the answer last": [user("hi"), model("It is")],
    "a content without parts": [user("hi"), {"role": "model"}, user("hi")],
    "a part that is only a signature": [
        user("hi"),
        model({"thought": True, "thoughtSignature": "EkQ="}, "ok"),
        user("go"),
    ],
    "a call without arguments": [user("hi"), model({**SIGNED, "functionCall": {"name": "f"}}), user(RESULT)],
    "parallel calls of which the first is signed": [user("hi"), model(SIGNED, OTHER), user(RESULT, RESULT)],
    "unsigned calls of an earlier turn": [user("hi"), model(CALL), user(RESULT), model("Rain."), user("And now?")],
    "snake case": [user("hi"), model({"function_call": {"name": "f"}, "thought_signature": "a_b-"}), user("go")],
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
def test_history_is_accepted(history: list[Any]) -> None:
    assert judged(*history) is None


def test_one_content_stands_for_a_list() -> None:
    assert rule_of(judge("gemini", request().path, b'{"contents":{"parts":{"text":"hi"}}}', {})) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": []},
        {"generationConfig": None, "safetySettings": None, "toolConfig": None},
        {"system_instruction": {"parts": [{"text": "x"}]}, "generation_config": {"stop_sequences": "x"}},
        {"tools": [{"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT", "properties": {}}}]}]},
        {"tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"$defs": {}, "oneOf": []}}]}]},
        {"tools": [{"functionDeclarations": [{"name": "mcp:server.tool-" + "x" * 100}]}]},
        {
            "tools": [
                {"functionDeclarations": [{"name": "f", "parameters": {**SCHEMA, "title": "F"}}]},
                {"googleSearch": {}},
            ]
        },
        {
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "any", "allowedFunctionNames": []}},
        },
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}, "includeServerSideToolInvocations": True}},
    ],
)
def test_fields_are_accepted(fields: dict[str, Any]) -> None:
    assert judged(user("hi"), **fields) is None


def test_the_number_of_a_type_stands_for_its_name() -> None:
    schema = {"type": 6, "properties": {"a": {"type": 5, "items": {"type": 1, "enum": ["b"]}}}, "required": ["a"]}
    tools = [{"functionDeclarations": [{"name": "f", "description": "d", "parameters": schema}]}]

    assert judged(user("hi"), tools=tools, generationConfig={"responseSchema": schema}) is None
    tools[0]["functionDeclarations"][0]["parameters"] = {**schema, "properties": {"a": {"type": 5}}}
    assert rule_of(judged(user("hi"), tools=tools)) == "gemini/schema-items-missing"


def test_an_alternative_of_a_parameter_may_be_an_object_of_anything() -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"anyOf": [{"type": "STRING"}, {"type": "OBJECT"}]}}}
    below = {"type": "OBJECT", "properties": {"a": {"anyOf": [{"type": "ARRAY", "items": {"type": "OBJECT"}}]}}}

    assert judged(user("hi"), tools=[{"functionDeclarations": [{"name": "f", "parameters": schema}]}]) is None
    context = judged(user("hi"), tools=[{"functionDeclarations": [{"name": "f", "parameters": below}]}])
    assert rule_of(context) == "gemini/schema-properties-empty"
    context = judged(user("hi"), generationConfig={"responseSchema": schema})
    assert rule_of(context) == "gemini/schema-properties-empty"


@pytest.mark.parametrize(
    ("model_name", "rule"),
    [
        ("gemini-2.5-flash", None),
        ("gemini-2.0-flash", None),
        ("gemini-flash-latest", None),
        ("gemini-3-pro-preview", None),
        ("gemini-3-flash-preview", "gemini/thought-signature-missing"),
        ("models/gemini-3.5-flash", "gemini/thought-signature-missing"),
        ("gemini-9-ultra", "gemini/thought-signature-missing"),
        ("someone-elses-model", "gemini/thought-signature-missing"),
        ("gemini-robotics-er-1.5-preview", None),
        ("gemini-live-2.5-flash", None),
        ("learnlm-2.0-flash-experimental", None),
    ],
)
def test_signatures_are_demanded_by_model(model_name: str, rule: str | None) -> None:
    assert rule_of(judged(user("hi"), model(CALL), user(RESULT), of=model_name)) == rule


@pytest.mark.parametrize(
    ("model_name", "rule"),
    [
        ("gemini-2.5-flash", None),
        ("gemini-3.5-flash", None),
        ("gemini-3.5-flash-lite", "gemini/ends-with-model"),
        ("gemini-3.6-flash", "gemini/ends-with-model"),
        ("gemini-3.8-flash", "gemini/ends-with-model"),
        ("gemini-4-pro", "gemini/ends-with-model"),
    ],
)
def test_last_turn_of_the_model_is_refused_by_model(model_name: str, rule: str | None) -> None:
    assert rule_of(judged(user("hi"), model("It is"), of=model_name)) == rule


def test_tool_config_alone_is_refused_by_model() -> None:
    config = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": []}}

    assert judged(user("hi"), toolConfig=config, of="gemini-2.0-flash") is None
    assert (
        rule_of(judged(user("hi"), toolConfig=config, of="gemini-2.5-pro")) == "gemini/tool-config-without-declarations"
    )
    assert rule_of(judged(user("hi"), toolConfig=config)) == "gemini/tool-config-without-declarations"


SEARCHING = [{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}]


@pytest.mark.parametrize(
    ("model_name", "rule"),
    [
        ("gemini-1.5-pro", None),
        ("gemini-2.0-flash", "gemini/built-in-tools-with-functions"),
        ("gemini-2.5-flash-lite", "gemini/built-in-tools-with-functions"),
        ("gemini-3-flash-preview", None),
        ("gemini-3-pro-preview", None),
        ("gemini-3.5-flash", None),
        ("gemini-3.1-pro-preview", "gemini/built-in-tools-unasked"),
        ("gemini-3.5-flash-lite", "gemini/built-in-tools-unasked"),
        ("gemini-3.6-flash", "gemini/built-in-tools-unasked"),
        ("gemini-3.7-flash", "gemini/built-in-tools-unasked"),
        ("gemini-flash-latest", None),
    ],
)
def test_tools_of_google_beside_declarations_are_refused_by_model(model_name: str, rule: str | None) -> None:
    assert rule_of(judged(user("hi"), tools=SEARCHING, of=model_name)) == rule
    assert rule_of(judged(user("hi"), tools=[{"google_search": {}, **SEARCHING[0]}], of=model_name)) == rule
    assert judged(user("hi"), tools=SEARCHING[:1], of=model_name) is None
    assert judged(user("hi"), tools=SEARCHING[1:], of=model_name) is None
    on_vertex = f"/v1/projects/p/locations/l/publishers/google/models/{model_name}:generateContent"
    assert judge("vertex", on_vertex, json.dumps({"contents": [user("hi")], "tools": SEARCHING}).encode(), {}) is None


def test_tools_of_google_that_are_asked_for_stand_beside_declarations() -> None:
    for name in ("includeServerSideToolInvocations", "include_server_side_tool_invocations"):
        assert judged(user("hi"), tools=SEARCHING, toolConfig={name: True}, of="gemini-3.6-flash") is None
    computer = [SEARCHING[0], {"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]
    assert judged(user("hi"), tools=computer, of="gemini-2.5-computer-use-preview-10-2025") is None


def test_thinking_is_measured_one_way() -> None:
    both = {"thinkingConfig": {"thinkingBudget": 0, "thinking_level": "low"}}

    assert rule_of(judged(user("hi"), generationConfig=both)) == "gemini/thinking-budget-and-level"
    assert judged(user("hi"), generationConfig=both, of="gemini-2.5-flash") is None
    for one in ({"thinkingBudget": -1}, {"thinkingLevel": "HIGH", "thinkingBudget": None}):
        assert judged(user("hi"), generationConfig={"thinkingConfig": one}) is None


@pytest.mark.parametrize(
    ("mode", "calling"), [("ANY", "Forced function calling (ANY mode)"), ("AUTO", "Function calling")]
)
def test_json_beside_declarations_is_refused_by_how_calls_are_wanted(mode: str, calling: str) -> None:
    context = {"generationConfig": {"responseMimeType": "application/json"}, "tools": SEARCHING[:1]}
    config = {"functionCallingConfig": {"mode": mode}}

    refused = judged(user("hi"), **context, toolConfig=config, of="gemini-2.5-flash")

    assert refused is not None
    assert refused.message == f"{calling} with a response mime type: 'application/json' is unsupported"
    assert judged(user("hi"), **context, toolConfig=config) is None


def test_own_signature_is_accepted_in_either_alphabet_and_refused_when_changed() -> None:
    whole = issue(Ids("seed"))
    web = whole.replace("+", "-").replace("/", "_").rstrip("=")

    def rule(signature: str, of: str = MODEL) -> str | None:
        return rule_of(judged(user("hi"), model({**CALL, "thoughtSignature": signature}), user(RESULT), of=of))

    assert rule(whole) is None
    assert rule(web) is None
    assert rule(whole[:40]) == "gemini/thought-signature-corrupted"
    assert rule(whole[:-6] + "BBBBBB") == "gemini/thought-signature-corrupted"
    assert rule(whole[:40], "gemini-3.7-flash") == "gemini/thought-signature-invalid"
    assert rule(whole[:40], "gemini-2.5-flash") is None
    assert rule("") == "gemini/thought-signature-missing"


def test_signature_encoded_twice_is_refused() -> None:
    import base64

    twice = base64.b64encode(issue(Ids("seed")).encode()).decode()

    violation = judged(user("hi"), model({**CALL, "thoughtSignature": twice}), user(RESULT))

    assert rule_of(violation) == "gemini/thought-signature-corrupted"


@pytest.mark.parametrize("foreign", ["skip_thought_signature_validator", "EjQKMgEMOdbH46E6", "c2tpcA", "abcde"])
def test_signature_of_other_origin_is_never_judged(foreign: str) -> None:
    assert judged(user("hi"), model({**CALL, "thoughtSignature": foreign}), user(RESULT)) is None


def test_route_takes_both_versions_and_only_posts() -> None:
    wire = wire_named("gemini-generate")
    posted = request().path
    get = type(request())("GET", posted, {}, b"")

    assert wire.route(request()) == wire.route(request(verb="%3AgenerateContent"))
    assert wire.route(get) is None
    with pytest.raises(LookupError):
        judge("gemini", "/v1beta/models/gemini-3-flash-preview:countTokens", b"{}", {})
