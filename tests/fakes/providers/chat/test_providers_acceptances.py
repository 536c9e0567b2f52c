"""What each provider takes, against expectation, and where its rules depend on the model, the path or each other."""

import json

import pytest
from provider_requests import EXPECTED, NAMES, TOOL, USER, calling, chat, judged, posted, result, rule_of, wire

from fake_providers import judge
from fake_providers.registry import provider_wires, wire_for

SHORT = "D681PevKs"
SAID = {"role": "assistant", "content": "Rain."}


@pytest.mark.parametrize("name", NAMES)
def test_finished_round_with_a_call_is_taken(name: str) -> None:
    thought = {"deepseek": {"reasoning_content": ""}}.get(name, {})
    call = calling(SHORT, **thought)
    call["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    if EXPECTED[name].get("refuses_unknown_members"):
        del call["tool_calls"][0]["extra_content"]
    function = {**TOOL["function"], "parameters": {"type": "object", "properties": {}}}
    body = chat(name, USER, call, result(SHORT), SAID, USER, tools=[{**TOOL, "function": function}])

    assert judged(name, body) is None


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("deepseek", chat("deepseek", USER, calling("c" * 60, reasoning_content="I ask."), result("c" * 60))),
        ("deepseek", chat("deepseek", SAID, USER, {"role": "system", "content": "Be brief."}, USER)),
        ("deepseek", chat("deepseek", USER, calling("a"), result("a"), thinking={"type": "disabled"})),
        ("deepseek", chat("deepseek", USER, calling("a"), result("a"), model="deepseek-reasoner")),
        ("deepseek", chat("deepseek", tools=[TOOL], tool_choice="required", reasoning_effort="none")),
        ("mistral", chat("mistral", USER, calling(SHORT), result(SHORT), USER, model="mistral-small-latest")),
        ("mistral", chat("mistral", USER, calling("call_REDACTED_1"), result("call_REDACTED_1"))),
        ("mistral", chat("mistral", SAID, USER)),
        ("mistral", chat("mistral", USER, {**SAID, "prefix": True})),
        ("mistral", chat("mistral", tools=[{"function": TOOL["function"]}], tool_choice="any")),
        ("mistral", chat("mistral", USER, {**calling(SHORT), "content": []}, {**result(SHORT), "name": "get_weather"})),
        ("groq", chat("groq", USER, SAID)),
        ("groq", chat("groq", tools=[{"type": "browser_search"}])),
        ("groq", chat("groq", {**USER, "content": "As jSoN, please."}, response_format={"type": "json_object"})),
        ("groq", chat("groq", response_format={"type": "text"})),
        ("groq", chat("groq", USER, calling("functions.add:0"), result("functions.add:0"), USER)),
        ("openrouter", chat("openrouter", model="gpt-4o")),
        ("openrouter", chat("openrouter", SAID, USER, model="openai/gpt-5", temperature=0.5, max_tokens=16)),
        ("xai", chat("xai", USER, {**calling("a"), "content": []}, result("a"))),
        ("xai", chat("xai", max_tokens=9, max_completion_tokens=9, tool_choice={"type": "tool", "name": "add"})),
        ("vllm", chat("vllm", USER, USER, tools=[TOOL])),
        ("vllm", chat("vllm", tools=[TOOL], tool_choice="none", model="google/gemma-3-27b-it")),
        ("vllm", chat("vllm", tools=[], model="google/gemma-3-27b-it")),
        ("deepseek", chat("deepseek", {**USER, "content": [{"type": "file"}]}, model="deepseek-chat")),
        ("vllm", chat("vllm", USER, SAID, USER, model="google/gemma-3-27b-it")),
        ("vllm", chat("vllm", USER, SAID, USER, model="mistralai/Mistral-7B-Instruct-v0.3")),
        ("vllm", chat("vllm", USER, calling("a"), result("a"), result("b"), SAID, model="google/gemma-3-27b-it")),
        ("llama.cpp", {"messages": [USER]}),
        ("gemini", chat("gemini", USER, calling("a"), result("a"), USER)),
        ("gemini", chat("gemini", USER, calling("a"), result("a"), model="gemini-2.5-pro")),
        ("gemini", chat("gemini", USER, calling("a"), result("a"), model="models/gemma-3-27b-it")),
        ("gemini", chat("gemini", USER, calling("a"), result("a"), model="gemini-flash-latest")),
        ("gemini", chat("gemini", USER, calling("a"), result("a"), model="ours")),
        ("deepseek", chat("deepseek", USER, calling("a"), result("a"), model="deepseek-coder")),
        ("deepseek", chat("deepseek", USER, calling("a"), result("a"), model="ours")),
        ("deepseek", chat("deepseek", tools=[TOOL], tool_choice="required", model="deepseek-v3.2")),
        ("openrouter", chat("openrouter", model="google/gemma-3-27b-it", tools=[TOOL])),
        ("openrouter", chat("openrouter", model="google/gemini-2.0-flash-001", tool_choice="auto")),
    ],
)
def test_recorded_or_unknown_shapes_are_taken(name: str, body: object) -> None:
    assert judged(name, body) is None


