"""Gemini's generateContent. Knows the wire's shapes; mends nothing."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.agents.reference.arguments import read_arguments
from conformance.agents.reference.finishes import Answer, Finish
from conformance.agents.reference.names import wire_name
from conformance.agents.reference.sse import events
from conformance.agents.reference.tools import Declaration, Offer
from conformance.agents.reference.turns import Call, Result, Thought, Turn
from conformance.agents.reference.wires.wire import Asking, Reader, Refused, Request

WITHHELD = ("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")
MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")
FINISHES: dict[str, Finish] = {
    "MAX_TOKENS": "length",
    **dict.fromkeys(WITHHELD, "withheld"),
    **dict.fromkeys(MALFORMED, "malformed"),
}


class GeminiGenerate:
    name = "gemini-generate"
    frames = staticmethod(events)
    models = "/v1beta/models"

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def encode(self, asking: Asking) -> Request:
        system = "\n\n".join(turn.text for turn in asking.turns if turn.role == "system")
        body: dict[str, Any] = {"contents": [_content(turn, asking) for turn in asking.turns if turn.role != "system"]}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if asking.offer is not None:
            body |= _tool_fields(asking.offer)
        method = "streamGenerateContent?alt=sse" if asking.stream else "generateContent"
        return Request(f"{self.models}/{asking.model}:{method}", body, asking.stream)

    def decode(self, body: Any) -> Answer:
        reader = ContentReader()
        reader.take(body)
        return reader.answer()

    def reader(self) -> Reader:
        return ContentReader()


@dataclass(slots=True)
class ContentReader:
    """Puts parts together; a prompt that was blocked has no candidate at all."""

    text: str = ""
    thinking: str = ""
    signature: str | None = None
    finish: str | None = None
    calls: list[Call] = field(default_factory=list)

    def feed(self, data: str) -> str:
        return self.take(json.loads(data))

    def take(self, body: Any) -> str:
        if isinstance(body, list):
            return "".join(self.take(one) for one in body)
        if body.get("error"):
            raise Refused(str(body["error"].get("message")), int(body["error"].get("code") or 500))
        blocked = (body.get("promptFeedback") or {}).get("blockReason")
        if blocked:
            self.finish = "SAFETY"
        shown = ""
        for candidate in body.get("candidates") or ():
            for part in (candidate.get("content") or {}).get("parts") or ():
                shown += self._part(part)
            self.finish = candidate.get("finishReason") or self.finish
        self.text += shown
        return shown

    def answer(self) -> Answer:
        if self.finish is None:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        thoughts = (Thought(self.thinking),) if self.thinking else ()
        kind = FINISHES.get(self.finish or "", "stop")
        return Answer(self.text, tuple(self.calls), thoughts, kind, self.finish or "", self.signature)

    def _part(self, part: Mapping[str, Any]) -> str:
        signature = part.get("thoughtSignature")
        if "functionCall" in part:
            call = part["functionCall"]
            arguments, problem = read_arguments(call.get("args"))
            self.calls.append(Call(call.get("id"), call["name"], arguments, problem, signature))
            return ""
        if part.get("thought"):
            self.thinking += part.get("text") or ""
            return ""
        self.signature = signature or self.signature
        return part.get("text") or ""


def _content(turn: Turn, asking: Asking) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [_response(result, asking.names) for result in turn.results]
    if turn.text.strip():
        text = {"text": turn.text}
        parts.append({**text, "thoughtSignature": turn.signature} if turn.signature else text)
    parts += _call_parts(turn.calls, asking)
    return {"role": "model" if turn.role == "model" else "user", "parts": parts}


def _call_parts(calls: Iterable[Call], asking: Asking) -> list[dict[str, Any]]:
    """The calls with their signatures. The first of a turn must have one with Gemini 3; its siblings need none."""
    parts = []
    for place, call in enumerate(calls):
        args = {} if call.arguments is None else call.arguments
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": _name(call.name, asking.names), "args": args}}
        signature = call.signature or (asking.unsigned if place == 0 and "gemini-3" in asking.model else "")
        parts.append({**part, "thoughtSignature": signature} if signature else part)
    return parts


def _response(result: Result, names: Mapping[str, str]) -> dict[str, Any]:
    response = {"error" if result.is_error else "result": result.text}
    name = _name(result.name or "unknown", names)
    return {"functionResponse": {"id": result.call_id, "name": name, "response": response}}


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or wire_name(name)


def _tool_fields(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {"tools": [{"functionDeclarations": [_tool(d) for d in offer.declarations]}]}
    if offer.closing:
        fields["toolConfig"] = {"functionCallingConfig": {"mode": "NONE"}}
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    """The schema goes into `parametersJsonSchema`: `parameters` takes only a part of JSON Schema."""
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema}
