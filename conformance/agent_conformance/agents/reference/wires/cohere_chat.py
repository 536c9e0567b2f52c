"""Cohere's chat. Knows the wire's shapes; repairs no history."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import strict_json
from agent_conformance.agents.reference.call_pieces import CallPiece, JoinCalls, events, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Thought, of_results
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

FAILED = ("ERROR", "TIMEOUT")
"""Finish reasons of an answer that is none."""


class CohereChat:
    name = "cohere-chat"
    frames = staticmethod(events)

    def shapes_beside_tools(self, model: str) -> bool:
        """A `response_format` is refused beside tools."""
        return False

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        messages = [message for entry in request.history for message in _messages(entry, request.names)]
        body: dict[str, Any] = {"model": request.model, "messages": messages}
        if request.stream:
            body["stream"] = True
        if request.offer is not None:
            body |= _tool_fields(request.offer)
        if request.schema is not None:
            body["response_format"] = {"type": "json_object", "json_schema": request.schema}
        return HttpRequest("/v2/chat", body, request.stream)

    def decode(self, body: Any) -> Answer:
        reader = EventReader()
        message = body["message"]
        for block in message.get("content") or ():
            reader.take_block(block)
        reader.text = (message.get("tool_plan") or "") + reader.text
        reader.pieces += (_piece(call, index) for index, call in enumerate(message.get("tool_calls") or ()))
        reader.end(body)
        return reader.answer()

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return EventReader(join)


@dataclass(slots=True)
class EventReader:
    """Joins events. A plan is text before calls."""

    join: JoinCalls = join_calls
    text: str = ""
    thinking: str = ""
    reason: str = ""
    pieces: list[CallPiece] = field(default_factory=list)

    def feed(self, data: str) -> str:
        if data.strip() == "[DONE]":
            return ""
        event = strict_json(data)
        delta = event.get("delta") or {}
        if event.get("type") == "message-end":
            self.end(delta)
            return ""
        message: Any = delta.get("message")
        if event.get("type") in ("content-start", "content-delta"):
            return self.take_block(message["content"])
        if event.get("type") == "tool-plan-delta":
            return self.take_block({"text": message["tool_plan"]})
        if event.get("type") in ("tool-call-start", "tool-call-delta"):
            self.pieces.append(_piece(message["tool_calls"], event["index"]))
        return ""

    def take_block(self, block: Mapping[str, Any]) -> str:
        """The text of a block or of a piece of one."""
        shown = str(block.get("text") or "")
        self.text += shown
        self.thinking += block.get("thinking") or ""
        return shown

    def end(self, ending: Mapping[str, Any]) -> None:
        self.reason = ending["finish_reason"]
        if self.reason in FAILED:
            raise ErrorResponse(f"{self.reason}: {ending.get('error')}")

    def answer(self) -> Answer:
        if not self.reason:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        thoughts = (Thought(self.thinking),) if self.thinking else ()
        finish: Finish = "length" if self.reason == "MAX_TOKENS" else "stop"
        return Answer(self.text, self.join(self.pieces), thoughts, finish, self.reason)


def _piece(call: Mapping[str, Any], index: int | None) -> CallPiece:
    function = call["function"]
    return CallPiece(index, call.get("id"), function.get("name") or "", function.get("arguments") or "")


def _messages(entry: Entry, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if entry.role == "results":
        pictures = of_results(entry)
        shown = [_user(prompts.RETURNED_PICTURES, pictures)] if pictures else []
        # An empty text is no content; an empty block is one.
        return [
            *(
                {
                    "role": "tool",
                    "tool_call_id": result.call_id or "",
                    "content": result.text or [{"type": "text", "text": ""}],
                }
                for result in entry.results
            ),
            *shown,
        ]
    if entry.pictures:
        return [_user(entry.text, entry.pictures)]
    if entry.role != "model":
        return [{"role": entry.role, "content": entry.text}]
    # A text may not stand beside calls, and not every model takes it as a plan.
    said = [{"role": "assistant", "content": entry.text}] if entry.text or not entry.calls else []
    calls = [_call(call, names) for call in entry.calls]
    return [*said, *([{"role": "assistant", "tool_calls": calls}] if calls else [])]


def _user(text: str, pictures: tuple[Part, ...]) -> dict[str, Any]:
    texts = [{"type": "text", "text": text}] if text.strip() else []
    urls = [f"data:{picture.media_type};base64,{picture.data}" for picture in pictures]
    return {"role": "user", "content": [*texts, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]}


def _call(call: Call, names: Mapping[str, str]) -> dict[str, Any]:
    arguments = json.dumps({} if call.arguments is None else call.arguments, ensure_ascii=False)
    function = {"name": names.get(call.name) or wire_name(call.name), "arguments": arguments}
    return {"id": call.id or "", "type": "function", "function": function}


def _tool_fields(offer: Offer) -> dict[str, Any]:
    """No tool can be named: one that is forced is the only one that is offered."""
    alone = offer.forced not in (None, ANY)
    offered = [tool for tool in offer.declarations if not alone or tool.name == offer.forced]
    fields: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offered]}
    if offer.closing:
        fields["tool_choice"] = "NONE"
    elif offer.forced is not None:
        fields["tool_choice"] = "REQUIRED"
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


BY_PROVIDER = {"": CohereChat()}
