"""What the providers beside OpenAI refuse of Responses, in which envelope, and what they let pass."""

import json
from typing import Any

import pytest
from elsewhere import NAMES, THOUGHT, TOOL, USER, call, events, failed, judged, request_body, result, rule_of, wire_of

from fake_providers import Fault, Reply, Request, ScriptedFake, judge
from fake_providers.http import Response

SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]}
HINT = {"role": "developer", "content": "Be short."}


def posted(fake: ScriptedFake, body: dict[str, Any], **headers: str) -> Response:
    key = headers or {"authorization": "Bearer k"}
    return fake.handle(Request("POST", "/v1/responses", key, json.dumps(body).encode()))


@pytest.mark.parametrize("name", NAMES)
def test_the_chat_wire_comes_first(name: str) -> None:
    assert ScriptedFake(name).wire.name == "openai-chat"
    assert ScriptedFake(name, wire="openai-responses").wire.providers == (name,)


@pytest.mark.parametrize(("name", "path"), [("xai", "/v1"), ("openrouter", "/api/v1"), ("deepseek", "")])
def test_base_url_ends_in_the_providers_path(name: str, path: str) -> None:
    assert wire_of(name).base_path == path
    assert judge(name, f"{path}/responses", json.dumps(request_body(name)).encode(), {}) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "fields",
    [
        {"max_tokens": 9},
        {"messages": [USER]},
        {"tools": []},
        {"instructions": "Be short.", "store": False},
        {"temperature": 7},
    ],
)
def test_what_openai_refuses_passes_where_nobody_has_seen_it_refused(name: str, fields: dict[str, Any]) -> None:
    assert judged(name, **fields) is None


@pytest.mark.parametrize("name", ["xai", "deepseek"])
def test_pattern_of_openais_names_is_not_asked_for_where_nobody_has_seen_it(name: str) -> None:
    assert judged(name, tools=[{**TOOL, "name": "weather.get"}]) is None
    assert name == "deepseek" or judged(name, USER, call("a" * 80), USER) is None


@pytest.mark.parametrize(
    ("items", "refused"),
    [
        ((USER, THOUGHT, call("a"), call("b"), result("a"), result("b")), None),
        ((USER, THOUGHT, call("a"), call("b"), result("b"), result("a"), USER), None),
        ((USER, THOUGHT, THOUGHT, call("a"), result("a"), THOUGHT, call("b"), result("b")), None),
        ((USER, THOUGHT, SAID, call("a"), result("a"), USER), None),
        ((USER, call("a"), result("a"), SAID, USER), None),
        ((USER, THOUGHT, call("a"), THOUGHT, call("b"), result("a"), result("b")), "call-unanswered"),
        ((USER, THOUGHT, call("a"), HINT, result("a")), "call-unanswered"),
        ((USER, THOUGHT, call("a"), call("b"), result("a"), USER), "call-unanswered"),
        ((USER, THOUGHT, call("a")), "call-unanswered"),
        ((USER, THOUGHT, call("a"), result("a"), call("b"), result("b")), "reasoning-required"),
        ((USER, call("a"), result("a")), "reasoning-required"),
        ((USER, {"type": "item_reference", "id": "fc_1"}, result("a")), "result-without-call"),
    ],
)
def test_deepseek_wants_calls_and_results_side_by_side(items: tuple[Any, ...], refused: str | None) -> None:
    assert rule_of(judged("deepseek", *items)) == (refused and f"deepseek/responses-{refused}")


def test_deepseek_wants_no_reasoning_of_a_model_that_does_not_think() -> None:
    assert judged("deepseek", USER, call("a"), result("a"), reasoning={"effort": "none"}) is None


def test_deepseek_has_no_previous_response_to_find_a_call_in() -> None:
    fake = ScriptedFake("deepseek", [Reply(text="7."), Reply(text="8.")], wire="openai-responses")
    first = json.loads(posted(fake, request_body("deepseek")).body)

    response = posted(fake, request_body("deepseek", result("a"), previous_response_id=first["id"]))

    assert (response.status, fake.violations[0].rule) == (400, "deepseek/responses-result-without-call")
    assert dict(response.headers)["content-type"] == "application/octet-stream"


