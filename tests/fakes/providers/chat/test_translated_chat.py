"""Chat completions that stand for another wire: Anthropic's become Messages, Vertex AI's Gemini's, Cohere's its own."""

from typing import Any

import openai
import pytest
from provider_requests import TOOL, USER, answered, calling, chat, events, judged, plain, result, streamed

from fake_providers import Call, Reply
from fake_providers.providers.anthropic.anthropic_chat import DEFAULT_MAX_TOKENS, as_messages
from fake_providers.serving.loopback import serve
from tests.tables import rows

ANTHROPIC_CALL = calling("toolu_1", "toolu_2")
SIGNED = {"google": {"thought_signature": "c2tpcA=="}}


def refusal(provider: str, *messages: Any, **fields: Any) -> tuple[str, str, str]:
    found = judged(provider, chat(provider, *messages, tools=[TOOL], **fields))
    assert found is not None
    return found.rule, found.at, found.message


def test_results_of_one_reply_become_one_message() -> None:
    whole = (USER, ANTHROPIC_CALL, result("toolu_1"), result("toolu_2"))

    assert judged("anthropic", chat("anthropic", *whole, tools=[TOOL])) is None
    rule, at, words = refusal("anthropic", *whole[:-1])
    assert (rule, at) == ("anthropic/chat-tool-use-unanswered", "messages[1]")
    assert words.startswith("messages.1: `tool_use` ids were found without `tool_result` blocks")


def test_place_of_a_refusal_is_a_message_of_the_request_itself() -> None:
    system = {"role": "system", "content": "Be brief."}
    called = (system, USER, ANTHROPIC_CALL, result("toolu_1"), result("toolu_2"), result("toolu_3"))

    rule, at, words = refusal("anthropic", *called)

    assert (rule, at) == ("anthropic/chat-tool-result-without-use", "messages[5]")
    assert words.startswith("messages.2.content.2: unexpected `tool_use_id`")


def test_refusal_has_openais_members_and_anthropics_code() -> None:
    found = judged("anthropic", chat("anthropic", {"role": "user", "content": ""}))

    assert found is not None
    assert found.body["error"] == {
        "code": "invalid_request_error",
        "message": found.message,
        "type": "invalid_request_error",
        "param": None,
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"response_format": {"type": "json_schema"}},
        {"seed": 7, "logprobs": True, "user": "Ada", "reasoning_effort": "minimal", "presence_penalty": 2},
        {"temperature": 1.7},
        {"stop": ["\n", "END"]},
        {"n": 1, "parallel_tool_calls": False, "tool_choice": "required"},
        {"max_completion_tokens": 99},
    ],
)
def test_what_is_documented_to_be_ignored_or_capped_is_accepted(fields: dict[str, Any]) -> None:
    assert judged("anthropic", chat("anthropic", tools=[TOOL], **fields)) is None


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TRANSLATED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"max_tokens": 9}, {"max_tokens": 9}),
    ({"max_tokens": 9, "max_completion_tokens": 7}, {"max_tokens": 7}),
    ({"temperature": 0.3, "top_p": 0.4}, {"temperature": 0.3, "top_p": 0.4}),
    ({"temperature": 1.7, "stream": True}, {"temperature": 1, "stream": True}),
    ({"stop": "END"}, {"stop_sequences": ["END"]}),
    ({"stop": ["\n", "END", 7, "STOP"]}, {"stop_sequences": ["END", "STOP"]}),
    ({"stop": ["\n"], "seed": 7, "user": "Ada", "top_p": None}, {}),
    ({"thinking": {"type": "enabled"}}, {"thinking": {"type": "enabled"}}),
    ({"tool_choice": "auto"}, {"tool_choice": {"type": "auto"}}),
    ({"tool_choice": "required"}, {"tool_choice": {"type": "any"}}),
    ({"tool_choice": "none", "parallel_tool_calls": False}, {"tool_choice": {"type": "none"}}),
    ({"parallel_tool_calls": False}, {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}),
    (
        {"tool_choice": {"type": "function", "function": {"name": "a"}}, "parallel_tool_calls": False},
        {"tool_choice": {"type": "tool", "name": "a", "disable_parallel_tool_use": True}},
    ),
]


