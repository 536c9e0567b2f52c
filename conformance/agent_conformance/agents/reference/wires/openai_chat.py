"""Chat completions, as OpenAI and many others serve them.

One small function for each; a provider that is not named here gets the plain form.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import strict_json
from agent_conformance.agents.reference.call_pieces import CallPiece, JoinCalls, events, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought, of_results
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

FINISH_REASONS: dict[str | None, Finish] = {"length": "length", "content_filter": "withheld"}


@dataclass(frozen=True)
class OpenAIChat:
    takes_schema_beside_tools: bool = True
    name = "openai-chat"
    frames = staticmethod(events)

    def shapes_beside_tools(self, model: str) -> bool:
        return self.takes_schema_beside_tools

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        messages = [message for entry in request.history for message in _messages(entry, request)]
        messages = with_reply_before_user(messages, request.provider)
        body: dict[str, Any] = {"model": request.model, "messages": messages}
        if request.stream:
            body["stream"] = True
        if request.offer is not None:
            body |= _tool_fields(request.offer, request.provider)
        if request.schema is not None:
            described = {"name": "answer", "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        return HttpRequest("/chat/completions", body, request.stream)

    def decode(self, body: Any) -> Answer:
        if body.get("error"):
            raise ErrorResponse(str(body["error"]))
        choice = body["choices"][0]
        message = choice["message"]
        text, thought = text_and_thoughts(message.get("content"))
        thinking = message.get("reasoning_content") or message.get("reasoning") or thought
        calls = tuple(_piece(call).call for call in message.get("tool_calls") or ())
        return _answer(text, message.get("refusal"), thinking, calls, choice.get("finish_reason"))

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return ChatReader(join)


@dataclass(slots=True)
class ChatReader:
    """Joins deltas; `join` joins the pieces of calls."""

    join: JoinCalls = join_calls
    text: str = ""
    refusal: str = ""
    thinking: str = ""
    finish: str | None = None
    done: bool = False
    pieces: list[CallPiece] = field(default_factory=list)

    def feed(self, data: str) -> str:
        if data.strip() == "[DONE]":
            self.done = True
            return ""
        chunk = strict_json(data)
        if chunk.get("error"):
            raise ErrorResponse(str(chunk["error"]))
        shown = ""
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            text, thought = text_and_thoughts(delta.get("content"))
            shown += text
            self.refusal += delta.get("refusal") or ""
            self.thinking += delta.get("reasoning_content") or delta.get("reasoning") or thought
            self.pieces += map(_piece, delta.get("tool_calls") or ())
            self.finish = choice.get("finish_reason") or self.finish
        self.text += shown
        return shown

    def answer(self) -> Answer:
        if self.finish is None and not self.done:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        return _answer(self.text, self.refusal, self.thinking, self.join(self.pieces), self.finish)


def _piece(piece: Mapping[str, Any]) -> CallPiece:
    """A call, or a piece of one in a stream. Nothing is the same as an empty text."""
    function = piece.get("function") or {}
    arguments = function.get("arguments")
    return CallPiece(
        piece.get("index"),
        piece.get("id"),
        function.get("name") or "",
        "" if arguments is None else arguments,
        signature_of(piece),
    )


def _answer(text: str, refusal: str | None, thinking: str, calls: tuple[Call, ...], finish: str | None) -> Answer:
    kind: Finish = "withheld" if refusal else FINISH_REASONS.get(finish, "stop")
    thoughts = (Thought(thinking),) if thinking else ()
    return Answer(text or refusal or "", calls, thoughts, kind, finish)


def _messages(entry: Entry, request: CompletionRequest) -> list[dict[str, Any]]:
    if entry.role == "results":
        pictures = () if request.provider in NO_USER_AFTER_RESULT else of_results(entry)
        shown = [_user(prompts.RETURNED_PICTURES, pictures)] if pictures else []
        return [*(_result(result, request.provider) for result in entry.results), *shown]
    if entry.pictures:
        return [_user(entry.text, entry.pictures)]
    if entry.role != "model":
        return [{"role": entry.role, "content": entry.text}]
    message: dict[str, Any] = {"role": "assistant", "content": entry.text or None}
    if entry.calls:
        message["tool_calls"] = [_call(call, place, request) for place, call in enumerate(entry.calls)]
        message |= thought_fields(entry.thoughts, request.provider)
    return [message]


def _user(text: str, pictures: tuple[Part, ...]) -> dict[str, Any]:
    """Pictures stand in messages of the user: several models refuse or do not see them in those of tools."""
    return {"role": "user", "content": _parts(text, pictures)}


def _parts(text: str, pictures: tuple[Part, ...]) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": text}] if text.strip() else []
    urls = [f"data:{picture.media_type};base64,{picture.data}" for picture in pictures]
    return [*texts, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _result(result: Result, provider: str) -> dict[str, Any]:
    """Pictures stand in the result where no message of the user may follow it."""
    in_result = result.pictures and provider in NO_USER_AFTER_RESULT
    content: Any = _parts(result.text, result.pictures) if in_result else result.text
    if not content and provider in NO_EMPTY_TEXT:
        content = [{"type": "text", "text": ""}]
    call_id = provider_id(result.call_id, provider)
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def _call(call: Call, place: int, request: CompletionRequest) -> dict[str, Any]:
    arguments = json.dumps({} if call.arguments is None else call.arguments, ensure_ascii=False)
    function = {"name": request.names.get(call.name) or wire_name(call.name), "arguments": arguments}
    signature = signature_fields(call, place, request.provider, request.placeholder_signature)
    call_id = provider_id(call.id, request.provider)
    return {"id": call_id, "type": "function", "function": function, **signature}


def _tool_fields(offer: Offer, provider: str) -> dict[str, Any]:
    alone = provider in NO_NAMED_CHOICE and offer.forced not in (None, ANY)
    offered = [tool for tool in offer.declarations if not alone or tool.name == offer.forced]
    fields: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offered]}
    if offer.closing:
        fields["tool_choice"] = "none"
    elif offer.forced is not None:
        named = {"type": "function", "function": {"name": offer.forced}}
        fields["tool_choice"] = "required" if alone or offer.forced == ANY else named
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


THOUGHTS = {
    "deepseek": "reasoning_content",
    "moonshot": "reasoning_content",
    "llama.cpp": "reasoning_content",
    "ollama": "reasoning",
    "vllm": "reasoning",
    "openrouter": "reasoning",
    "cohere": "reasoning_content",
}
"""The field in which a provider accepts its model's thoughts. Others refuse it as unknown."""
NEEDS_THOUGHTS = frozenset({"deepseek"})
"""Providers that refuse calls without a thought. An empty one is accepted."""
NINE_CHARACTERS = re.compile("[A-Za-z0-9]{9}")
"""What Mistral takes as the id of a call."""
SHORT_IDS = frozenset({"mistral"})
NO_USER_AFTER_RESULT = frozenset({"mistral"})
"""Providers that refuse a user message right after a tool result."""
NO_EMPTY_TEXT = frozenset({"cohere"})
"""Providers for which an empty text is no content. An empty part is one."""
NEEDS_SIGNATURES = frozenset({"gemini", "vertex"})
NO_NAMED_CHOICE = frozenset({"lm-studio"})
"""Providers that refuse a tool's name in `tool_choice`. The tool is then the only one that is offered, and required."""


