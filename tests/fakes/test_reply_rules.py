"""What a provider never sends: each row refuses its wrong sample and passes the right one, at each of its providers;
and what one provider sends in its own form is refused of another."""

import json
from collections.abc import Iterator
from typing import get_args

import pytest

from fake_providers import Call, Reply, Request
from fake_providers.provider_facts import facts_by_provider
from fake_providers.registry import wire_for
from fake_providers.reply import HARMLESS_QUIRKS, Fault, Quirk, ServerCall
from fake_providers.reply_rules import REPLY_RULES, ReplyRule, Unsent, makers_of, why_unsent
from fake_providers.reply_rules.book import Sample

PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-flash:generateContent",
}
ROWS = {rule.id: rule for rule in REPLY_RULES}


def asked(sample: Sample, provider: str, wire: str, *, anywhere: bool = False) -> Unsent | None:
    request = view = None
    if sample.body is not None:
        request = Request("POST", PATHS[wire], sample.headers, json.dumps(sample.body).encode())
        view = wire_for(provider, wire).view(request)
    return why_unsent(
        sample.reply,
        provider=provider,
        wire=wire,
        request=request,
        view=view,
        makers=sample.makers,
        anywhere=anywhere,
    )


def places(rule: ReplyRule) -> Iterator[tuple[str, str]]:
    """Where the samples of a row are tried: at the providers of their wire."""
    return ((provider, rule.wire) for provider in rule.where[rule.wire])


@pytest.mark.parametrize("id", ROWS)
def test_row_refuses_its_wrong_sample_alone(id: str) -> None:
    rule = ROWS[id]
    found = {place: (asked(rule.wrong, *place), asked(rule.right, *place)) for place in places(rule)}

    assert found
    assert {place: wrong and wrong.rule.id for place, (wrong, _) in found.items()} == dict.fromkeys(found, id)
    assert {place: right for place, (_, right) in found.items() if right is not None} == {}


@pytest.mark.parametrize("id", ROWS)
def test_what_other_servers_send_is_sent_where_any_server_may_answer(id: str) -> None:
    rule = ROWS[id]
    ((provider, wire), *_) = places(rule)

    assert (asked(rule.wrong, provider, wire, anywhere=True) is None) is rule.elsewhere


@pytest.mark.parametrize("id", ROWS)
def test_row_says_who_why_and_what_would_come(id: str) -> None:
    rule = ROWS[id]
    ((provider, wire), *_) = places(rule)
    unsent = asked(rule.wrong, provider, wire)

    assert unsent is not None
    assert facts_by_provider()[provider].title in unsent.sentence
    assert unsent.source.startswith(("https://", "docs/"))
    assert rule.instead.endswith(".")
    assert rule.why.endswith(".")


def calling(*ids: str | None) -> Reply:
    return Reply(calls=tuple(Call("look_up", {"word": "pear"}, id=id) for id in ids))


SENT = {
    ("openai", "openai-chat"): calling("call_x7Nq2LtPz0aYw5RkCvB3mHdE", "call_Zk81sQfT4uJ6nXo9PiLrWm2y"),
    ("openai", "openai-responses"): calling("call_p0OiUyTrEwQlKjHgFdSaMnBv"),
    ("anthropic", "anthropic-messages"): calling("toolu_01Wd7Rk2hQm5Tn8Xv4Zc9Yb3"),
    ("bedrock", "bedrock-converse"): calling("tooluse_Jw3kTq8XRmyN0vLz5bHc2A"),
    ("gemini", "gemini-generate"): calling(None, None),
    ("mistral", "openai-chat"): calling("k3Vb9Tq1Z"),
    ("groq", "openai-chat"): calling("fc_0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9", "8m2kz0qpt"),
    ("deepseek", "openai-chat"): calling("call_00_Yk3nTz8Qw1"),
    ("xai", "openai-chat"): calling("call_41527390"),
    ("ollama", "ollama-chat"): calling(None),
    ("vllm", "openai-chat"): calling("chatcmpl-tool-5f0e9a1c7b3d4286"),
    ("llama.cpp", "openai-chat"): calling("look_up:0"),
}
"""Calls with ids in the form that each provider gives them."""


@pytest.mark.parametrize(("provider", "wire"), SENT)
def test_provider_sends_calls_in_its_own_form(provider: str, wire: str) -> None:
    assert why_unsent(SENT[provider, wire], provider=provider, wire=wire) is None