@rows("fields, members", TRANSLATED, ids=[str(fields) for fields, _ in TRANSLATED])
def test_parameters_become_those_of_messages(fields: dict[str, Any], members: dict[str, Any]) -> None:
    tools = [{"type": "function", "function": {"name": "a", "description": "A.", "parameters": SCHEMA}}]
    translated = as_messages({"model": "m", "messages": [USER], "tools": tools, **fields})

    assert translated == {
        "model": "m",
        "max_tokens": DEFAULT_MAX_TOKENS,
        "messages": [{"role": "user", "content": USER["content"]}],
        "tools": [{"name": "a", "description": "A.", "input_schema": SCHEMA}],
        **members,
    }


def test_messages_become_blocks() -> None:
    data, url = (
        {"type": "image_url", "image_url": {"url": url}} for url in ("data:image/png;base64,AA==", "https://a.b")
    )
    system = [{"role": role, "content": role} for role in ("system", "developer")]
    sound = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}
    user = {"role": "user", "content": [{"type": "text", "text": "Look."}, data, url, sound]}
    results = [result("toolu_1"), {**result("toolu_2"), "content": [{"type": "text", "text": "7"}, {"text": "8"}]}]
    body = {"model": "m", "messages": [*system, user, {**ANTHROPIC_CALL, "content": "I look."}, *results]}

    assert as_messages(body)["system"] == "system\ndeveloper"
    assert as_messages(body)["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look."},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}},
                {"type": "image", "source": {"type": "url", "url": "https://a.b"}},
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "toolu_2", "name": "get_weather", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "7 degrees"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "7\n8"},
            ],
        },
    ]


def test_strict_functions_and_sound_are_ignored() -> None:
    strict = {"type": "function", "function": {**TOOL["function"], "strict": True}}
    sound = {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}
    heard = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, sound]}

    assert judged("anthropic", chat("anthropic", heard, tools=[strict])) is None


def test_sampling_is_refused_by_models_that_refuse_it_in_messages() -> None:
    rule, at, _ = refusal("anthropic", temperature=0.3, model="claude-fable-5")

    assert (rule, at) == ("anthropic/chat-sampling-deprecated", "temperature")


def test_thoughts_are_not_told_and_usage_comes_with_the_finish() -> None:
    reply = Reply(thinking="They ask.", text="It is 7.")
    message = plain(answered("anthropic", reply))["choices"][0]["message"]
    *_, last, done = events(streamed("anthropic", reply, stream_options={"include_usage": True}))

    assert message == {"role": "assistant", "content": "It is 7."}
    assert (last["choices"][0]["finish_reason"], "usage" in last, done) == ("stop", True, "data: [DONE]")


@pytest.mark.parametrize("header", ["x-api-key", "authorization"])
def test_key_may_be_in_either_header(header: str) -> None:
    with serve("anthropic", wire="openai-chat") as fake:
        client = openai.OpenAI(api_key="k", base_url=fake.base_url, default_headers={header: "k"}, max_retries=0)
        said = client.chat.completions.create(**chat("anthropic"))

    assert said.choices[0].message.content


def test_vertex_wants_the_publisher_of_a_model() -> None:
    rule, at, words = refusal("vertex", model="gemini-2.5-flash")

    assert (rule, at) == ("vertex/model-without-publisher", "model")
    assert words == (
        "Malformed publisher model (`model`: 'gemini-2.5-flash') for the 'openapi' request endpoint ID; expected "
        "'<publisher>/<model>'."
    )
    assert judged("vertex", chat("vertex", model="meta/llama-4-maverick-17b-128e-instruct-maas")) is None


def test_vertex_misses_a_signature_in_its_own_words() -> None:
    call = calling("a")
    rule, _, words = refusal("vertex", USER, call, result("a"))
    signed = {**call, "tool_calls": [{**call["tool_calls"][0], "extra_content": SIGNED}]}

    assert rule == "vertex/chat-thought-signature-missing"
    assert "in the 2. content block is missing a `thought_signature`" in words
    assert judged("vertex", chat("vertex", USER, signed, result("a"), tools=[TOOL])) is None
    assert judged("vertex", chat("vertex", USER, call, result("a"), model="google/gemini-2.5-flash")) is None