@pytest.mark.parametrize(
    ("name", "body", "rule"),
    [
        ("mistral", chat("mistral", USER, SAID, {"role": "system", "content": "Be brief."}, USER), "role-order"),
        ("mistral", chat("mistral", USER, result(SHORT)), "role-order"),
        ("mistral", chat("mistral", USER, calling(SHORT), USER), "call-response-count"),
        ("mistral", chat("mistral", USER, calling("call_1"), result("call_1")), "tool-call-id"),
        ("mistral", chat("mistral", USER, calling("a"), result("a"), model="mistral-small-latest"), "tool-call-id"),
        ("mistral", chat("mistral", USER, calling("a"), result("a"), model="ministral-3b-latest"), "tool-call-id"),
        ("groq", chat("groq", response_format={"type": "json_object"}), "json-object-unsaid"),
        ("mistral", chat("mistral", USER, {**SAID, "refusal": None}, USER), "extra-field"),
        (
            "deepseek",
            chat("deepseek", USER, calling("a", "b", reasoning_content=""), result("a")),
            "tool-calls-unanswered",
        ),
        ("deepseek", chat("deepseek", result("a")), "tool-without-call"),
        ("deepseek", chat("deepseek", tools=[TOOL], tool_choice={"type": "function"}), "tool-choice-while-thinking"),
        ("groq", chat("groq", model="llama-4", tools=[{"type": "browser_search"}]), "tool-type"),
        (
            "gemini",
            chat("gemini", {"role": "system", "content": "a"}, calling("a"), result("a")),
            "tool-calls-before-user",
        ),
    ],
)
def test_other_forms_of_a_fault_break_the_same_rule(name: str, body: object, rule: str) -> None:
    assert rule_of(name, body) == rule


def test_groq_says_it_in_older_words_where_they_were_recorded() -> None:
    older = judged("groq", chat("groq", model="llama-3.3-70b-versatile", tools=[{"type": "browser_search"}]))
    newer = judged("groq", chat("groq", model="llama-3.3-70b-versatile", tools=[{"type": "visit_website"}]))
    assert older is not None
    assert newer is not None

    assert older.message == "tools[0].type must be one of [function, mcp]"
    assert newer.message == f"code=400, message={older.message}, type=invalid_request_error"


def test_mistral_looks_at_the_schema_before_the_conversation() -> None:
    both = chat("mistral", USER, {**SAID, "reasoning_content": "I know."})

    assert rule_of("mistral", both) == "extra-field"
    assert rule_of("mistral", chat("mistral", USER, SAID)) == "last-role"


def test_mistral_names_every_parameter_that_it_does_not_know() -> None:
    found = judged("mistral", chat("mistral", store=False, max_completion_tokens=9))
    assert found is not None

    assert [problem["loc"] for problem in found.body["detail"]] == [
        ["body", "store"],
        ["body", "max_completion_tokens"],
    ]


