"""The six vendors' SDKs behind one face: ask once, without retries, plain or streamed, sync or async."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import anthropic
import groq
import ollama
import openai
from google import genai
from google.genai import types
from mistralai.client import Mistral

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DECLARED = {"name": "weather", "description": "Current weather of a city."}
TOOL: Any = {"type": "function", "function": {**DECLARED, "parameters": SCHEMA}}
HELLO: Any = [{"role": "user", "content": "Rain?"}]


class RenderedReply(NamedTuple):
    """What the caller has in hand: the class of what came, and what it says."""

    kind: str
    text: str
    calls: tuple[tuple[str, Any], ...]
    finish: str | None
    refusal: str = ""


class Sdk(ABC):
    """One SDK on one wire. `is_async` chooses its other client; `ask` sends a request with either."""

    provider: str
    wire: str
    base = ""

    def ask(self, url: str, *, stream: bool, is_async: bool, patience: float) -> RenderedReply:
        client = self.client(url + self.base, is_async=is_async, patience=patience)
        if is_async:
            return self.read(asyncio.run(_gathered(self.send(client, stream=stream, is_async=True), stream)), stream)
        answer = self.send(client, stream=stream, is_async=False)
        return self.read(list(answer) if stream else [answer], stream)

    @abstractmethod
    def client(self, url: str, *, is_async: bool, patience: float) -> Any: ...

    @abstractmethod
    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        """An answer or its chunks, to be awaited where the client is async."""

    @abstractmethod
    def read(self, objects: list[Any], stream: bool) -> RenderedReply: ...


async def _gathered(pending: Any, stream: bool) -> list[Any]:
    answer = await pending
    return [chunk async for chunk in answer] if stream else [answer]


def _kinds(objects: Iterable[Any]) -> str:
    """The class of all that came, and nothing where nothing did."""
    return " ".join(sorted({type(one).__name__ for one in objects}))


def read_completions(objects: list[Any], stream: bool) -> RenderedReply:
    text, refusal, finish, calls = "", "", None, {}
    for choice in (choice for one in objects for choice in one.choices):
        said = choice.delta if stream else choice.message
        text, refusal = text + (said.content or ""), refusal + (getattr(said, "refusal", None) or "")
        finish = choice.finish_reason or finish
        for place, call in enumerate(said.tool_calls or ()):
            known = calls.setdefault(call.index if stream else place, ["", ""])
            known[0] += call.function.name or ""
            known[1] += call.function.arguments or ""
    return RenderedReply(
        _kinds(objects), text, tuple((name, json.loads(args)) for name, args in calls.values()), finish, refusal
    )


class OpenAIChat(Sdk):
    provider, wire, base = "openai", "openai-chat", "/v1"
    model = "gpt-4.1"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        kind: Any = openai.AsyncOpenAI if is_async else openai.OpenAI
        return kind(api_key="k", base_url=url, max_retries=0, timeout=patience)

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        return client.chat.completions.create(model=self.model, messages=HELLO, tools=[TOOL], stream=stream)

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        return read_completions(objects, stream)


class Groq(OpenAIChat):
    provider, base = "groq", ""
    model = "openai/gpt-oss-120b"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        kind: Any = groq.AsyncGroq if is_async else groq.Groq
        return kind(api_key="k", base_url=url, max_retries=0, timeout=patience)


class MistralAI(Sdk):
    provider, wire = "mistral", "openai-chat"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        return Mistral(api_key="k", server_url=url, timeout_ms=int(patience * 1000))

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        chat = client.chat
        if is_async:
            ask = chat.stream_async if stream else chat.complete_async
        else:
            ask = chat.stream if stream else chat.complete
        return ask(model="mistral-small-latest", messages=HELLO, tools=[TOOL])

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        return read_completions([one.data for one in objects] if stream else objects, stream)


class OpenAIResponses(OpenAIChat):
    wire = "openai-responses"

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        tool = {"type": "function", **DECLARED, "parameters": SCHEMA}
        return client.responses.create(model=self.model, input="Rain?", tools=[tool], stream=stream)

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        ended = [one.response for one in objects if one.type in ENDED] if stream else objects
        if not ended:
            deltas = [one.delta for one in objects if one.type == "response.output_text.delta"]
            return RenderedReply(_kinds(objects) and "events", "".join(deltas), (), None)
        (response,) = ended
        calls = [(item.name, json.loads(item.arguments)) for item in response.output if item.type == "function_call"]
        parts = [part for item in response.output if item.type == "message" for part in item.content]
        refusal = "".join(part.refusal for part in parts if part.type == "refusal")
        details = response.incomplete_details
        finish = details.reason if details else response.status
        return RenderedReply(_kinds(ended), response.output_text, tuple(calls), finish, refusal)


ENDED = ("response.completed", "response.incomplete", "response.failed")


class Anthropic(Sdk):
    provider, wire = "anthropic", "anthropic-messages"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        kind: Any = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
        return kind(api_key="k", base_url=url, max_retries=0, timeout=patience)

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        tool = {**DECLARED, "input_schema": SCHEMA}
        model = "claude-sonnet-4-6"
        return client.messages.create(model=model, max_tokens=99, messages=HELLO, tools=[tool], stream=stream)

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        if not stream:
            (message,) = objects
            text = "".join(block.text for block in message.content if block.type == "text")
            calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
            return RenderedReply(_kinds(objects), text, tuple(calls), message.stop_reason)
        text, finish, calls = "", None, {}
        for event in objects:
            if event.type == "content_block_start" and event.content_block.type == "tool_use":
                calls[event.index] = [event.content_block.name, ""]
            elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                calls[event.index][1] += event.delta.partial_json
            elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                text += event.delta.text
            elif event.type == "message_delta":
                finish = event.delta.stop_reason
        kind = "events" if objects else ""
        return RenderedReply(
            kind, text, tuple((name, json.loads(args or "{}")) for name, args in calls.values()), finish
        )


class GoogleGenai(Sdk):
    provider, wire = "gemini", "gemini-generate"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        return genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url, timeout=int(patience * 1000)))

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        function: Any = {**DECLARED, "parameters_json_schema": SCHEMA}
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[function])])
        models = client.aio.models if is_async else client.models
        ask = models.generate_content_stream if stream else models.generate_content
        return ask(model="gemini-3.1-pro-preview", contents="Rain?", config=config)

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        candidates = [candidate for one in objects for candidate in one.candidates or ()]
        parts = [part for one in candidates if one.content is not None for part in one.content.parts or ()]
        calls = [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]
        finish = next((one.finish_reason.name for one in reversed(candidates) if one.finish_reason), None)
        return RenderedReply(_kinds(objects), "".join(part.text or "" for part in parts), tuple(calls), finish)


class Ollama(Sdk):
    provider, wire = "ollama", "ollama-chat"

    def client(self, url: str, *, is_async: bool, patience: float) -> Any:
        return (ollama.AsyncClient if is_async else ollama.Client)(host=url, timeout=patience)

    def send(self, client: Any, *, stream: bool, is_async: bool) -> Any:
        return client.chat(model="qwen3", messages=HELLO, tools=[TOOL], stream=stream)

    def read(self, objects: list[Any], stream: bool) -> RenderedReply:
        messages = [one.message for one in objects]
        calls = [(c.function.name, dict(c.function.arguments)) for m in messages for c in m.tool_calls or ()]
        finish = objects[-1].done_reason if objects else None
        return RenderedReply(
            _kinds(objects), "".join(message.content or "" for message in messages), tuple(calls), finish
        )


SDKS: Mapping[str, Sdk] = {
    "openai-chat": OpenAIChat(),
    "openai-responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "google-genai": GoogleGenai(),
    "ollama": Ollama(),
    "mistralai": MistralAI(),
    "groq": Groq(),
}
"""`openai` supports two wires and is here twice."""


class ResponsesElsewhere(OpenAIResponses):
    """OpenAI's SDK at another provider's Responses endpoint."""

    def __init__(self, provider: str, base: str, model: str) -> None:
        self.provider, self.base, self.model = provider, base, model


ELSEWHERE: Mapping[str, ResponsesElsewhere] = {
    "xai": ResponsesElsewhere("xai", "/v1", "grok-4.3"),
    "openrouter": ResponsesElsewhere("openrouter", "/api/v1", "openai/gpt-4.1"),
    "deepseek": ResponsesElsewhere("deepseek", "", "deepseek-v4-flash"),
}