ELSEWHERE = [
    ("mistral", "openai", "openai-chat", "id-of-another-form"),
    ("groq", "openai", "openai-chat", "id-of-another-form"),
    ("groq", "deepseek", "openai-chat", "id-of-another-form"),
    ("llama.cpp", "openai", "openai-chat", "id-of-another-form"),
    ("openai", "mistral", "openai-chat", "id-of-more-or-less-than-nine"),
    ("vllm", "openai", "openai-chat", "id-of-another-form"),
    ("anthropic", "openai", "openai-chat", "id-of-another-form"),
    ("anthropic", "bedrock", "bedrock-converse", "id-of-another-form"),
    ("openai", "anthropic", "anthropic-messages", "id-of-another-form"),
    ("bedrock", "openai", "openai-responses", "id-of-another-form"),
    ("gemini", "openai", "openai-chat", "call-without-an-id"),
    ("gemini", "cohere", "cohere-chat", "call-without-an-id"),
    ("ollama", "deepseek", "openai-chat", "call-without-an-id"),
    ("gemini", "xai", "openai-chat", "call-without-an-id"),
]


@pytest.mark.parametrize(("sender", "other", "wire", "rule"), ELSEWHERE)
def test_calls_in_the_form_of_another_provider_are_not_sent(sender: str, other: str, wire: str, rule: str) -> None:
    reply = next(sent for (provider, _), sent in SENT.items() if provider == sender)
    unsent = why_unsent(reply, provider=other, wire=wire)

    assert unsent is not None
    assert unsent.rule.id == rule


OLD, NEW = "claude-haiku-4-5", "claude-opus-5"
THOUGHT = Reply(text="A pear.", thinking="It is a fruit.")


@pytest.mark.parametrize(
    ("model", "asked_for", "is_sent"),
    [
        (OLD, None, False),
        (OLD, {"type": "disabled"}, False),
        (OLD, {"type": "enabled", "budget_tokens": 2000}, True),
        ("claude-sonnet-4-6", {"type": "adaptive"}, True),
        (NEW, None, True),
    ],
)
def test_claude_thinks_where_it_is_asked_to_and_later_models_by_themselves(
    model: str, asked_for: dict[str, object] | None, is_sent: bool
) -> None:
    body = {"model": model, "messages": [], **({"thinking": asked_for} if asked_for else {})}

    assert (asked(Sample(THOUGHT, body), "anthropic", "anthropic-messages") is None) is is_sent


@pytest.mark.parametrize("config", [{"includeThoughts": True}, {"include_thoughts": True, "thinking_budget": -1}])
def test_gemini_shows_thoughts_in_both_spellings_of_the_request(config: dict[str, object]) -> None:
    body = {"contents": [], "generation_config": {"thinking_config": config}}

    assert asked(Sample(THOUGHT, body), "gemini", "gemini-generate") is None
    assert asked(Sample(THOUGHT, {"contents": []}), "gemini", "gemini-generate") is not None


PAUSE = Reply(text="I look.", finish="pause")


@pytest.mark.parametrize(
    ("members", "is_sent"),
    [
        ({}, False),
        ({"tools": [{"name": "look_up", "input_schema": {}}]}, False),
        ({"tools": [{"type": "custom", "name": "look_up", "input_schema": {}}]}, False),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, True),
        ({"mcp_servers": [{"type": "url", "url": "https://example.com", "name": "docs"}]}, True),
    ],
)
def test_claude_pauses_for_a_tool_of_its_own(members: dict[str, object], is_sent: bool) -> None:
    body = {"model": OLD, "messages": [], **members}

    assert (asked(Sample(PAUSE, body), "anthropic", "anthropic-messages") is None) is is_sent


@pytest.mark.parametrize("quirk", get_args(Quirk))
def test_openai_streams_with_the_quirks_alone_that_are_harmless(quirk: Quirk) -> None:
    reply = Reply(text="A pear.", calls=calling("call_1").calls, quirks=(quirk,))
    unsent = why_unsent(reply, provider="openai", wire="openai-chat")

    assert (unsent is None) is (quirk in HARMLESS_QUIRKS)


def test_nothing_is_asked_of_a_reply_that_is_not_sent() -> None:
    lost = Reply(calls=calling(None).calls, fault=Fault(status=503))

    assert why_unsent(lost, provider="openai", wire="openai-chat") is None


SEARCHED = Reply(text="A pear.", server_calls=(ServerCall("web_search", {"query": "pears"}, "A fruit."),))
RAN = Reply(text="Done.", server_calls=(ServerCall("bash_code_execution", {"command": "ls"}, "a.txt"),))
ASKED_A_SERVER = Reply(text="A pear.", server_calls=(ServerCall("look", {"word": "pear"}, "A fruit.", server="docs"),))
RUNS_CODE = {"type": "code_execution_20260120", "name": "code_execution"}
DOCS = {"type": "url", "url": "https://example.com", "name": "docs"}


