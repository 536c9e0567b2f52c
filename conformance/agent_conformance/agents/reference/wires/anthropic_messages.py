"""Anthropic's Messages, as the agent sends and reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import read_arguments, strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls, events, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

MAX_TOKENS = 4096
FINISH_REASONS: dict[str | None, Finish] = {
    None: "stop",
    "end_turn": "stop",
    "tool_use": "stop",
    "max_tokens": "length",
    "pause_turn": "paused",
}
"""Any other reason says that the answer is not what the model wrote: a refusal, or a window that was full amid it."""
SERVER_TOOLS = {"web_search": {"type": "web_search_20250305", "name": "web_search"}}
"""The provider's own tools, as they are declared."""
UNSIGNED = ("ollama",)
"""Whose thoughts have no signature, and are read without one (ollama/ollama, anthropic/anthropic.go)."""
REFUSAL = "invalid_request_error"
"""The type of an error in a stream that no further attempt helps against."""


class AnthropicMessages:
    name = "anthropic-messages"
    frames = staticmethod(events)

    def shapes_beside_tools(self, model: str) -> bool:
        return True

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"x-api-key": key, "anthropic-version": "2023-06-01"}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        system = "\n\n".join(entry.text for entry in request.history if entry.role == "system")
        unsigned = request.provider in UNSIGNED
        messages = [_message(entry, request.names, unsigned) for entry in request.history if entry.role != "system"]
        body: dict[str, Any] = {"model": request.model, "max_tokens": MAX_TOKENS, "messages": messages}
        if system:
            body["system"] = system
        if request.stream:
            body["stream"] = True
        if request.offer is not None:
            body |= _tool_fields(request.offer)
        if request.schema is not None:
            body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        if request.server_tools:
            body["tools"] = [*body.get("tools", ()), *(SERVER_TOOLS[name] for name in request.server_tools)]
        return HttpRequest("/v1/messages", body, request.stream)

    def decode(self, body: Any) -> Answer:
        if body.get("type") == "error":
            raise _error_response(body)
        return _answer(body["content"], {}, body.get("stop_reason"))

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return MessageReader()


@dataclass(slots=True)
class MessageReader:
    """Joins content blocks; `inputs` has the text of tool inputs until a block is complete."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    inputs: dict[int, str] = field(default_factory=dict)
    stop_reason: str | None = None
    done: bool = False

    def feed(self, data: str) -> str:
        event = strict_json(data)
        match event.get("type"):
            case "content_block_start":
                self.blocks[event["index"]] = dict(event["content_block"])
                return str(event["content_block"].get("text") or "")
            case "content_block_delta":
                return self._delta(event["index"], event["delta"])
            case "message_delta":
                self.stop_reason = event["delta"].get("stop_reason") or self.stop_reason
            case "message_stop":
                self.done = True
            case "error":
                raise _error_response(event)
        return ""

    def answer(self) -> Answer:
        if not self.done:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        order = sorted(self.blocks)
        inputs = {place: self.inputs[index] for place, index in enumerate(order) if index in self.inputs}
        for index in order:
            if self.blocks[index]["type"] == "server_tool_use":
                self.blocks[index]["input"] = strict_json(self.inputs.get(index) or "{}")
        return _answer([self.blocks[index] for index in order], inputs, self.stop_reason)

    def _delta(self, index: int, delta: Mapping[str, Any]) -> str:
        block = self.blocks[index]
        match delta["type"]:
            case "text_delta":
                block["text"] += delta["text"]
                return str(delta["text"])
            case "input_json_delta":
                self.inputs[index] = self.inputs.get(index, "") + delta["partial_json"]
            case "thinking_delta":
                block["thinking"] += delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
        return ""


def _answer(blocks: list[dict[str, Any]], inputs: Mapping[int, str], stop_reason: str | None) -> Answer:
    text, calls, thoughts = "", [], []
    for place, block in enumerate(blocks):
        match block["type"]:
            case "text":
                text += block["text"]
            case "tool_use":
                arguments_text = inputs[place] if inputs.get(place) else block.get("input")
                arguments, problem = read_arguments(arguments_text)
                calls.append(Call(block.get("id"), block["name"], arguments, problem))
            case "thinking":
                thoughts.append(Thought(block["thinking"], block.get("signature")))
    finish = FINISH_REASONS.get(stop_reason, "withheld")
    own = any(block["type"] == "server_tool_use" or "tool_use_id" in block for block in blocks)
    kept = tuple(blocks) if own else ()
    return Answer(text, tuple(calls), tuple(thoughts), finish, stop_reason, blocks=kept)


def _message(entry: Entry, names: Mapping[str, str], unsigned: bool) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if entry.blocks:
        content += [dict(block) for block in entry.blocks if block["type"] != "tool_use"]
    elif entry.role == "model":
        content += [block for thought in entry.thoughts if (block := _thinking(thought, unsigned))]
    content += [_result(result) for result in entry.results]
    content += [_picture(picture) for result in entry.results if result.is_error for picture in result.pictures]
    content += [_picture(picture) for picture in entry.pictures]
    if entry.text.strip() and not entry.blocks:
        content.append({"type": "text", "text": entry.text.rstrip() if entry.role == "model" else entry.text})
    for call in entry.calls:
        name = names.get(call.name) or wire_name(call.name)
        arguments_text = {} if call.arguments is None else call.arguments
        content.append({"type": "tool_use", "id": call.id, "name": name, "input": arguments_text})
    return {"role": "assistant" if entry.role == "model" else "user", "content": content}


def _thinking(thought: Thought, unsigned: bool) -> dict[str, Any] | None:
    """A thought as it came; one without a signature would be refused where thoughts are signed, and is left out."""
    if not thought.signature:
        return {"type": "thinking", "thinking": thought.text} if unsigned and thought.text else None
    return {"type": "thinking", "thinking": thought.text, "signature": thought.signature}


def _result(result: Result) -> dict[str, Any]:
    """A failed result may have text alone: its pictures stand after the results."""
    block = {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
    if result.is_error:
        return {**block, "is_error": True}
    if result.pictures:
        texts = [{"type": "text", "text": result.text}] if result.text.strip() else []
        return {**block, "content": [*texts, *map(_picture, result.pictures)]}
    return block


def _picture(picture: Part) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": picture.media_type, "data": picture.data}}


def _tool_fields(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offer.declarations]}
    if offer.closing:
        fields["tool_choice"] = {"type": "none"}
    elif offer.forced is not None:
        named = {"type": "tool", "name": offer.forced}
        fields["tool_choice"] = {"type": "any"} if offer.forced == ANY else named
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def _error_response(event: Mapping[str, Any]) -> ErrorResponse:
    error = event["error"]
    return ErrorResponse(str(error), 400 if error["type"] == REFUSAL else 500)


class VertexMessages(AnthropicMessages):
    """The same on Vertex AI: the model is in the path, and the version of the API in the body."""

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        whole = super().encode(request)
        body = {name: value for name, value in whole.body.items() if name != "model"}
        path = "/v1/projects/conformance/locations/global/publishers/anthropic/models"
        verb = "streamRawPredict" if request.stream else "rawPredict"
        version = {"anthropic_version": "vertex-2023-10-16"}
        return HttpRequest(f"{path}/{request.model}:{verb}", {**version, **body}, request.stream)


BY_PROVIDER = {"": AnthropicMessages(), "vertex": VertexMessages()}
