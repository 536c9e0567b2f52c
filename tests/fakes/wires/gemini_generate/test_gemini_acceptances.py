"""Requests that the real provider accepted: refusing one of them would be as bad as missing a violation."""

import json
from typing import Any

import pytest
from gemini_requests import CALL, MODEL, RESULT, SIGNED, broken_rule, model, request, user, violation_of

from fake_providers import judge, wire_named
from fake_providers.ids import Ids
from fake_providers.wires.gemini_generate.thought_signatures import issue

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
    "text next to a response": [user("hi"), model(SIGNED), user(RESULT, "be brief")],
    "text before a call": [user("hi"), model("Let me see.", SIGNED), user(RESULT)],
    "an empty text of the user": [user("")],
    "a greeting first": [model("Hello!"), user("hi")],
    "a beginning of the answer last": [user("hi"), model("It is")],
    "a content without parts": [user("hi"), {"role": "model"}, user("hi")],
    "a part that is only metadata of a video": [user("hi"), {"role": "user", "parts": [{"videoMetadata": {"fps": 1}}]}],
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
    assert violation_of(*history) is None


def test_single_content_is_accepted_as_a_list() -> None:
    assert broken_rule(judge("gemini", request().path, b'{"contents":{"parts":{"text":"hi"}}}', {})) is None


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
    assert violation_of(user("hi"), **fields) is None


def test_type_may_be_given_by_its_number() -> None:
    schema = {"type": 6, "properties": {"a": {"type": 5, "items": {"type": 1, "enum": ["b"]}}}, "required": ["a"]}
    tools = [{"functionDeclarations": [{"name": "f", "description": "d", "parameters": schema}]}]

    assert violation_of(user("hi"), tools=tools, generationConfig={"responseSchema": schema}) is None
    tools[0]["functionDeclarations"][0]["parameters"] = {**schema, "properties": {"a": {"type": 5}}}
    assert broken_rule(violation_of(user("hi"), tools=tools)) == "gemini/schema-items-missing"


def test_alternative_of_a_parameter_may_be_an_object_without_properties() -> None:
    schema = {"type": "OBJECT", "properties": {"a": {"anyOf": [{"type": "STRING"}, {"type": "OBJECT"}]}}}
    below = {"type": "OBJECT", "properties": {"a": {"anyOf": [{"type": "ARRAY", "items": {"type": "OBJECT"}}]}}}

    assert violation_of(user("hi"), tools=[{"functionDeclarations": [{"name": "f", "parameters": schema}]}]) is None
    context = violation_of(user("hi"), tools=[{"functionDeclarations": [{"name": "f", "parameters": below}]}])
    assert broken_rule(context) == "gemini/schema-properties-empty"
    context = violation_of(user("hi"), generationConfig={"responseSchema": schema})
    assert broken_rule(context) == "gemini/schema-properties-empty"


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
def test_required_signatures_depend_on_the_model(model_name: str, rule: str | None) -> None:
    assert broken_rule(violation_of(user("hi"), model(CALL), user(RESULT), of=model_name)) == rule


@pytest.mark.parametrize(
    ("model_name", "rule"),
    [
        ("gemini-2.5-flash", None),
        ("gemini-3.5-flash", None),
        ("gemini-3.5-flash-lite", "gemini/ends-with-model"),
        ("gemini-3.6-flash", "gemini/ends-with-model"),
        ("gemini-3.7-flash", "gemini/ends-with-model"),
        ("gemini-3.8-flash", None),
        ("gemini-4-pro", None),
    ],
)
def test_prefill_depends_on_the_model(model_name: str, rule: str | None) -> None:
    assert broken_rule(violation_of(user("hi"), model("It is"), of=model_name)) == rule


def test_tool_config_without_declarations_depends_on_the_model() -> None:
    config = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": []}}

    assert violation_of(user("hi"), toolConfig=config, of="gemini-2.0-flash") is None
    assert (
        broken_rule(violation_of(user("hi"), toolConfig=config, of="gemini-2.5-pro"))
        == "gemini/tool-config-without-declarations"
    )
    assert broken_rule(violation_of(user("hi"), toolConfig=config)) == "gemini/tool-config-without-declarations"


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
def test_google_tools_with_declarations_depend_on_the_model(model_name: str, rule: str | None) -> None:
    assert broken_rule(violation_of(user("hi"), tools=SEARCHING, of=model_name)) == rule
    assert broken_rule(violation_of(user("hi"), tools=[{"google_search": {}, **SEARCHING[0]}], of=model_name)) == rule
    assert violation_of(user("hi"), tools=SEARCHING[:1], of=model_name) is None
    assert violation_of(user("hi"), tools=SEARCHING[1:], of=model_name) is None
    on_vertex = f"/v1/projects/p/locations/l/publishers/google/models/{model_name}:generateContent"
    assert judge("vertex", on_vertex, json.dumps({"contents": [user("hi")], "tools": SEARCHING}).encode(), {}) is None


