"""Which fields of a request a fake judges, and which it accepts unread: each is given five wrong values.

The fields are those of the vendors' SDKs and of the tables of types. Needs the SDKs of the tests.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final, get_type_hints

from anthropic.types.message_create_params import MessageCreateParamsBase
from cohere.v2.client import V2Client
from ollama._types import ChatRequest
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.response_create_params import ResponseCreateParamsBase

from fake_providers import judge
from fake_providers.models import default_model
from fake_providers.provider_facts import providers_of
from fake_providers.providers.shared import chat_types
from fake_providers.providers.shared.member_types_other_wires import (
    MEMBERS_OF_MESSAGES,
    MEMBERS_OF_RESPONSES,
    MessageSamples,
    ResponsesSamples,
)
from fake_providers.wires.gemini_generate import proto_messages

VALUES: Final = (7, True, "zz", {"t": 7}, ["a"])
ID: Final = "D681PevKs"
"""Of a call: nine letters and digits, as Mistral wants them."""
SIGNED: Final = {"google": {"thought_signature": "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}}
VERTEX: Final = "/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-6:rawPredict"


@dataclass(frozen=True, slots=True)
class Fields:
    """`places` are written as `messages[].content`; `body` makes a request that the provider accepts."""

    path: Callable[[str], str]
    places: tuple[str, ...]
    body: Callable[[str], dict[str, Any]]


def _chat(provider: str) -> dict[str, Any]:
    body = chat_types.Samples(default_model("openai-chat", provider)).at("stream", False)
    for message in body["messages"]:
        if message["role"] == "assistant" and provider == "deepseek":
            message["reasoning_content"] = "I ask."
        for call in message.get("tool_calls", ()):
            call.update({"id": ID, **({"extra_content": SIGNED} if provider in ("gemini", "vertex") else {})})
        if "tool_call_id" in message:
            message["tool_call_id"] = ID
    body["messages"][0]["content"] = [{"type": "text", "text": "Rain?"}]
    return body


def _messages(provider: str) -> dict[str, Any]:
    sample = MessageSamples(default_model("anthropic-messages", provider)).at("stream", False)
    sample["messages"][0]["content"] = [{"type": "text", "text": "Rain?"}]
    return sample


def _responses(provider: str) -> dict[str, Any]:
    body = ResponsesSamples(default_model("openai-responses", provider)).at("stream", False)
    body["tools"][0]["parameters"]["properties"] = {}
    if provider == "deepseek":
        thought = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}
        body["input"].insert(1, thought)
    return body


def _ollama(provider: str) -> dict[str, Any]:
    call = {"function": {"name": "f", "arguments": {}}}
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    result = {"role": "tool", "tool_name": "f", "content": "7"}
    return {"model": "qwen3:8b", "stream": False, "messages": [*talk, result], "tools": [tool], "options": {}}


def _gemini(provider: str) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {}}


def _cohere(provider: str) -> dict[str, Any]:
    call = {"id": "f_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    called = {"role": "assistant", "content": [], "tool_calls": [call], "citations": []}
    told = [{"role": "user", "content": "Hi"}, called, {"role": "tool", "tool_call_id": "f_1", "content": "7"}]
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}}
    return {"model": default_model("cohere-chat", provider), "messages": told, "tools": [tool]}


def _listed(members: str) -> tuple[str, ...]:
    return tuple(line.split()[0] for line in members.strip().splitlines())


def _all(*places: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place for some in places for place in some))


def _camel(message: str, before: str) -> list[str]:
    names = (name for name in proto_messages.MESSAGES[message] if not name.startswith("_"))
    return [f"{before}{proto_messages.camel(name)}" for name in names]


FIELDS: Final[Mapping[str, Fields]] = {
    "openai-chat": Fields(
        lambda provider: "/v1/chat/completions",
        _all(get_type_hints(CompletionCreateParamsBase), _listed(chat_types.MEMBERS)),
        _chat,
    ),
    "openai-responses": Fields(
        lambda provider: "/v1/responses",
        _all(get_type_hints(ResponseCreateParamsBase), _listed(MEMBERS_OF_RESPONSES)),
        _responses,
    ),
    "anthropic-messages": Fields(
        lambda provider: VERTEX if provider == "vertex" else "/v1/messages",
        _all(get_type_hints(MessageCreateParamsBase), _listed(MEMBERS_OF_MESSAGES)),
        _messages,
    ),
    "ollama-chat": Fields(
        lambda provider: "/api/chat",
        _all(ChatRequest.model_fields, ("messages[].role", "messages[].content", "messages[].tool_calls", "think")),
        _ollama,
    ),
    "gemini-generate": Fields(
        lambda provider: "/v1beta/models/gemini-3-flash-preview:generateContent",
        _all(
            _camel("GenerateContentRequest", ""),
            _camel("GenerationConfig", "generationConfig."),
            _camel("Part", "contents[].parts[]."),
        ),
        _gemini,
    ),
    "cohere-chat": Fields(
        lambda provider: "/v2/chat",
        _all(
            (name for name in signature(V2Client.chat).parameters if name not in ("self", "request_options")),
            (f"messages[].{name}" for name in ("role", "content", "tool_calls", "tool_plan", "tool_call_id")),
            ("messages[].citations", "messages[].tool_calls[].id", "messages[].tool_calls[].function.arguments"),
            ("tools[].type", "tools[].function.name", "tools[].function.description", "tools[].function.parameters"),
            ("citation_options.mode", "response_format.type", "response_format.json_schema", "thinking.token_budget"),
        ),
        _cohere,
    ),
}


def unread(wire: str, provider: str) -> Iterator[str]:
    """The fields that take each of the five values, and so any. Raises `LookupError` where the sample is refused."""
    fields = FIELDS[wire]
    body = fields.body(provider)
    if (found := _judged(wire, provider, body)) is not None:
        raise LookupError(f"{provider} on {wire} refuses the sample by {found}")
    for place in fields.places:
        changed = [_with(body, place.replace("[]", ".[]").split("."), value) for value in VALUES]
        if None not in changed and all(_judged(wire, provider, one) is None for one in changed):
            yield place


def _judged(wire: str, provider: str, body: Any) -> str | None:
    path = FIELDS[wire].path(provider)
    found = judge(provider, path, json.dumps(body).encode(), {"content-type": "application/json"})
    return found and found.rule


def _with(body: dict[str, Any], way: list[str], value: Any) -> dict[str, Any] | None:
    """The body with this value at the first place that has this way, or to which it can be added; None without one."""
    for adds in (False, True):
        changed: dict[str, Any] = deepcopy(body)
        if _put(changed, way, value, adds=adds):
            return changed
    return None


def _put(owner: Any, way: list[str], value: Any, *, adds: bool) -> bool:
    name, *rest = way
    if name == "[]":
        if not isinstance(owner, list) or not owner:
            return False
        if not rest:
            owner[0] = value
            return True
        return any(_put(item, rest, value, adds=adds) for item in owner)
    if not isinstance(owner, dict):
        return False
    if not rest and (adds or name in owner):
        owner[name] = value
        return True
    return bool(rest) and name in owner and _put(owner[name], rest, value, adds=adds)


def table() -> str:
    """A heading for each wire, its fields, and those that its providers accept unread."""
    parts = []
    for wire, fields in FIELDS.items():
        alike: dict[str, list[str]] = {}
        for provider in providers_of(wire):
            alike.setdefault(_named(unread(wire, provider)) or "none", []).append(provider)
        parts.append(f"### {wire}\n\nTried: {_named(fields.places)}.\n\n")
        parts.append("| provider | accepted unread |\n| --- | --- |\n")
        parts += [f"| {', '.join(providers)} | {named} |\n" for named, providers in alike.items()]
        parts.append("\n")
    return "".join(parts).removesuffix("\n")


def _named(places: Iterable[str]) -> str:
    return ", ".join(f"`{place}`" for place in places)