def provider_id(call_id: str | None, provider: str) -> str | None:
    """The id of a call, and of its result, in the form that the provider accepts: always the same for the same id."""
    if provider not in SHORT_IDS or call_id is None or NINE_CHARACTERS.fullmatch(call_id):
        return call_id
    return hashlib.sha256(call_id.encode()).hexdigest()[:9]


def thought_fields(thoughts: tuple[Thought, ...], provider: str) -> dict[str, str]:
    """The field of a message with calls for the thoughts before them."""
    member = THOUGHTS.get(provider)
    text = "".join(thought.text for thought in thoughts)
    return {member: text} if member and (text or provider in NEEDS_THOUGHTS) else {}


def signature_fields(call: Call, place: int, provider: str, placeholder_signature: str) -> dict[str, Any]:
    """Google's signature of the first call of an answer, or the documented one for calls without."""
    if provider not in NEEDS_SIGNATURES or (place and not call.signature):
        return {}
    return {"extra_content": {"google": {"thought_signature": call.signature or placeholder_signature}}}


def signature_of(call: Any) -> str | None:
    extra = call.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def with_reply_before_user(messages: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """The messages, with one of the model between a tool result and the user if the provider requires it."""
    if provider not in NO_USER_AFTER_RESULT:
        return messages
    placed: list[dict[str, Any]] = []
    for message in messages:
        if placed and message["role"] == "user" and placed[-1]["role"] == "tool":
            placed.append({"role": "assistant", "content": prompts.UNANSWERED})
        placed.append(message)
    return placed


def text_and_thoughts(content: Any) -> tuple[str, str]:
    """Text and thoughts of a content that is a string or a list of parts."""
    if not isinstance(content, list):
        return content or "", ""
    text = "".join(part["text"] for part in content if part["type"] == "text")
    thoughts = [piece for part in content if part["type"] == "thinking" for piece in part["thinking"]]
    return text, "".join(piece.get("text") or "" for piece in thoughts)


BY_PROVIDER = {"": OpenAIChat(), "cohere": OpenAIChat(takes_schema_beside_tools=False)}
