"""Anthropic's Messages at other providers: paths, keys, envelopes, what the answers lack, and what the SDK reads."""

import json
from typing import Any

import anthropic
import pytest

from fake_providers import Call, Fault, Reply, Request, ScriptedFake, Violation, judge
from fake_providers.models import default_model
from fake_providers.provider_facts import providers_of
from fake_providers.serving.loopback import serve

_, *NAMES = providers_of("anthropic-messages")
EACH = pytest.mark.parametrize("name", NAMES)
BASE_PATHS = {"azure": "/anthropic", "deepseek": "/anthropic", "moonshot": "/anthropic", "openrouter": "/api"}
OSLO = Call("get_weather", {"city": "Oslo"})
TOOL: Any = {"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}
HELLO: Any = {"role": "user", "content": "Hello"}
CALL = {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Oslo"}}
ON_VERTEX = "/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-6:rawPredict"


def client_of(name: str, fake: Any) -> Any:
    if name != "vertex":
        return anthropic.Anthropic(api_key="k", base_url=fake.base_url, max_retries=0)
    where = {"region": "global", "project_id": "p", "access_token": "k"}
    return anthropic.AnthropicVertex(base_url=fake.base_url, max_retries=0, **where)


def conversation(result: Any) -> list[Any]:
    block = {"type": "tool_result", "tool_use_id": "call_1", "content": result}
    return [HELLO, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [block]}]


def judged(name: str, body: Any) -> Violation | None:
    whole = {"model": default_model("anthropic-messages", name), "max_tokens": 16, "messages": [HELLO], **body}
    return judge(name, ON_VERTEX if name == "vertex" else "/v1/messages", json.dumps(whole).encode(), {})


@EACH
@pytest.mark.parametrize("streamed", [False, True])
def test_sdk_reads_thoughts_text_and_calls(name: str, streamed: bool) -> None:
    reply = Reply(thinking="I ask.", text="A moment.", calls=(OSLO, OSLO))
    with serve(name, wire="anthropic-messages", replies=[reply]) as fake, client_of(name, fake) as client:
        request: Any = {
            "model": default_model("anthropic-messages", name),
            "max_tokens": 99,
            "messages": [HELLO],
            "tools": [TOOL],
        }
        if streamed:
            with client.messages.stream(**request) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**request)

    assert fake.violations == []
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block.input for block in message.content[2:]] == [{"city": "Oslo"}] * 2
    assert len({block.id for block in message.content[2:]}) == 2
    assert message.stop_reason == "tool_use"
    assert message.usage.input_tokens > 0


@EACH
def test_sdk_raises_what_the_provider_refuses(name: str) -> None:
    with serve(name, wire="anthropic-messages") as fake, client_of(name, fake) as client:
        bad: Any = {"role": "user", "content": {"text": "Hello"}}
        with pytest.raises(anthropic.APIStatusError) as raised:
            client.messages.create(
                model=default_model("anthropic-messages", name), max_tokens=99, messages=[bad], tools=[TOOL]
            )

    (violation,) = fake.violations
    assert raised.value.status_code == violation.status
    assert violation.message in str(raised.value)


@EACH
def test_base_url_ends_as_the_sdk_takes_it(name: str) -> None:
    with serve(name, wire="anthropic-messages") as fake:
        assert fake.base_url.endswith(BASE_PATHS.get(name, "/v1" if name == "vertex" else ""))


@EACH
def test_wrong_type_of_a_result_is_refused_but_where_the_server_takes_it(name: str) -> None:
    """Ollama's struct has any content there, and llama.cpp takes an unknown one for an empty text."""
    refused = judged(name, {"messages": conversation({"degrees": 7})}) is not None

    assert refused == (name not in ("ollama", "llama.cpp"))
    assert judged(name, {"messages": conversation("7 degrees")}) is None


