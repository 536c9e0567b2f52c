"""What the vendors' SDKs ask of the mock servers that their own tests run against, asked of a served fake.

Each call is made as the tests of these SDKs make it, plainly, as a raw response and as a streamed one, and what comes
must be valid for the type that the SDK declares, and not only readable.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import anthropic
import cohere
import httpx
import openai
import pytest
from google import genai
from mistralai.client import Mistral
from pydantic import TypeAdapter

from fake_providers import serve

PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ASKED: Any = [{"role": "user", "content": "How warm is it in Oslo?"}]
TOOL: Any = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}
CLAUDES: Any = {"name": "get_weather", "input_schema": PARAMETERS}
FLAT: Any = {"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": False}
GEMINIS: Any = {"function_declarations": [{"name": "get_weather", "parameters_json_schema": PARAMETERS}]}
GPT, CLAUDE, FLASH, LARGE, COMMAND = (
    "gpt-4.1", "claude-sonnet-4-6", "gemini-2.5-flash", "mistral-large-latest", "command-a-03-2025",
)  # fmt: skip
Calls = dict[str, tuple[str, dict[str, Any]]]

OPENAI: Calls = {
    "chat": ("chat.completions.create", {"model": GPT, "messages": ASKED}),
    "chat with all": ("chat.completions.create", {
        "model": GPT, "messages": ASKED, "tools": [TOOL], "tool_choice": "auto", "temperature": 1, "top_p": 1, "n": 1,
        "max_completion_tokens": 50, "parallel_tool_calls": True, "seed": 0, "stop": "\n", "user": "user-1234",
        "presence_penalty": -2, "frequency_penalty": -2, "logprobs": True, "top_logprobs": 0, "metadata": {"a": "b"},
        "service_tier": "auto", "store": True, "response_format": {"type": "text"}, "prompt_cache_key": "key",
    }),
    "responses": ("responses.create", {"model": GPT, "input": "How warm is it in Oslo?"}),
    "responses with all": ("responses.create", {
        "model": GPT, "input": ASKED, "tools": [FLAT], "tool_choice": "auto", "temperature": 1, "top_p": 1,
        "max_output_tokens": 50, "parallel_tool_calls": True, "instructions": "Be brief.", "metadata": {"a": "b"},
        "store": True, "truncation": "auto", "text": {"format": {"type": "text"}}, "user": "user-1234",
    }),
    "input tokens": ("responses.input_tokens.count", {"model": GPT, "input": ASKED}),
    "embeddings": ("embeddings.create", {
        "model": "text-embedding-3-small", "input": "Rain", "encoding_format": "float"}),
    "moderations": ("moderations.create", {"input": "I like rain."}),
    "models": ("models.list", {}),
    "model": ("models.retrieve", {"model": GPT}),
    "files": ("files.list", {}),
    "file": ("files.create", {"file": b"rain", "purpose": "assistants"}),
}  # fmt: skip
ANTHROPIC: Calls = {
    "messages": ("messages.create", {"model": CLAUDE, "max_tokens": 1024, "messages": ASKED}),
    "messages with all": ("messages.create", {
        "model": CLAUDE, "max_tokens": 2048, "messages": ASKED, "tools": [CLAUDES],
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral", "ttl": "5m"}}],
        "stop_sequences": ["END"], "metadata": {"user_id": "13803d75"}, "service_tier": "auto",
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    }),
    "tokens": ("messages.count_tokens", {"model": CLAUDE, "messages": ASKED, "tools": [CLAUDES]}),
    "batch": ("messages.batches.create", {"requests": [{"custom_id": "a", "params": {
        "model": CLAUDE, "max_tokens": 16, "messages": ASKED}}]}),
    "batches": ("messages.batches.list", {"limit": 1}),
    "models": ("models.list", {"limit": 1}),
    "model": ("models.retrieve", {"model_id": CLAUDE}),
}  # fmt: skip
GOOGLE: Calls = {
    "content": ("models.generate_content", {"model": FLASH, "contents": "How warm is it in Oslo?"}),
    "content with all": ("models.generate_content", {"model": FLASH, "contents": ["How warm is it?"], "config": {
        "temperature": 1, "top_p": 0.9, "top_k": 5, "max_output_tokens": 50, "stop_sequences": ["END"], "seed": 1,
        "system_instruction": "Be brief.", "tools": [GEMINIS], "automatic_function_calling": {"disable": True},
        "tool_config": {"function_calling_config": {"mode": "AUTO"}},
    }}),
    "tokens": ("models.count_tokens", {"model": FLASH, "contents": "How warm is it in Oslo?"}),
    "embeddings": ("models.embed_content", {"model": "gemini-embedding-001", "contents": "Rain"}),
    "models": ("models.list", {}),
    "model": ("models.get", {"model": FLASH}),
}  # fmt: skip
MISTRAL: Calls = {
    "chat": ("chat.complete", {"model": LARGE, "messages": ASKED}),
    "chat with all": ("chat.complete", {
        "model": LARGE, "messages": ASKED, "tools": [TOOL], "tool_choice": "auto", "temperature": 0.7, "top_p": 1,
        "max_tokens": 50, "random_seed": 1, "stop": "END", "parallel_tool_calls": True, "safe_prompt": False,
        "presence_penalty": 0, "frequency_penalty": 0, "response_format": {"type": "text"},
    }),
    "answer in JSON": ("chat.complete", {
        "model": LARGE, "messages": [{"role": "user", "content": "Answer in JSON."}],
        "response_format": {"type": "json_object"},
    }),
    "models": ("models.list", {}),
    "model": ("models.retrieve", {"model_id": LARGE}),
}  # fmt: skip
COHERE: Calls = {
    "chat": ("chat", {"model": COMMAND, "messages": ASKED}),
    "chat with tools": ("chat", {"model": COMMAND, "messages": ASKED, "tools": [TOOL], "temperature": 0.3, "p": 0.75}),
    "chat with documents": ("chat", {"model": COMMAND, "messages": ASKED, "documents": ["It is 7 degrees in Oslo."]}),
    "answer in JSON": ("chat", {
        "model": COMMAND, "messages": [{"role": "user", "content": "Answer in JSON."}],
        "response_format": {"type": "json_object"}, "max_tokens": 50, "seed": 1, "stop_sequences": ["END"],
    }),
    "chat with a result": ("chat", {"model": COMMAND, "tools": [TOOL], "messages": [
        *ASKED,
        {"role": "assistant", "tool_plan": "I ask.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'}}]},
        {"role": "tool", "tool_call_id": "a", "content": "7 degrees"},
    ]}),
}  # fmt: skip


def client_of(provider: str, url: str, stack: ExitStack) -> Any:
    """A client that is closed with the stack."""
    if provider == "openai":
        return stack.enter_context(openai.OpenAI(api_key="k", base_url=url, max_retries=0))
    if provider == "anthropic":
        return stack.enter_context(anthropic.Anthropic(api_key="k", base_url=url, max_retries=0))
    http = stack.enter_context(httpx.Client())
    if provider == "gemini":
        return stack.enter_context(genai.Client(api_key="k", http_options={"base_url": url, "httpx_client": http}))
    if provider == "mistral":
        return Mistral(api_key="k", server_url=url.removesuffix("/v1"), client=http)
    return cohere.ClientV2(api_key="k", base_url=url.removesuffix("/v2"), httpx_client=http)


TABLES = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GOOGLE, "mistral": MISTRAL, "cohere": COHERE}
RAW = ("openai", "anthropic")
"""The SDKs whose tests also ask for the response itself."""
EACH = pytest.mark.parametrize(("provider", "what"), [(name, what) for name, calls in TABLES.items() for what in calls])
EACH_RAW = pytest.mark.parametrize(("provider", "what"), [(name, what) for name in RAW for what in TABLES[name]])


@pytest.fixture
def asked() -> Iterator[Callable[..., tuple[Any, dict[str, Any]]]]:
    """The method of a client of a new fake, and the arguments of the call. `within` is a member of the method's owner,
    such as `with_raw_response`."""
    with ExitStack() as stack:

        def made(provider: str, what: str, within: str = "") -> tuple[Any, dict[str, Any]]:
            path, arguments = TABLES[provider][what]
            found = client_of(provider, stack.enter_context(serve(provider)).base_url, stack)
            *owners, method = path.split(".")
            for name in (*owners, *filter(None, [within]), method):
                found = getattr(found, name)
            return found, arguments

        yield made


def assert_valid(answer: Any) -> None:
    """The SDKs build their types without a look at the values."""
    TypeAdapter(type(answer)).validate_python(answer.model_dump(by_alias=True, exclude_unset=True))


@EACH
def test_answer_is_valid_for_the_type_of_the_sdk(provider: str, what: str, asked: Any) -> None:
    method, arguments = asked(provider, what)
    answer = method(**arguments)

    if hasattr(answer, "model_dump"):
        assert_valid(answer)
    else:
        for item in answer:
            assert_valid(item)


@EACH_RAW
def test_raw_response_is_read_and_closed(provider: str, what: str, asked: Any) -> None:
    method, arguments = asked(provider, what, "with_raw_response")
    response = method(**arguments)

    assert response.http_request.headers["x-stainless-lang"] == "python"
    assert response.is_closed is True
    assert_valid(response.parse())


@EACH_RAW
def test_streamed_response_is_read_once_it_is_parsed(provider: str, what: str, asked: Any) -> None:
    method, arguments = asked(provider, what, "with_streaming_response")
    with method(**arguments) as response:
        assert not response.is_closed
        assert_valid(response.parse())

    assert response.is_closed is True