def test_what_vertex_sends_goes_back_as_it_is() -> None:
    replies = [Reply(calls=(Call("get_weather", {"city": "Oslo"}),)), Reply(text="It is 7.")]
    with serve("vertex", wire="openai-chat", replies=replies) as fake:
        client = openai.OpenAI(api_key="k", base_url=fake.base_url)
        request: Any = chat("vertex", tools=[TOOL])
        called = client.chat.completions.create(**request).choices[0].message
        request["messages"] += [called, result(called.tool_calls[0].id)]  # type: ignore[index]
        said = client.chat.completions.create(**request).choices[0].message.content

    assert (said, fake.violations) == ("It is 7.", [])
    assert "/endpoints/openapi/chat/completions" in fake.requests[0].path


def test_cohere_takes_what_its_own_wire_refuses_in_that_form() -> None:
    strict = {"type": "function", "function": {**TOOL["function"], "strict": False}}
    developer = {"role": "developer", "content": "Be brief."}
    called = calling("call_1", content="Let me see.", reasoning_content="I ask.")
    whole = (developer, USER, called, {**result("call_1"), "name": "get_weather"})

    assert judged("cohere", chat("cohere", *whole, tools=[strict], tool_choice="auto", top_p=1, stop="END")) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("store", False), ("metadata", {}), ("n", 1), ("parallel_tool_calls", True), ("service_tier", "auto")],
)
def test_cohere_refuses_parameters_with_their_default_values_too(name: str, value: Any) -> None:
    found = judged("cohere", chat("cohere", **{name: value}))

    assert found is not None
    assert (found.status, found.at) == (422, name)
    assert list(found.body) == ["id", "message"]
    assert found.body["message"] == f"unprocessable entity: {name} is not supported"
    assert judged("cohere", chat("cohere", **{name: None})) is None


@pytest.mark.parametrize(("effort", "rule"), [("none", ""), ("low", "effort"), ("medium", "effort"), ("high", "")])
def test_cohere_turns_thinking_on_or_off(effort: str, rule: str) -> None:
    found = judged("cohere", chat("cohere", reasoning_effort=effort, model="command-a-reasoning-08-2025"))

    assert (found.rule if found else "") == (f"cohere/chat-{rule}-unsupported" if rule else "")


def test_cohere_refuses_in_the_words_of_its_own_wire_at_the_place_of_the_chat() -> None:
    untyped = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {"properties": {}}}}
    pruned = (USER, result("call_1"))

    assert refusal("cohere", stop=list("abcdef"))[1:] == (
        "stop",
        "invalid request: stop_sequences must have at most 5 items.",
    )
    assert refusal("cohere", *pruned)[:2] == ("cohere/chat-result-without-call", "messages[1].tool_call_id")
    found = judged("cohere", chat("cohere", response_format=untyped))
    assert found is not None
    assert (found.rule, found.at) == ("cohere/chat-schema-without-type", "response_format.json_schema.schema")


@pytest.mark.parametrize("stream", [False, True])
def test_clients_of_openai_read_the_thoughts_and_errors_of_cohere(stream: bool) -> None:
    replies = [Reply(text="7.", thinking="I know.")]
    asked: Any = {"model": "north-mini-code-1-0", "messages": [USER]}
    with (
        serve("cohere", wire="openai-chat", replies=replies) as fake,
        openai.OpenAI(base_url=fake.base_url, api_key="k", max_retries=0) as client,
    ):
        said = client.chat.completions.create(**asked, stream=stream)
        parts = [chunk.choices[0].delta for chunk in said if chunk.choices] if stream else [said.choices[0].message]
        with pytest.raises(openai.UnprocessableEntityError, match="n is not supported"):
            client.chat.completions.create(**asked, n=1)

    assert "".join(getattr(part, "reasoning_content", None) or "" for part in parts) == "I know."
    assert "".join(part.content or "" for part in parts) == "7."