def test_openrouter_reads_messages_of_the_model_in_two_forms() -> None:
    assert rule_of(judged("openrouter", USER, SAID, USER)) == "openrouter/responses-message-without-id"
    assert judged("openrouter", USER, {**SAID, "id": "msg_1"}, USER) is None
    assert judged("openrouter", USER, {"role": "assistant", "content": "Rain."}, USER) is None


def test_openrouter_tells_what_it_could_not_read() -> None:
    found = judged("openrouter", USER, SAID, USER)

    assert found is not None
    assert found.body["error"] == {"code": "invalid_prompt", "message": "Invalid Responses API request"}
    assert json.loads(found.body["metadata"]["raw"])[0]["path"] == ["input", 1]


SONNET, LARGE, LLAMA = "anthropic/claude-sonnet-4.6", "mistralai/mistral-large-2512", "meta-llama/llama-4-scout"


@pytest.mark.parametrize(
    ("model", "items", "fields", "rule", "server", "at"),
    [
        ("openai/gpt-5.2", (USER, call("a"), USER), {}, "openai-call-without-result", "OpenAI", "input[1]"),
        ("openai/gpt-5.2", (USER, result("a")), {}, "openai-result-without-call", "OpenAI", "input[1]"),
        ("openai/gpt-4.1", (USER,), {"max_output_tokens": 3}, "openai-parameter-range", "OpenAI", "max_output_tokens"),
        (SONNET, (USER, call("a"), call("b"), result("a")), {}, "anthropic-tool-use-unanswered", "Anthropic",
            "input[1]"),
        (SONNET, (USER, result("a")), {"instructions": "Be brief."}, "anthropic-tool-result-without-use", "Anthropic",
            "input[1]"),
        (LARGE, (USER, result("a")), {}, "mistralai-role-order", "Mistral", "input[1]"),
    ],
)  # fmt: skip
def test_openrouter_passes_on_what_the_maker_of_the_model_refuses(
    model: str, items: tuple[Any, ...], fields: dict[str, Any], rule: str, server: str, at: str
) -> None:
    found = judged("openrouter", *items, model=model, tools=[TOOL], **fields)

    assert found is not None
    assert (found.rule, found.at) == (f"openrouter/responses-{rule}", at)
    assert found.body["error"] == {"code": "invalid_prompt", "message": "Provider returned error"}
    assert (found.body["metadata"]["provider_name"], bool(json.loads(found.body["metadata"]["raw"]))) == (server, True)
    assert found.confidence == ("reported" if server == "OpenAI" else "inferred")


@pytest.mark.parametrize(
    ("model", "items", "fields"),
    [
        ("openai/gpt-5.2", (USER, call("a"), call("b"), result("b"), result("a")), {"temperature": 0.2}),
        ("openai/gpt-oss-120b", (USER, call("a"), USER), {"max_output_tokens": 1}),
        (SONNET, (USER, {**SAID, "id": "msg_1"}, call("a"), call("b"), result("b"), result("a"), USER), {}),
        (SONNET, ({"type": "item_reference", "id": "a"}, USER), {"tool_choice": "auto"}),
        (SONNET, (USER, THOUGHT, call("a"), result("a")), {"instructions": "Be brief.", "max_output_tokens": 900_000}),
        (LARGE, (USER, call("a"), result("a")), {}),
        (LLAMA, (USER, call("a"), USER), {}),
    ],
)
def test_openrouter_passes_on_what_the_maker_accepts(
    model: str, items: tuple[Any, ...], fields: dict[str, Any]
) -> None:
    assert judged("openrouter", *items, model=model, tools=[TOOL], **fields) is None


def test_openrouter_keeps_nothing() -> None:
    assert rule_of(judged("openrouter", previous_response_id="gen-1")) == "openrouter/responses-previous"
    assert rule_of(judged("openrouter", store=True)) == "openrouter/responses-store"
    assert judged("openrouter", previous_response_id=None, store=False) is None


