"""What the fakes answer beside model requests, as the vendors' SDKs read it: counts, embeddings, stored objects."""

import json
from typing import Any

import anthropic
import ollama
import openai
import pytest
from google import genai
from google.genai import types

from fake_providers import PROVIDERS, Call, Reply, Request
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake

TOOL: Any = {"name": "weather", "input_schema": {"type": "object", "properties": {}}}
USER: Any = {"role": "user", "content": "x" * 400}
RESPONSES = "openai-responses"


def client_of(fake: ScriptedFake) -> openai.OpenAI:
    return openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=0, default_headers={"api-key": "k"})


def test_anthropic_counts_tokens() -> None:
    with serve("anthropic") as fake, anthropic.Anthropic(api_key="k", base_url=fake.base_url) as client:
        counted = client.messages.count_tokens(model="claude-sonnet-4-6", messages=[USER])
        thinking = client.messages.count_tokens(
            model="claude-sonnet-4-5",
            messages=[USER],
            tools=[TOOL],
            thinking={"type": "enabled", "budget_tokens": 2000},
        )

    assert counted.input_tokens == 100
    assert thinking.input_tokens > 100
    assert fake.requests == fake.violations == []


def test_count_is_refused_as_the_message_would_be() -> None:
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1"}]}
    with (
        serve("anthropic") as fake,
        anthropic.Anthropic(api_key="k", base_url=fake.base_url) as client,
        pytest.raises(anthropic.BadRequestError, match="unexpected `tool_use_id`"),
    ):
        client.messages.count_tokens(model="claude-sonnet-4-6", messages=[result])  # type: ignore[list-item]

    assert [violation.rule for violation in fake.violations] == ["anthropic/tool-result-without-use"]
    assert fake.requests == []


@pytest.mark.parametrize("vertex", [False, True])
def test_gemini_counts_tokens(vertex: bool) -> None:
    with serve("vertex" if vertex else "gemini") as fake:
        client = genai.Client(api_key="k", vertexai=vertex, http_options={"base_url": fake.base_url})
        counted = client.models.count_tokens(model="gemini-2.5-flash", contents="x" * 400)
        client.close()

    assert counted.total_tokens == 100
    assert fake.requests == fake.violations == []


def test_gemini_counts_a_whole_request() -> None:
    turn = {"role": "user", "parts": [{"text": "x" * 400}]}
    whole = {"model": "models/m", "contents": [turn], "systemInstruction": {"parts": [{"text": "y" * 40}]}}
    body = json.dumps({"generateContentRequest": whole}).encode()

    response = ScriptedFake("gemini").handle(
        Request("POST", "/v1beta/models/gemini-2.5-flash:countTokens", {"x-goog-api-key": "k"}, body)
    )

    assert json.loads(response.body)["totalTokens"] == 111


def test_responses_count_tokens() -> None:
    with serve("openai", wire=RESPONSES) as fake, client_of(fake) as client:
        counted = client.responses.input_tokens.count(model="gpt-5.4", input="x" * 400)

    assert (counted.input_tokens, counted.object) == (100, "response.input_tokens")
    assert fake.requests == fake.violations == []


@pytest.mark.parametrize(
    ("provider", "model", "size"),
    [
        ("openai", "text-embedding-3-small", 1536),
        ("openai", "text-embedding-3-large", 3072),
        ("mistral", "mistral-embed", 1024),
        ("azure", "text-embedding-3-small", 1536),
        ("openrouter", "openai/text-embedding-3-small", 1536),
        ("gemini", "gemini-embedding-001", 3072),
        ("vllm", "some/embedder", 1024),
    ],
)
def test_openai_embeddings(provider: str, model: str, size: int) -> None:
    wire = "openai-chat"
    with serve(provider, wire=wire) as fake, client_of(fake) as client:
        made = client.embeddings.create(model=model, input=["how warm is it", "how cold is it", "entirely different"])
        short = client.embeddings.create(model=model, input="a", dimensions=7, encoding_format="float")
        again = client.embeddings.create(model=model, input="how warm is it")

    vectors = [one.embedding for one in made.data]
    near, far = (sum(a * b for a, b in zip(vectors[0], other, strict=True)) for other in vectors[1:])
    assert {len(vector) for vector in vectors} == {size}
    assert near > far
    assert again.data[0].embedding == vectors[0]
    assert len(short.data[0].embedding) == 7
    assert made.usage.prompt_tokens == made.usage.total_tokens > 0


def test_embeddings_of_mistral_have_an_id_which_its_sdk_needs() -> None:
    with serve("mistral") as fake, client_of(fake) as client:
        made: Any = client.embeddings.create(model="mistral-embed", input="a")
        other: Any = client.embeddings.create(model="mistral-embed", input="b")

    assert len(made.id) == len(other.id) == 32
    assert made.id != other.id


