"""Ollama's chat, as the agent sends and reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import read_arguments, strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls, join_calls, lines
from agent_conformance.agents.reference.history import Call, Entry, Thought
from agent_conformance.agents.reference.tools import Declaration, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader


class OllamaChat:
    name = "ollama-chat"
    frames = staticmethod(lines)

    def shapes_beside_tools(self, model: str) -> bool:
        """With a `format` the model writes nothing else: it cannot call."""
        return False

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        """A local server needs no key; Ollama's cloud does."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        """`stream` is always sent: without it Ollama streams. Without `num_ctx` it keeps a few thousand tokens, and
        drops the beginning of what is longer without a word."""
        messages = [message for entry in request.history for message in _messages(entry, request.names)]
        body: dict[str, Any] = {"model": request.model, "messages": messages, "stream": request.stream}
        if request.offer is not None and not request.offer.closing:  # no `tool_choice` could forbid further calls
            body["tools"] = [_tool(declaration) for declaration in request.offer.declarations]
        if request.window is not None:
            body["options"] = {"num_ctx": request.window}
        if request.schema is not None:
            body["format"] = request.schema
        return HttpRequest("/api/chat", body, request.stream)

    def decode(self, body: Any) -> Answer:
        reader = LineReader()
        reader.take(body)
        return reader.answer()

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return LineReader()


@dataclass(slots=True)
class LineReader:
    """Joins lines; each call comes complete, in any line, also in the last one."""

    text: str = ""
    thinking: str = ""
    reason: str = ""
    done: bool = False
    calls: list[Call] = field(default_factory=list)

    def feed(self, data: str) -> str:
        return self.take(strict_json(data))

    def take(self, line: Mapping[str, Any]) -> str:
        if line.get("error"):
            raise ErrorResponse(str(line["error"]))
        message = line.get("message") or {}
        shown = str(message.get("content") or "")
        self.text += shown
        self.thinking += message.get("thinking") or ""
        for call in message.get("tool_calls") or ():
            arguments, problem = read_arguments(call["function"].get("arguments"))
            self.calls.append(Call(call.get("id") or None, call["function"]["name"], arguments, problem))
        self.done = self.done or bool(line.get("done"))
        self.reason = line.get("done_reason") or self.reason
        return shown

    def answer(self) -> Answer:
        if not self.done:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        thoughts = (Thought(self.thinking),) if self.thinking else ()
        finish: Finish = "length" if self.reason == "length" else "stop"
        return Answer(self.text, tuple(self.calls), thoughts, finish, self.reason)


def _messages(entry: Entry, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if entry.role == "results":
        return [
            {
                "role": "tool",
                "tool_call_id": result.call_id or "",
                "tool_name": _name(result.name or "", names),
                "content": result.text,
                **_images(result.pictures),
            }
            for result in entry.results
        ]
    if entry.role != "model":
        return [{"role": entry.role, "content": entry.text, **_images(entry.pictures)}]
    message: dict[str, Any] = {"role": "assistant", "content": entry.text}
    if entry.calls:
        message["tool_calls"] = [_call(call, names) for call in entry.calls]
        if thinking := "".join(thought.text for thought in entry.thoughts):
            message["thinking"] = thinking
    return [message]


def _images(pictures: tuple[Part, ...]) -> dict[str, Any]:
    return {"images": [picture.data for picture in pictures]} if pictures else {}


def _call(call: Call, names: Mapping[str, str]) -> dict[str, Any]:
    arguments = {} if call.arguments is None else dict(call.arguments)
    return {"id": call.id or "", "function": {"name": _name(call.name, names), "arguments": arguments}}


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or wire_name(name)


def _tool(tool: Declaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


BY_PROVIDER = {"": OllamaChat()}