def test_xai_goes_on_from_a_response_that_it_has_kept() -> None:
    fake = ScriptedFake("xai", [Reply(text="7."), Reply(text="8."), Reply(text="9.")], wire="openai-responses")
    first = json.loads(posted(fake, request_body("xai")).body)
    kept = posted(fake, request_body("xai", USER, previous_response_id=first["id"], store=False))

    assert kept.status == 200
    assert [message.text for message in fake.views[1].messages] == [USER["content"], "7.", USER["content"]]
    unknown = posted(fake, request_body("xai", USER, previous_response_id=json.loads(kept.body)["id"]))
    assert (unknown.status, fake.violations[0].rule) == (404, "xai/responses-previous-not-found")


def test_xai_says_what_it_cannot_read_without_a_code() -> None:
    unread = judged("xai", tools=[{"type": "function", "name": "weather"}])
    refused = judged("xai", tool_choice="required")

    assert unread is not None
    assert refused is not None
    assert (unread.status, list(unread.body)) == (422, ["error"])
    assert (refused.status, refused.body["code"]) == (400, "invalid-argument")


@pytest.mark.parametrize("member", ["summary", "content"])
def test_xai_wants_sealed_reasoning_whole(member: str) -> None:
    whole = {"type": "reasoning", "summary": [], "encrypted_content": "kSPjPhPR"}
    spoilt = {**whole, "content": None} if member == "content" else {k: v for k, v in whole.items() if k != member}

    assert judged("xai", USER, whole, call("a"), result("a")) is None
    assert rule_of(judged("xai", USER, spoilt, call("a"), result("a"))) == "xai/responses-reasoning-members"


def test_xai_takes_back_what_it_has_sealed() -> None:
    fake = ScriptedFake("xai", [Reply(thinking="I ask.", text="7."), Reply(text="8.")], wire="openai-responses")
    response = json.loads(posted(fake, request_body("xai", include=["reasoning.encrypted_content"])).body)

    assert posted(fake, request_body("xai", USER, *response["output"], USER)).status == 200
    assert fake.views[1].messages[1].thinking == "I ask."


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        ("grok-4.3", False),
        ("grok-3-mini", False),
        ("grok-4.20-multi-agent-0309", False),
        ("grok-4.20-0309-reasoning", True),
        ("grok-build-0.1", True),
    ],
)
def test_xai_takes_an_effort_by_model(model: str, refused: bool) -> None:
    assert (judged("xai", model=model, reasoning={"effort": "low"}) is not None) is refused
    assert judged("xai", model=model, reasoning={"effort": None, "summary": "auto"}) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [("xai", "No API key provided."), ("openrouter", "Missing Authentication header"), ("deepseek", "Authentication")],
)
def test_a_request_without_a_key_is_refused(name: str, words: str) -> None:
    response = posted(ScriptedFake(name, wire="openai-responses"), request_body(name), accept="*/*")

    assert response.status == 401
    assert words in response.body.decode()


def test_failures_come_in_the_providers_envelopes() -> None:
    assert failed("xai", 503)["code"] == "unavailable"
    assert failed("xai", 429)["code"] == "resource-exhausted"
    assert list(failed("openrouter", 500)) == ["error", "metadata"]
    assert failed("openrouter", 429)["error"]["code"] == "rate_limit_exceeded"
    assert failed("openrouter", 402)["error"]["code"] == 402
    assert failed("deepseek", 503)["error"]["type"] == "service_unavailable_error"


def test_failures_in_mid_stream_come_in_the_providers_events() -> None:
    reply = Reply(text="It is", fault=Fault(error_event="500"))
    last = {name: events(name, reply)[-1] for name in NAMES}

    assert {name: event["type"] for name, event in last.items()} == {
        "xai": "error",
        "openrouter": "response.failed",
        "deepseek": "response.failed",
    }
    assert last["deepseek"]["response"]["error"] == {"code": "server_error", "message": "Internal Server Error"}
    assert last["xai"]["code"] == "server_error"


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_that_is_too_long_is_refused_at_its_input(name: str) -> None:
    request = Request("POST", "/v1/responses", {}, json.dumps(request_body(name)).encode())

    found = wire_of(name).too_long(request, provider=name, tokens=900, window=800)

    assert (found.rule, found.at) == (f"{name}/responses-context-length", "input")
    assert "800" in found.message


