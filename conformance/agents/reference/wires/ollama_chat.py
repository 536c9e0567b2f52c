"""Ollama's chat. Knows the wire's shapes; mends nothing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.agents.reference.arguments import read_arguments
from conformance.agents.reference.finishes import Answer, Finish
from conformance.agents.reference.names import wire_name
from conformance.agents.reference.ndjson import lines
from conformance.agents.reference.tools import Declaration, Offer
from conformance.agents.reference.turns import Call, Thought, Turn
from conformance.agents.reference.wires.wire import Asking, Reader, Refused, Request


class OllamaChat:
    name = "ollama-chat"
    frames = staticmethod(lines)

    def headers(self, key: str) -> Mapping[str, str]:
        """A local server asks for no key; Ollama's cloud does."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def encode(self, asking: Asking) -> Request:
        """`stream` is always said: Ollama streams where nothing is."""
        messages = [message for turn in asking.turns for message in _messages(turn, asking.names)]
        body: dict[str, Any] = {"model": asking.model, "messages": messages, "stream": asking.stream}
        if asking.offer is not None and not _has_last_word(asking, asking.offer):
            body["tools"] = [_tool(declaration) for declaration in asking.offer.declarations]
        return Request("/api/chat", body, asking.stream)

    def decode(self, body: Any) -> Answer:
        reader = LineReader()
        reader.take(body)
        return reader.answer()

    def reader(self) -> Reader:
        return LineReader()


@dataclass(slots=True)
class LineReader:
    """Puts lines together; each call comes whole, in any line, the last one included."""

    text: str = ""
    thinking: str = ""
    reason: str = ""
    done: bool = False
    calls: list[Call] = field(default_factory=list)

    def feed(self, data: str) -> str:
        return self.take(json.loads(data))

    def take(self, line: Mapping[str, Any]) -> str:
        if line.get("error"):
            raise Refused(str(line["error"]))
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


def _has_last_word(asking: Asking, offer: Offer) -> bool:
    """Whether tools are held back: there is no `tool_choice` to say that none may be called any more."""
    return offer.closing and asking.turns[-1].role == "results"


def _messages(turn: Turn, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if turn.role == "results":
        return [
            {
                "role": "tool",
                "tool_call_id": result.call_id or "",
                "tool_name": _name(result.name or "unknown", names),
                "content": result.text,
            }
            for result in turn.results
        ]
    if turn.role != "model":
        return [{"role": turn.role, "content": turn.text}]
    message: dict[str, Any] = {"role": "assistant", "content": turn.text}
    if turn.calls:
        message["tool_calls"] = [_call(call, names) for call in turn.calls]
        if thinking := "".join(thought.text for thought in turn.thoughts):
            message["thinking"] = thinking
    return [message]


def _call(call: Call, names: Mapping[str, str]) -> dict[str, Any]:
    arguments = {} if call.arguments is None else dict(call.arguments)
    return {"id": call.id or "", "function": {"name": _name(call.name, names), "arguments": arguments}}


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or wire_name(name)


def _tool(tool: Declaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}