@pytest.mark.parametrize(
    "body", [{"input": "a"}, {"model": "m"}, {"model": "m", "input": []}, {"model": "m", "input": [{}]}]
)
def test_embeddings_of_nothing_are_refused(body: Any) -> None:
    with serve("openai") as fake, client_of(fake) as client, pytest.raises(openai.BadRequestError):
        client.post("/embeddings", body=body, cast_to=object)


def test_gemini_embeddings() -> None:
    with serve("gemini") as fake:
        client = genai.Client(api_key="k", http_options={"base_url": fake.base_url})
        made = client.models.embed_content(model="gemini-embedding-001", contents=["one", "two"])
        short = client.models.embed_content(
            model="gemini-embedding-001", contents="one", config=types.EmbedContentConfig(output_dimensionality=64)
        )
        client.close()

    assert [len(one.values or ()) for one in made.embeddings or ()] == [3072, 3072]
    assert [len(one.values or ()) for one in short.embeddings or ()] == [64]


def test_ollama_embeds_and_says_what_runs() -> None:
    with serve("ollama") as fake, ollama.Client(fake.base_url) as client:
        made = client.embed("nomic-embed-text", ["one", "two"])
        old = client.embeddings("nomic-embed-text", "one")
        (running,) = client.ps().models

    assert [len(vector) for vector in made.embeddings] == [768, 768]
    assert list(old.embedding) == list(made.embeddings[0])
    assert running.model == "qwen3:8b"
    assert fake.requests == []


def test_ollama_says_that_it_runs() -> None:
    fake = ScriptedFake("ollama")

    assert fake.handle(Request("GET", "/", {}, b"")).body == b"Ollama is running"
    assert json.loads(fake.handle(Request("GET", "/api/version", {}, b"")).body)["version"]


