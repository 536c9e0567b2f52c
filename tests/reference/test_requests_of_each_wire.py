"""What the reference agent sends on each wire, written out: one conversation with everything, and each option alone."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer
from agent_conformance.agents.reference.wires import CompletionRequest, bedrock_converse, wire_of
from tests.tables import rows

EXPECTED: dict[str, Any] = json.loads(Path(__file__).with_name("requests_of_wires.json").read_text(encoding="utf-8"))
PICTURE = Part("image", data="aGk=", media_type="image/png")
CONVERSATION = (
    Entry("system", "Be brief."),
    Entry("user", "Look at this.", pictures=(PICTURE,)),
    Entry(
        "model",
        "Let me see. ",
        (
            Call("call_a", "look", {"x": [1], "é": "ü"}, signature="of-a"),
            Call("call_b", "node.js", None, "no JSON"),
            Call("call_c", "find", {}),
        ),
        thoughts=(Thought("hm", "signed"), Thought("well")),
        signature="of-text",
    ),
    Entry(
        "results",
        results=(
            Result("call_a", "look", "7", pictures=(PICTURE,)),
            Result("call_b", "node.js", "Error: no", is_error=True, pictures=(PICTURE,)),
            Result("call_c", "find", "", pictures=(PICTURE,)),
        ),
    ),
    Entry("user", "And now?", pictures=(PICTURE,)),
    Entry("model", "So it is. ", signature="of-text", thoughts=(Thought("so", "signed"),)),
    Entry("user", " ", pictures=(PICTURE,)),
    Entry("model", "", (Call("call_d", "look", {}),)),
    Entry("results", results=(Result("call_d", "look", "8"),)),
    Entry("user", "Why?"),
)
SHORT = (Entry("user", "Why?"),)
OFFER = Offer((Declaration("look", "Looks.", {"type": "object", "properties": {"x": {"type": "integer"}}}),))
NAMES = {"node.js": "node_js_1"}
SCHEMA = {"type": "object", "properties": {"sum": {"type": "integer"}}}
WIRES = {
    "openai-chat": "gpt-4.1",
    "openai-responses": "gpt-5.4",
    "anthropic-messages": "claude-sonnet-4-5",
    "gemini-generate": "gemini-2.5-flash",
    "ollama-chat": "qwen3:8b",
    "bedrock-converse": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "cohere-chat": "command-a-03-2025",
}
OTHERS = {
    "chat of DeepSeek": ("openai-chat", "deepseek", "deepseek-chat"),
    "chat of Mistral": ("openai-chat", "mistral", "mistral-large"),
    "chat of Gemini": ("openai-chat", "gemini", "gemini-3-pro-preview"),
    "chat of xAI": ("openai-chat", "xai", "grok-4"),
    "chat of vLLM": ("openai-chat", "vllm", "any"),
    "chat of llama.cpp": ("openai-chat", "llama.cpp", "any"),
    "chat of OpenRouter": ("openai-chat", "openrouter", "any"),
    "responses of DeepSeek": ("openai-responses", "deepseek", "deepseek-chat"),
    "Gemini 3": ("gemini-generate", "gemini", "gemini-3-pro-preview"),
    "GPT-4 on responses": ("openai-responses", "openai", "gpt-4.1"),
}
CONVERSATIONS = {**{wire: (wire, "", model) for wire, model in WIRES.items()}, **OTHERS}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stream": {"stream": True},
    "tools": {"offer": OFFER},
    "closing": {"offer": replace(OFFER, closing=True, forced="look")},
    "closing after results": {"offer": replace(OFFER, closing=True), "history": CONVERSATION[:4]},
    "forbidden": {"offer": replace(OFFER, closing=True, forbidden=True)},
    "any tool": {"offer": replace(OFFER, forced=ANY)},
    "one tool": {"offer": replace(OFFER, forced="look")},
    "schema": {"schema": SCHEMA},
    "window": {"window": 4096},
}


def request_for(model: str, provider: str = "", **changes: Any) -> CompletionRequest:
    request = CompletionRequest(model, False, SHORT, None, NAMES, provider, placeholder_signature="placeholder")
    return replace(request, **changes)


def sent(wire: str, request: CompletionRequest) -> Any:
    """The body, with the agent's own words by their names."""
    body = json.dumps(wire_of(wire, request.provider).encode(request).body, ensure_ascii=False)
    for name in ("RETURNED_PICTURES", "UNANSWERED"):
        body = body.replace(getattr(prompts, name), name)
    fields = json.loads(body)
    if "max_tokens" in fields:
        fields["max_tokens"] = type(fields["max_tokens"]).__name__  # how many is the agent's own choice
    return fields


@rows("name", list(CONVERSATIONS))
def test_conversation_is_sent_in_the_form_of_its_wire_and_provider(name: str) -> None:
    wire, provider, model = CONVERSATIONS[name]

    assert sent(wire, request_for(model, provider, history=CONVERSATION)) == EXPECTED["conversations"][name]