def test_enabled_google_tools_are_accepted_with_declarations() -> None:
    for name in ("includeServerSideToolInvocations", "include_server_side_tool_invocations"):
        assert violation_of(user("hi"), tools=SEARCHING, toolConfig={name: True}, of="gemini-3.6-flash") is None
    computer = [SEARCHING[0], {"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]
    assert violation_of(user("hi"), tools=computer, of="gemini-2.5-computer-use-preview-10-2025") is None


def test_thinking_budget_excludes_thinking_level() -> None:
    both = {"thinkingConfig": {"thinkingBudget": 0, "thinking_level": "low"}}

    assert broken_rule(violation_of(user("hi"), generationConfig=both)) == "gemini/thinking-budget-and-level"
    older = violation_of(user("hi"), generationConfig=both, of="gemini-2.5-flash")
    assert broken_rule(older) == "gemini/thinking-level-unsupported"
    for one in ({"thinkingBudget": -1}, {"thinkingLevel": "HIGH", "thinkingBudget": None}):
        assert violation_of(user("hi"), generationConfig={"thinkingConfig": one}) is None


@pytest.mark.parametrize(
    ("mode", "calling"), [("ANY", "Forced function calling (ANY mode)"), ("AUTO", "Function calling")]
)
def test_refusal_of_json_with_declarations_names_the_calling_mode(mode: str, calling: str) -> None:
    context = {"generationConfig": {"responseMimeType": "application/json"}, "tools": SEARCHING[:1]}
    config = {"functionCallingConfig": {"mode": mode}}

    refused = violation_of(user("hi"), **context, toolConfig=config, of="gemini-2.5-flash")

    assert refused is not None
    assert refused.message == f"{calling} with a response mime type: 'application/json' is unsupported"
    assert violation_of(user("hi"), **context, toolConfig=config) is None


def test_own_signature_is_accepted_in_either_alphabet_and_refused_when_changed() -> None:
    whole = issue(Ids("seed"))
    web = whole.replace("+", "-").replace("/", "_").rstrip("=")

    def rule(signature: str, of: str = MODEL) -> str | None:
        return broken_rule(
            violation_of(user("hi"), model({**CALL, "thoughtSignature": signature}), user(RESULT), of=of)
        )

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

    violation = violation_of(user("hi"), model({**CALL, "thoughtSignature": twice}), user(RESULT))

    assert broken_rule(violation) == "gemini/thought-signature-corrupted"


@pytest.mark.parametrize("foreign", ["skip_thought_signature_validator", "EjQKMgEMOdbH46E6", "c2tpcA", "abcde"])
def test_foreign_signature_is_not_checked(foreign: str) -> None:
    assert violation_of(user("hi"), model({**CALL, "thoughtSignature": foreign}), user(RESULT)) is None


def test_only_posts_to_either_version_are_routed() -> None:
    wire = wire_named("gemini-generate")
    posted = request().path
    get = type(request())("GET", posted, {}, b"")

    assert wire.route(request()) == wire.route(request(verb="%3AgenerateContent"))
    assert wire.route(get) is None
    with pytest.raises(LookupError):
        judge("gemini", "/v1beta/models/gemini-3-flash-preview:countTokens", b"{}", {})


@pytest.mark.parametrize("own", ["googleSearch", "urlContext", "codeExecution"])
def test_own_tool_of_google_beside_declarations_is_refused_by_older_models(own: str) -> None:
    mixed = [{"functionDeclarations": [{"name": "f"}]}, {own: {}}]

    assert (
        broken_rule(violation_of(user("hi"), of="gemini-2.5-flash", tools=mixed))
        == "gemini/built-in-tools-with-functions"
    )
    assert broken_rule(violation_of(user("hi"), of="gemini-3.6-flash", tools=mixed)) == "gemini/built-in-tools-unasked"
    assert violation_of(user("hi"), of="gemini-2.5-flash", tools=[{own: {}}]) is None


@pytest.mark.parametrize(("version", "rule"), [("v1beta", "gemini/unknown-field"), ("v1alpha", None)])
def test_fields_of_the_alpha_version_are_not_known(version: str, rule: str | None) -> None:
    body = json.dumps({"contents": [user("hi")], "swarm": {"size": 3}}).encode()
    found = judge("gemini", f"/{version}/models/gemini-2.5-flash:generateContent", body, {})

    assert (found.rule if found else None) == rule
