"""What a fake says of its models, asked by the vendors' SDKs: agents ask for it while they are made."""

import json
from typing import Any

import anthropic
import ollama
import openai
import pytest
from google import genai

from fake_providers import PROVIDERS, Request
from fake_providers.models import default_model
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake

OPENAI_WIRES = [
    (provider, wire) for provider, wires in PROVIDERS.items() for wire in wires if wire.startswith("openai-")
]
KEYLESS = ("llama.cpp", "lm-studio", "ollama", "openrouter", "sglang", "vllm")


def asked(fake: ScriptedFake, path: str, method: str = "GET", body: bytes = b"", key: str = "k") -> Any:
    headers = {"authorization": f"Bearer {key}", "x-api-key": key, "x-goog-api-key": key, "api-key": key} if key else {}
    response = fake.handle(Request(method, path, headers, body))
    return response.status, json.loads(response.body)


@pytest.mark.parametrize(("provider", "wire"), OPENAI_WIRES)
def test_openai_lists_models(provider: str, wire: str) -> None:
    with (
        serve(provider, wire=wire) as fake,
        openai.OpenAI(api_key="k", base_url=fake.base_url, default_headers={"api-key": "k"}) as client,
    ):
        listed = client.models.list().data
        name = "claude-opus-5-5" if provider == "anthropic" else "somebody/own-model"
        one = client.models.retrieve(name)

    assert [model.id for model in listed] == [default_model(wire, provider)]
    assert provider in ("openrouter", "anthropic") or (one.id, one.object) == (name, "model")
    assert fake.requests == fake.violations == []


def test_anthropic_lists_models() -> None:
    with serve("anthropic") as fake, anthropic.Anthropic(api_key="k", base_url=fake.base_url) as client:
        (listed,) = list(client.models.list(limit=1))
        one = client.models.retrieve("claude-opus-5-5")
        after = client.models.list(after_id=listed.id)

    assert (listed.id, listed.display_name) == ("claude-sonnet-4-6", "Claude Sonnet 4.6")
    assert listed.capabilities is not None
    assert listed.capabilities.thinking.types.enabled.supported
    assert one.id == "claude-opus-5-5"
    assert one.capabilities is not None
    assert not one.capabilities.thinking.types.enabled.supported
    assert after.data == []
    assert fake.requests == []


@pytest.mark.parametrize("vertex", [False, True])
def test_gemini_lists_models(vertex: bool) -> None:
    with serve("vertex" if vertex else "gemini") as fake:
        client = genai.Client(api_key="k", vertexai=vertex, http_options={"base_url": fake.base_url})
        listed = [model.name for model in client.models.list()]
        one = client.models.get(model="gemini-2.5-pro")
        client.close()

    start = "publishers/google/models" if vertex else "models"
    assert listed == [f"{start}/gemini-3-flash-preview"]
    assert one.name == f"{start}/gemini-2.5-pro"
    assert vertex or one.input_token_limit == 1_048_576
    assert fake.requests == []


def test_ollama_lists_and_shows_models() -> None:
    with serve("ollama") as fake, ollama.Client(fake.base_url) as client:
        (listed,) = client.list().models
        shown = client.show("gemma3:4b")

    assert listed.model == "qwen3:8b"
    assert shown.capabilities == ["completion"]
    assert shown.modelinfo is not None
    assert shown.modelinfo["gemma3.context_length"] == 40_960
    assert fake.requests == []


@pytest.mark.parametrize("body", [b"", b"{}", b'{"model": 1}', b'{"model": "a b"}'])
def test_ollama_shows_no_model_without_a_name(body: bytes) -> None:
    assert asked(ScriptedFake("ollama"), "/api/show", "POST", body)[0] == 400


@pytest.mark.parametrize("provider", [name for name in PROVIDERS if name != "bedrock"])  # another service lists them
def test_list_needs_a_key_where_model_requests_do(provider: str) -> None:
    fake = ScriptedFake(provider)
    path = {"anthropic": "/v1/models", "gemini": "/v1beta/models", "ollama": "/api/tags"}.get(provider, "/v1/models")
    path = "/v1/publishers/google/models" if provider == "vertex" else path

    assert asked(fake, path)[0] == 200
    assert (asked(fake, path, key="")[0] == 200) == (provider in KEYLESS)


def test_models_say_the_window_of_the_fake() -> None:
    def one(provider: str, path: str, method: str = "GET") -> Any:
        return asked(ScriptedFake(provider, window=900), path, method, b'{"model": "m"}')[1]

    assert one("gemini", "/v1beta/models/m")["inputTokenLimit"] == 900
    assert one("anthropic", "/v1/models/m")["max_input_tokens"] == 900
    assert one("vllm", "/v1/models/m")["max_model_len"] == 900
    assert one("openrouter", "/v1/models/m")["data"]["top_provider"]["context_length"] == 900
    assert one("ollama", "/api/show", "POST")["model_info"]["m.context_length"] == 900


@pytest.mark.parametrize(
    ("provider", "method", "path"),
    [
        ("openai", "POST", "/v1/models"),
        ("openai", "DELETE", "/v1/models/ft:gpt-4.1:me"),
        ("openai", "GET", "/v1/modelsx"),
        ("anthropic", "GET", "/v1/models/a/b"),
        ("gemini", "GET", "/v1beta/tunedModels"),
        ("gemini", "GET", "/v1beta/models/m:countTokens"),
        ("ollama", "GET", "/api/show"),
        ("ollama", "POST", "/api/ps"),
    ],
)
def test_what_is_no_question_about_models_is_not_built(provider: str, method: str, path: str) -> None:
    assert asked(ScriptedFake(provider), path, method)[0] == 404