def test_mistral_names_all_that_is_wrong_with_a_tool_of_another_type() -> None:
    found = judged("mistral", chat("mistral", USER, tools=[{"type": "web"}]))

    assert found is not None
    place = ["body", "tools"]
    problems = [(problem["type"], problem["loc"], problem["input"]) for problem in found.body["detail"]]
    assert problems == [
        ("enum", [*place, "list[Tool]", 0, "type"], "web"),
        ("missing", [*place, "list[Tool]", 0, "function"], {"type": "web"}),
        ("string_type", [*place, "list[str]", 0], {"type": "web"}),
    ]


def test_openrouter_hands_on_the_refusal_of_another_provider() -> None:
    found = judged("openrouter", chat("openrouter", model="google/gemini-2.5-pro", tool_choice="auto"))
    assert found is not None

    error = found.body["error"]
    assert (found.status, error["message"]) == (400, "Provider returned error")
    assert json.loads(error["metadata"]["raw"])["error"]["status"] == "INVALID_ARGUMENT"


def test_azure_takes_the_model_from_the_path() -> None:
    bare = {"messages": [USER], "max_tokens": 9}
    query = "?api-version=2025-04-01-preview"

    assert judged("azure", bare, f"/openai/deployments/gpt-4.1/chat/completions{query}") is None
    assert rule_of("azure", bare, f"/openai/deployments/o3/chat/completions{query}") == "max-tokens-unsupported"
    assert judged("azure", bare, f"/openai/deployments/ours/chat/completions{query}") is None
    assert rule_of("azure", bare, "/openai/v1/chat/completions") == "model-missing"


@pytest.mark.parametrize("deployment", ["gpt-35-turbo", "gpt-35-turbo-16k", "gpt-oss-120b", "gpt-of-ours", "gpt4o"])
def test_azure_lets_a_deployment_of_any_name_be_an_older_model(deployment: str) -> None:
    bare = {"messages": [USER], "max_tokens": 9, "temperature": 0.5, "stop": ["END"]}

    assert judged("azure", bare, f"/openai/deployments/{deployment}/chat/completions?api-version=2025-04-01") is None


def test_azure_says_what_openai_says_and_is_less_sure_of_it() -> None:
    body = chat("azure", USER, calling("a"))
    own, other = judged("azure", body), judge("openai", "/v1/chat/completions", json.dumps(body).encode(), {})
    assert own is not None
    assert other is not None

    assert (own.body, own.status) == (other.body, other.status)
    assert (own.confidence, other.confidence) == ("reported", "recorded")
    assert {rule.confidence for rule in wire("azure").rules if rule.breaking is not None} == {"reported", "inferred"}


def test_azure_takes_a_search_of_ones_own_data() -> None:
    assert judged("azure", chat("azure", data_sources=[{"type": "azure_search"}])) is None


def test_paths_that_no_provider_of_this_wire_has_are_unknown() -> None:
    with pytest.raises(LookupError):
        judge("mistral", "/responses", b"{}", {})
    with pytest.raises(LookupError):
        wire_for("mistral", "anthropic-messages")


def test_path_decides_the_wire_of_gemini() -> None:
    assert [one.name for one in provider_wires("gemini")] == ["gemini-generate", "openai-chat"]
    cut = chat("gemini", calling("a"), result("a"))
    found = judged("gemini", cut, "/v1beta/openai/chat/completions")
    assert found is not None

    assert isinstance(found.body, list)


def test_model_of_a_route_is_the_deployment() -> None:
    request = posted({"messages": []}, "/openai/deployments/gpt-4o/chat/completions?api-version=1")
    route = wire("azure").route(request)

    assert route is not None
    assert route.model == "gpt-4o"


@pytest.mark.parametrize("name", NAMES)
def test_base_path_is_the_providers(name: str) -> None:
    assert wire(name).base_path == EXPECTED[name]["base_path"]