@pytest.mark.parametrize(
    ("reply", "members", "is_sent"),
    [
        (SEARCHED, {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, True),
        (SEARCHED, {"tools": [RUNS_CODE]}, False),
        (RAN, {"tools": [RUNS_CODE]}, True),
        (ASKED_A_SERVER, {"mcp_servers": [DOCS]}, True),
        (ASKED_A_SERVER, {"mcp_servers": [{**DOCS, "name": "wiki"}]}, False),
        (ASKED_A_SERVER, {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, False),
    ],
)
def test_claude_runs_those_tools_alone_that_the_request_has(
    reply: Reply, members: dict[str, object], is_sent: bool
) -> None:
    body = {"model": OLD, "messages": [], **members}

    assert (asked(Sample(reply, body), "anthropic", "anthropic-messages") is None) is is_sent


@pytest.mark.parametrize(
    ("reply", "tool", "is_sent"),
    [
        (SEARCHED, {"type": "web_search"}, True),
        (SEARCHED, {"type": "web_search_preview"}, True),
        (SEARCHED, {"type": "file_search", "vector_store_ids": ["vs_1"]}, False),
        (ASKED_A_SERVER, {"type": "mcp", "server_label": "docs", "server_url": "https://example.com"}, True),
        (ASKED_A_SERVER, {"type": "mcp", "server_label": "wiki", "connector_id": "connector_wiki"}, False),
    ],
)
def test_openai_runs_those_tools_alone_that_the_request_has(
    reply: Reply, tool: dict[str, object], is_sent: bool
) -> None:
    body = {"model": "gpt-5", "input": "Which?", "tools": [tool]}

    assert (asked(Sample(reply, body), "openai", "openai-responses") is None) is is_sent


TOOL = {"name": "look_up", "input_schema": {"type": "object"}}
CONVERSE = {"toolConfig": {"tools": [{"toolSpec": {"name": "look_up", "inputSchema": {"json": {"type": "object"}}}}]}}


@pytest.mark.parametrize(
    ("provider", "wire", "path", "body"),
    [
        ("openai", "openai-responses", PATHS["openai-responses"], {"parallel_tool_calls": False}),
        ("azure", "openai-chat", PATHS["openai-chat"], {"parallel_tool_calls": False}),
        ("xai", "openai-chat", PATHS["openai-chat"], {"parallel_tool_calls": False}),
        (
            "anthropic",
            "anthropic-messages",
            PATHS["anthropic-messages"],
            {"tools": [TOOL], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}},
        ),
        (
            "bedrock",
            "bedrock-converse",
            "/model/anthropic.claude-sonnet-4-5-20250929-v1:0/converse",
            {**CONVERSE, "additionalModelRequestFields": {"tool_choice": {"disable_parallel_tool_use": True}}},
        ),
    ],
)
def test_each_wire_says_that_one_call_is_the_most(provider: str, wire: str, path: str, body: dict[str, object]) -> None:
    request = Request("POST", path, {}, json.dumps(body).encode())
    view = wire_for(provider, wire).view(request)
    two = Reply(calls=(Call("look_up", {}), Call("look_up", {})))
    unsent = why_unsent(two, provider=provider, wire=wire, request=request, view=view)

    assert unsent is not None
    assert unsent.rule.comes_apart


@pytest.mark.parametrize(
    ("headers", "members"),
    [({"anthropic-beta": "fine-grained-tool-streaming-2025-05-14"}, {}), ({}, {"eager_input_streaming": True})],
)
def test_claude_streams_arguments_unchecked_where_the_request_wants_it(
    headers: dict[str, str], members: dict[str, bool]
) -> None:
    body = {"model": "claude-sonnet-4-6", "stream": True, "tools": [{**TOOL, **members}]}
    cut = Sample(Reply(calls=(Call("look_up", None, '{"word": "pe'),)), body, headers)

    assert asked(cut, "anthropic", "anthropic-messages") is None
    assert asked(Sample(cut.reply, {**body, "tools": [TOOL]}), "anthropic", "anthropic-messages") is not None


def test_reply_that_was_cut_off_promises_nothing() -> None:
    cut = Reply(calls=(Call("look_up", None, '{"word": "pe'),), finish="length")

    assert asked(Sample(cut, {"tools": [TOOL]}), "anthropic", "anthropic-messages") is None


@pytest.mark.parametrize(
    ("provider", "wire", "model", "makers"),
    [
        ("openai", "openai-chat", "gpt-5", {"openai"}),
        ("openrouter", "openai-chat", "openai/gpt-5", {"openai"}),
        ("openrouter", "openai-chat", "openai/gpt-oss-120b", {"open-models"}),
        ("openrouter", "openai-chat", "anthropic/claude-opus-5", {"anthropic"}),
        ("openrouter", "openai-chat", "some/model", {"anthropic", "gemini", "openai", "open-models"}),
        ("vertex", "anthropic-messages", "claude-sonnet-4-6", {"anthropic"}),
        ("vllm", "openai-chat", "gpt-4.1", {"open-models"}),
    ],
)
def test_maker_of_a_model_is_known_by_its_name_and_its_provider(
    provider: str, wire: str, model: str, makers: set[str]
) -> None:
    assert makers_of(provider, wire, model) == makers