@EACH
def test_a_call_without_a_result_is_refused_where_that_is_known(name: str) -> None:
    refused = judged(name, {"messages": conversation("7")[:2], "tools": [TOOL]}) is not None

    assert refused == (name in ("azure", "deepseek", "litellm", "moonshot", "openrouter", "vertex"))


@EACH
def test_key_is_needed_but_by_local_servers(name: str) -> None:
    fake = ScriptedFake(name, wire="anthropic-messages")
    body = {"model": default_model("anthropic-messages", name), "max_tokens": 9, "messages": [HELLO]}
    path = ON_VERTEX if name == "vertex" else "/v1/messages"
    response = fake.handle(Request("POST", path, {}, json.dumps(body).encode()))

    assert response.status == (200 if name in ("ollama", "vllm", "llama.cpp") else 401)


@EACH
def test_failure_has_the_providers_envelope(name: str) -> None:
    replies = [Reply(fault=Fault(status=429, retry_after=2)), Reply(text="Hello.")]
    fake = ScriptedFake(name, replies, wire="anthropic-messages")
    body = {"model": default_model("anthropic-messages", name), "max_tokens": 9, "messages": [HELLO]}
    path = ON_VERTEX if name == "vertex" else "/v1/messages"
    response = fake.handle(Request("POST", path, {"x-api-key": "k"}, json.dumps(body).encode()))

    has_anthropics = name in ("azure", "litellm", "moonshot", "ollama", "openrouter", "vertex")
    assert (response.status, dict(response.headers)["retry-after"]) == (429, "2")
    assert (json.loads(response.body).get("type") == "error") == has_anthropics


def test_vertex_takes_the_model_and_the_stream_from_its_path() -> None:
    with serve("vertex", wire="anthropic-messages") as fake, client_of("vertex", fake) as client:
        message = client.messages.create(model="claude-haiku-4-5@20251001", max_tokens=9, messages=[HELLO])

    assert message.model == "claude-haiku-4-5@20251001"
    assert fake.requests[0].path.endswith("/claude-haiku-4-5@20251001:rawPredict")
    assert "anthropic_version" in json.loads(fake.requests[0].body)


def test_servers_leave_out_what_they_do_not_count() -> None:
    fake = ScriptedFake("ollama", [Reply(text="Hello.", thinking="Hm.")], wire="anthropic-messages")
    body = {"model": "qwen3:8b", "max_tokens": 9, "messages": [HELLO]}
    message = json.loads(fake.handle(Request("POST", "/v1/messages", {}, json.dumps(body).encode())).body)

    assert sorted(message["usage"]) == ["input_tokens", "output_tokens"]
    assert message["content"][0] == {"type": "thinking", "thinking": "Hm."}


@pytest.mark.parametrize(("name", "signed"), [("ollama", False), ("vllm", True)])
def test_stream_has_no_signature_where_the_answer_has_none(name: str, signed: bool) -> None:
    fake = ScriptedFake(name, [Reply(text="Hello.", thinking="Hm.")], wire="anthropic-messages")
    body = {"model": "qwen3:8b", "max_tokens": 9, "messages": [HELLO], "stream": True}
    response = fake.handle(Request("POST", "/v1/messages", {}, json.dumps(body).encode()))

    events = [json.loads(line[6:]) for line in response.body.decode().splitlines() if line.startswith("data: {")]
    deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]

    assert "thinking_delta" in deltas
    assert ("signature_delta" in deltas) is signed
    assert all(len(event["delta"]) > 1 for event in events if event["type"] == "content_block_delta")


def test_vertex_takes_the_names_of_betas_in_the_body() -> None:
    known, unknown = ["interleaved-thinking-2025-05-14"], ["swarm-2024-01-01"]

    assert judged("vertex", {"anthropic_beta": known}) is None
    assert judged("vertex", {"anthropic_beta": unknown, "swarm": 1}) is None
    refused = judged("vertex", {"anthropic_beta": known, "swarm": 1})
    assert refused is not None
    assert refused.rule == "vertex/claude-extra-key"