@pytest.mark.parametrize("name", NAMES)
def test_an_offered_tool_is_seen(name: str) -> None:
    fake = ScriptedFake(name, wire="openai-responses")
    posted(fake, request_body(name, tools=[TOOL]))

    assert [tool.name for tool in fake.views[0].tools] == ["weather"]


def judged_by(provider: str, **fields: Any) -> str | None:
    body = {"model": "any", "input": "Hello", **fields}
    violation = judge(provider, "/v1/responses", json.dumps(body).encode(), {})
    return violation.rule if violation else None


def test_llama_cpp_skips_a_tool_that_is_no_function() -> None:
    assert judged_by("llama.cpp", tools=[{"type": "web_search"}]) is None
    assert judged_by("llama.cpp", input=7) == "llama.cpp/responses-input-type"


ANSWER: dict[str, Any] = {"role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]}
REASONING: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": []}
CUSTOM = {"type": "custom_tool_call", "call_id": "call_1", "name": "f", "input": "7"}
PARTS = [{"type": "output_text", "text": "7"}]


@pytest.mark.parametrize(
    ("item", "rule", "at"),
    [
        (ANSWER, "item-unknown", "input[1]"),
        ({**ANSWER, "type": "message"}, None, ""),
        ({"role": "assistant", "content": "Rain."}, "item-unknown", "input[1]"),
        ({"type": "message", "role": "assistant", "content": "Rain."}, None, ""),
        ({"type": "item_reference", "id": "msg_1"}, "item-unknown", "input[1]"),
        (CUSTOM, "item-unknown", "input[1]"),
        ({**REASONING, "encrypted_content": "gAAAAABo"}, "reasoning-content", "input[1].content"),
        ({**REASONING, "content": []}, "reasoning-content", "input[1].content"),
        ({**REASONING, "content": [{"type": "reasoning_text", "text": "Hm."}]}, None, ""),
        (
            {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            "content-part-unknown",
            "input[1].content[0].type",
        ),
        ({"role": "user", "content": [{"type": "input_text"}]}, "content-part-unknown", "input[1].content[0]"),
        (
            {"type": "function_call_output", "call_id": "a", "output": PARTS},
            "result-part-unknown",
            "input[1].output[0].type",
        ),
    ],
)
def test_llama_cpp_reads_these_items_alone(item: Any, rule: str | None, at: str) -> None:
    body = {"model": "any", "input": [USER, item, USER]}
    violation = judge("llama.cpp", "/v1/responses", json.dumps(body).encode(), {})

    assert (violation and violation.rule) == (rule and f"llama.cpp/responses-{rule}")
    assert violation is None or violation.at == at


@pytest.mark.parametrize("name", ["llama.cpp", "vllm"])
def test_reasoning_that_is_a_text_goes_back_as_it_is(name: str) -> None:
    fake = ScriptedFake(name, [Reply(thinking="Hm.", text="Rain."), Reply(text="Yes.")], wire="openai-responses")
    asked = {**request_body(name), "include": ["reasoning.encrypted_content"]}
    first = json.loads(posted(fake, asked).body)
    again = posted(fake, {**asked, "input": [USER, *first["output"], USER]})

    assert [item["type"] for item in first["output"]] == ["reasoning", "message"]
    assert first["output"][0]["content"][0]["text"] == "Hm."
    assert (again.status, fake.violations) == (200, [])


def test_vllm_stores_no_response() -> None:
    assert judged_by("vllm", background=True, store=None) == "vllm/responses-store-and-background"
    assert judged_by("vllm", background=True, store=False) == "vllm/responses-store-and-background"
    assert judged_by("vllm", background=True) == "vllm/responses-background-disabled"
    assert judged_by("vllm", previous_response_id="resp_1") == "vllm/responses-previous-not-found"
    assert judged_by("vllm", prompt={"id": "pmpt_1"}) == "vllm/responses-prompt-template"
    assert judged_by("vllm", store=True, background=False, prompt=None) is None


@pytest.mark.parametrize("provider", ["llama.cpp", "ollama"])
def test_a_server_that_stores_no_prompts_wants_an_input_beside_one(provider: str) -> None:
    found = judge(provider, "/v1/responses", b'{"model": "any", "prompt": {"id": "pmpt_1"}}', {})

    assert found is not None
    assert found.rule == f"{provider}/responses-input-missing"