def test_stored_response_is_read_listed_and_deleted() -> None:
    with serve("openai", [Reply(text="Hello.")], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.responses.create(model="gpt-5.4", input="Hi.")
        read = client.responses.retrieve(made.id)
        (item,) = client.responses.input_items.list(made.id).data
        client.responses.delete(made.id)
        with pytest.raises(openai.NotFoundError, match=f"Response with id '{made.id}' not found."):
            client.responses.retrieve(made.id)
        with pytest.raises(openai.BadRequestError, match="not found"):
            client.responses.create(model="gpt-5.4", input="Hi.", previous_response_id=made.id)

    assert read.output_text == "Hello."
    assert item.id
    assert item.type == "message"
    assert len(fake.requests) == 2


def test_response_that_is_not_stored_cannot_be_read() -> None:
    with serve("openai", [Reply(text="Hello.")], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.responses.create(model="gpt-5.4", input="Hi.", store=False)
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(made.id)


def test_response_in_the_background_is_polled() -> None:
    with serve("openai", [Reply(text="Hello.")], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.responses.create(model="gpt-5.4", input="Hi.", background=True)
        polls = [client.responses.retrieve(made.id) for _ in range(3)]
        ended = client.responses.cancel(made.id)

    assert (made.status, made.output) == ("queued", [])
    assert [poll.status for poll in polls] == ["in_progress", "completed", "completed"]
    assert polls[1].output_text == "Hello."
    assert ended.status == "completed"


def test_response_in_the_background_is_cancelled() -> None:
    with serve("openai", [Reply(text="Hello.")], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.responses.create(model="gpt-5.4", input="Hi.", background=True)
        client.responses.retrieve(made.id)
        cancelled = client.responses.cancel(made.id)
        read = client.responses.retrieve(made.id)
        waited = client.responses.create(model="gpt-5.4", input="Hi.")
        with pytest.raises(openai.BadRequestError, match="synchronous"):
            client.responses.cancel(waited.id)

    assert [cancelled.status, read.status] == ["cancelled", "cancelled"]
    assert read.output == []


def test_conversation_is_kept() -> None:
    replies = [Reply(calls=(Call("weather", {}),)), Reply(text="Rain.")]
    with serve("openai", replies, wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.conversations.create(metadata={"a": "b"}, items=[{"role": "user", "content": "Be short."}])
        first = client.responses.create(model="gpt-5.4", input="How is the weather?", conversation=made.id)
        output: Any = {"type": "function_call_output", "call_id": first.output[0].call_id, "output": "7"}  # type: ignore[union-attr]
        second = client.responses.create(model="gpt-5.4", input=[output], conversation={"id": made.id})
        items = list(client.conversations.items.list(made.id, order="asc", limit=2))
        read = client.conversations.retrieve(made.id)
        one = client.conversations.items.retrieve(str(items[0].id), conversation_id=made.id)
        client.conversations.items.delete(str(items[0].id), conversation_id=made.id)
        left = list(client.conversations.items.list(made.id))
        changed = client.conversations.update(made.id, metadata={"c": "d"})
        deleted = client.conversations.delete(made.id)
        with pytest.raises(openai.NotFoundError, match=f"Conversation with id '{made.id}' not found."):
            client.responses.create(model="gpt-5.4", input="Hi.", conversation=made.id)

    assert second.conversation is not None
    assert (second.output_text, second.conversation.id) == ("Rain.", made.id)
    assert [violation.rule for violation in fake.violations] == ["openai/responses-conversation-not-found"]
    assert [message.role for message in fake.views[1].messages] == ["user", "assistant", "tool"]
    assert [item.type for item in items] == ["message", "message", "function_call", "function_call_output", "message"]
    assert read.metadata == {"a": "b"}
    assert one.id == items[0].id
    assert [item.id for item in left] == [item.id for item in reversed(items)][:-1]
    assert changed.metadata == {"c": "d"}
    assert deleted.deleted


def test_call_that_a_conversation_leaves_open_is_refused() -> None:
    with serve("openai", [Reply(calls=(Call("weather", {}),))], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.conversations.create()
        client.responses.create(model="gpt-5.4", input="How is the weather?", conversation=made.id)
        with pytest.raises(openai.BadRequestError, match="No tool output found for function call"):
            client.responses.create(model="gpt-5.4", input="Well?", conversation=made.id)


def test_items_are_added_to_a_conversation() -> None:
    with serve("openai", wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.conversations.create()
        added = client.conversations.items.create(made.id, items=[{"role": "user", "content": "Hi."}])
        with pytest.raises(openai.BadRequestError, match="items"):
            client.conversations.items.create(made.id, items=[])

    assert [item.type for item in added.data] == ["message"]


def test_xai_stores_responses_and_no_conversations() -> None:
    with serve("xai", [Reply(text="Hello.")], wire=RESPONSES) as fake, client_of(fake) as client:
        made = client.responses.create(model="grok-4.3", input="Hi.")
        read = client.responses.retrieve(made.id)
        with pytest.raises(openai.NotFoundError) as refused:
            client.conversations.create()

    assert read.output_text == "Hello."
    assert "/v1/conversations is no model request of openai-responses" in refused.value.response.text


@pytest.mark.parametrize(
    ("provider", "wire", "method", "path"),
    [
        ("openai", "openai-chat", "POST", "/v1/embeddings"),
        ("openai", RESPONSES, "GET", "/v1/responses/resp_1"),
        ("openai", RESPONSES, "POST", "/v1/conversations"),
        ("openai", RESPONSES, "POST", "/v1/responses/input_tokens"),
        ("anthropic", None, "POST", "/v1/messages/count_tokens"),
        ("gemini", "gemini-generate", "POST", "/v1beta/models/m:countTokens"),
        ("gemini", "gemini-generate", "POST", "/v1beta/models/m:embedContent"),
    ],
)
def test_endpoints_need_a_key(provider: str, wire: str | None, method: str, path: str) -> None:
    fake = ScriptedFake(provider, wire=wire)
    body = b'{"model": "m", "input": "a", "content": {"parts": [{"text": "a"}]}}'

    assert fake.handle(Request(method, path, {}, body)).status in (401, 403)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_not_built_is_a_404_that_says_what_is(provider: str) -> None:
    fake = ScriptedFake(provider)
    response = fake.handle(Request("POST", "/v1/nothing", {}, b"{}"))
    named = "POST /v1/nothing is no model request of"

    assert (response.status, dict(response.headers)["x-should-retry"]) == (404, "false")
    assert named in response.body.decode()
    assert "its models" in response.body.decode()
    assert "model_not_found" not in response.body.decode()
    assert fake.requests == fake.violations == []


@pytest.mark.parametrize("wire", ["openai-chat", RESPONSES])
def test_moderation_flags_what_a_test_wants_flagged(wire: str) -> None:
    with serve("openai", wire=wire) as fake, client_of(fake) as client:
        answer = client.moderations.create(input=["Hello.", "A fight. [flag:violence] [flag:hate/threatening]"])
        with pytest.raises(openai.BadRequestError, match="input"):
            client.moderations.create(input=[])

    plain, flagged = answer.results
    assert (plain.flagged, flagged.flagged) == (False, True)
    assert flagged.categories.violence
    assert flagged.categories.hate_threatening
    assert not flagged.categories.hate
    assert set(plain.category_scores.model_dump()) == set(plain.categories.model_dump())


def test_parts_of_text_and_picture_are_one_input() -> None:
    parts: Any = [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "https://example.org/a"}}]
    with serve("openai", wire="openai-chat") as fake, client_of(fake) as client:
        [result] = client.moderations.create(input=parts).results

    assert result.category_applied_input_types.violence == ["text", "image"]
    assert result.category_applied_input_types.hate == ["text"]


@pytest.mark.parametrize("headers", [{}, {"upgrade": "websocket"}])
def test_web_socket_is_said_to_be_none(headers: dict[str, str]) -> None:
    fake = ScriptedFake("openai")
    response = fake.handle(Request("GET", "/v1/realtime?model=gpt-realtime", {**headers, "authorization": "k"}, b""))

    assert response.status == 404
    assert "no fake speaks WebSocket" in json.loads(response.body)["error"]["message"]