@rows("wire, option", [(wire, option) for wire in WIRES for option in OPTIONS])
def test_option_is_sent_in_the_form_of_its_wire(wire: str, option: str) -> None:
    body = sent(wire, request_for(WIRES[wire], **OPTIONS[option]))

    if "history" in OPTIONS[option]:
        body = {key: value for key, value in body.items() if key not in ("messages", "input", "contents")}
    assert body == EXPECTED["options"][wire][option]


def test_tools_of_the_provider_are_declared_beside_the_others() -> None:
    body = sent("anthropic-messages", request_for("claude-sonnet-4-5", offer=OFFER, server_tools=("web_search",)))
    alone = sent("anthropic-messages", request_for("claude-sonnet-4-5", server_tools=("web_search",)))

    search = {"type": "web_search_20250305", "name": "web_search"}
    looks = {"name": "look", "description": "Looks.", "input_schema": dict(OFFER.declarations[0].schema)}
    assert (body["tools"], alone["tools"]) == ([looks, search], [search])


def test_blocks_of_the_provider_go_back_as_they_came() -> None:
    blocks = (
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "rain"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "text", "text": "It rains."},
        {"type": "tool_use", "id": "call_a", "name": "look", "input": {}},
    )
    entry = Entry("model", "It rains.", (Call("call_a", "look", {}),), thoughts=(Thought("x", "y"),), blocks=blocks)

    (message,) = sent("anthropic-messages", request_for("claude-sonnet-4-5", history=(entry,)))["messages"]

    assert message == {"role": "assistant", "content": list(blocks)}


PATHS = {
    "openai-chat": ("/chat/completions", "/chat/completions", {"authorization": "Bearer k"}),
    "openai-responses": ("/responses", "/responses", {"authorization": "Bearer k"}),
    "anthropic-messages": ("/v1/messages", "/v1/messages", {"x-api-key": "k", "anthropic-version": "2023-06-01"}),
    "gemini-generate": (
        "/v1beta/models/gemini-2.5-flash:generateContent",
        "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
        {"x-goog-api-key": "k"},
    ),
    "ollama-chat": ("/api/chat", "/api/chat", {"authorization": "Bearer k"}),
    "bedrock-converse": (
        "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
        "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
        {"authorization": "Bearer k"},
    ),
    "cohere-chat": ("/v2/chat", "/v2/chat", {"authorization": "Bearer k"}),
}


@pytest.mark.parametrize("wire", WIRES)
def test_path_and_headers_are_those_of_the_wire(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bedrock_converse, "find_spec", lambda name: None)
    plain = wire_of(wire, "").encode(request_for(WIRES[wire]))
    stream = wire_of(wire, "").encode(request_for(WIRES[wire], stream=True))

    assert (plain.path, stream.path, wire_of(wire, "").headers("k", "", b"")) == PATHS[wire]
    assert (plain.stream, stream.stream) == (False, True)


def test_request_to_bedrock_is_signed_where_botocore_is_installed() -> None:
    wire, url = wire_of("bedrock-converse", ""), "http://127.0.0.1:1/model/us.anthropic%3A0/converse"
    first, second = (wire.headers("k", url, body)["authorization"] for body in (b"{}", b"[]"))

    assert first.startswith("AWS4-HMAC-SHA256 Credential=k/")
    assert "/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=" in first
    assert first != second


def test_local_server_needs_no_key() -> None:
    assert wire_of("ollama-chat", "").headers("", "", b"") == {}


def test_schema_goes_beside_tools_where_the_model_still_calls_them() -> None:
    beside = {wire: wire_of(wire, "").shapes_beside_tools(model) for wire, model in WIRES.items()}

    refused = ("gemini-generate", "ollama-chat", "cohere-chat")
    assert beside == {wire: wire not in refused for wire in WIRES}
    assert wire_of("gemini-generate", "").shapes_beside_tools("gemini-3-pro-preview")


def test_id_that_the_provider_refuses_has_another_form_which_is_always_the_same() -> None:
    history = (Entry("model", "", (Call("a1B2c3D4e", "look", {}), Call("call_a", "look", {}), Call(None, "look", {}))),)

    (message,) = sent("openai-chat", request_for("mistral-large", "mistral", history=history))["messages"]

    ids = [call["id"] for call in message["tool_calls"]]
    assert ids == ["a1B2c3D4e", "05f49740f", None]


FIELDS_OF_THOUGHTS = {
    "deepseek": "reasoning_content",
    "moonshot": "reasoning_content",
    "llama.cpp": "reasoning_content",
    "ollama": "reasoning",
    "vllm": "reasoning",
    "openrouter": "reasoning",
}


@pytest.mark.parametrize("provider", FIELDS_OF_THOUGHTS)
def test_thoughts_before_a_call_go_back_in_the_field_that_the_provider_reads(provider: str) -> None:
    thoughts = (Thought("It may "), Thought("rain."))
    history = (Entry("model", "", (Call("call_a", "look", {}),), thoughts=thoughts),)

    (message,) = sent("openai-chat", request_for("a-model", provider, history=history))["messages"]

    assert message.keys() - {"role", "content", "tool_calls"} == {FIELDS_OF_THOUGHTS[provider]}
    assert message[FIELDS_OF_THOUGHTS[provider]] == "It may rain."
