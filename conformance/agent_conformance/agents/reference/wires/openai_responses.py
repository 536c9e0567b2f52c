"""OpenAI's Responses without stored state: every request has the whole history."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import read_arguments, strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls, events, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Thought
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

FINISH_REASONS: dict[str | None, Finish] = {"max_output_tokens": "length", "content_filter": "withheld"}
REFUSALS = ("invalid_prompt", "context_length_exceeded")
"""The codes of errors that no further attempt helps against."""
SERVER_TOOLS: dict[str, dict[str, Any]] = {
    "web_search": {"type": "web_search"},
    "file_search": {"type": "file_search", "vector_store_ids": ["vs_1"]},
    "code_interpreter": {"type": "code_interpreter", "container": {"type": "auto"}},
    "image_generation": {"type": "image_generation"},
}
"""The provider's own tools, as they are declared."""
WITHOUT_REASONING = ("gpt-3", "gpt-4", "chatgpt")
"""Models without reasoning, which refuse a request for encrypted thoughts."""


class OpenAIResponses:
    name = "openai-responses"
    frames = staticmethod(events)

    def shapes_beside_tools(self, model: str) -> bool:
        return True

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        """Nothing is stored, so thoughts come encrypted and go back unchanged."""
        system = "\n\n".join(entry.text for entry in request.history if entry.role == "system")
        items = [item for entry in request.history for item in _items(entry, request.names, request.provider)]
        body: dict[str, Any] = {"model": request.model, "input": items, "store": False}
        if system:
            body["instructions"] = system
        if not request.model.startswith(WITHOUT_REASONING):
            body["include"] = ["reasoning.encrypted_content"]
        if request.stream:
            body["stream"] = True
        if request.offer is not None:
            body |= _tool_fields(request.offer)
        if request.server_tools:
            body["tools"] = [*body.get("tools", ()), *(SERVER_TOOLS[name] for name in request.server_tools)]
        if request.schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "answer", "schema": request.schema}}
        return HttpRequest("/responses", body, request.stream)

    def decode(self, body: Any) -> Answer:
        if body.get("error"):
            raise _error_response(body["error"])
        return _answer(body, body["output"])

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return ResponseReader()


@dataclass(slots=True)
class ResponseReader:
    """Passes text on as it comes and keeps complete items; the last event has the state of the response."""

    items: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    response: Mapping[str, Any] | None = None

    def feed(self, data: str) -> str:
        """`[DONE]`, which OpenRouter sends after the last event, has no content."""
        event = strict_json(data) if data != "[DONE]" else {}
        match event.get("type"):
            case "response.output_text.delta":
                return str(event["delta"])
            case "response.output_item.done":
                self.items[event["output_index"]] = event["item"]
            case "response.completed" | "response.incomplete":
                self.response = event["response"]
            case "error" | "response.failed":
                failed = event.get("response") or event
                raise _error_response(failed.get("error") or failed)
        return ""

    def answer(self) -> Answer:
        if self.response is None:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        return _answer(self.response or {}, [self.items[index] for index in sorted(self.items)])


def _answer(response: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> Answer:
    text, refusal, calls, thoughts = "", "", [], []
    listed = list(items)
    for item in listed:
        match item["type"]:
            case "message":
                text += "".join(part.get("text") or "" for part in item["content"])
                refusal += "".join(part.get("refusal") or "" for part in item["content"])
            case "function_call":
                arguments, problem = read_arguments(item.get("arguments"))
                calls.append(Call(item.get("call_id"), item["name"], arguments, problem))
            case "reasoning":
                parts = item.get("summary") or item.get("content") or ()
                summary = "\n".join(part["text"] for part in parts)
                thoughts.append(Thought(summary, item.get("encrypted_content")))
    reason = (response.get("incomplete_details") or {}).get("reason")
    own = any(item["type"] not in ("message", "function_call", "reasoning") for item in listed)
    kept = tuple(item for item in listed if item["type"] != "function_call") if own else ()
    kind: Finish = "withheld" if refusal else FINISH_REASONS.get(reason, "stop")
    return Answer(text or refusal, tuple(calls), tuple(thoughts), kind, reason, blocks=kept)


def _items(entry: Entry, names: Mapping[str, str], provider: str) -> Iterator[dict[str, Any]]:
    """Thoughts come before the text and the calls that followed them."""
    if entry.blocks:
        yield from (dict(item) for item in entry.blocks)
    elif entry.role == "model":
        yield from thought_items(entry.thoughts, provider, calls=bool(entry.calls))
    if entry.pictures:
        yield {"role": "user", "content": _parts(entry.text, entry.pictures)}
    elif entry.role in ("user", "model") and entry.text.strip() and not entry.blocks:
        # llama.cpp reads an answer only with its type, which may be left out elsewhere
        kind = {"type": "message"} if provider == "llama.cpp" else {}
        yield {**kind, "role": "assistant" if entry.role == "model" else "user", "content": entry.text}
    for call in entry.calls:
        name = names.get(call.name) or wire_name(call.name)
        arguments = json.dumps({} if call.arguments is None else call.arguments, ensure_ascii=False)
        yield {"type": "function_call", "call_id": call.id, "name": name, "arguments": arguments}
    for result in entry.results:
        output: Any = _parts(result.text, result.pictures) if result.pictures else result.text
        yield {"type": "function_call_output", "call_id": result.call_id, "output": output}


def _parts(text: str, pictures: tuple[Part, ...]) -> list[dict[str, Any]]:
    texts = [{"type": "input_text", "text": text}] if text.strip() else []
    urls = [f"data:{picture.media_type};base64,{picture.data}" for picture in pictures]
    return [*texts, *({"type": "input_image", "image_url": url} for url in urls)]


def _tool_fields(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offer.declarations]}
    if offer.closing:
        fields["tool_choice"] = "none"
    elif offer.forced is not None:
        named = {"type": "function", "name": offer.forced}
        fields["tool_choice"] = "required" if offer.forced == ANY else named
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    """Not strict: strict mode would change what is optional."""
    described = {"type": "function", "name": tool.name, "description": tool.description}
    return {**described, "parameters": tool.schema, "strict": False}


def _error_response(error: Mapping[str, Any]) -> ErrorResponse:
    return ErrorResponse(str(error), 400 if error["code"] in REFUSALS else 500)


PLAIN_THOUGHTS = frozenset({"deepseek", "llama.cpp", "vllm"})
"""Providers that do not encrypt thoughts. DeepSeek refuses calls without any; both accept an empty one."""


def thought_items(thoughts: tuple[Thought, ...], provider: str, *, calls: bool) -> list[dict[str, Any]]:
    """The items for the thoughts of one message. Other providers need an encrypted thought; one without is left out."""
    if provider in PLAIN_THOUGHTS:
        written = "".join(thought.text for thought in thoughts)
        part = {"type": "reasoning_text", "text": written}
        return [{"type": "reasoning", "summary": [], "content": [part]}] if written or calls else []
    return [_encrypted(thought) for thought in thoughts if thought.signature]


def _encrypted(thought: Thought) -> dict[str, Any]:
    summary = [{"type": "summary_text", "text": thought.text}] if thought.text else []
    return {"type": "reasoning", "summary": summary, "encrypted_content": thought.signature}


BY_PROVIDER = {"": OpenAIResponses()}
