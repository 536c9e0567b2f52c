"""Gemini's `generateContent`, as the agent sends and reads it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import read_arguments, strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls, events, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Result, of_results
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

FINISH_REASONS: dict[str | None, Finish] = {None: "stop", "STOP": "stop", "MAX_TOKENS": "length"}
"""Each of the dozen others, and any that is new, says that the answer is not what the model wrote."""


class GeminiGenerate:
    name = "gemini-generate"
    frames = staticmethod(events)
    models = "/v1beta/models"

    def shapes_beside_tools(self, model: str) -> bool:
        """Before Gemini 3 a request with both is refused."""
        return "gemini-3" in model

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def encode(self, request: CompletionRequest) -> HttpRequest:
        system = "\n\n".join(entry.text for entry in request.history if entry.role == "system")
        body: dict[str, Any] = {
            "contents": [
                content for entry in request.history if entry.role != "system" for content in _contents(entry, request)
            ]
        }
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if request.offer is not None:
            body |= _tool_fields(request.offer)
        if request.schema is not None:
            shape = {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
            body["generationConfig"] = shape
        method = "streamGenerateContent?alt=sse" if request.stream else "generateContent"
        return HttpRequest(f"{self.models}/{request.model}:{method}", body, request.stream)

    def decode(self, body: Any) -> Answer:
        reader = ContentReader()
        reader.take(body)
        return reader.answer()

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return ContentReader()


@dataclass(slots=True)
class ContentReader:
    """Joins parts; a prompt that was blocked has no candidate at all."""

    text: str = ""
    signature: str | None = None
    finish: str | None = None
    calls: list[Call] = field(default_factory=list)

    def feed(self, data: str) -> str:
        return self.take(strict_json(data))

    def take(self, body: Any) -> str:
        if body.get("error"):
            raise ErrorResponse(str(body["error"]), int(body["error"]["code"]))
        self.finish = (body.get("promptFeedback") or {}).get("blockReason") or self.finish
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
        kind = FINISH_REASONS.get(self.finish, "withheld")
        return Answer(self.text, tuple(self.calls), (), kind, self.finish, self.signature)

    def _part(self, part: Mapping[str, Any]) -> str:
        signature = part.get("thoughtSignature")
        if "functionCall" in part:
            call = part["functionCall"]
            arguments, problem = read_arguments(call.get("args"))
            self.calls.append(Call(call.get("id"), call["name"], arguments, problem, signature))
            return ""
        if part.get("thought"):
            return ""  # the provider wants nothing of it back but the signatures
        self.signature = signature or self.signature
        return part.get("text") or ""


def _contents(entry: Entry, request: CompletionRequest) -> list[dict[str, Any]]:
    """One content; before Gemini 3 the pictures of results are a second one, since a response cannot hold them."""
    in_results = "gemini-3" in request.model
    parts: list[dict[str, Any]] = [_response(result, request.names, in_results) for result in entry.results]
    parts += [_blob(picture) for picture in entry.pictures]
    if entry.text.strip():
        text = {"text": entry.text}
        parts.append({**text, "thoughtSignature": entry.signature} if entry.signature else text)
    parts += _call_parts(entry.calls, request)
    content = {"role": "model" if entry.role == "model" else "user", "parts": parts}
    if in_results or not (pictures := of_results(entry)):
        return [content]
    shown = [{"text": prompts.RETURNED_PICTURES}, *map(_blob, pictures)]
    return [content, {"role": "user", "parts": shown}]


def _blob(picture: Part) -> dict[str, Any]:
    return {"inlineData": {"mimeType": picture.media_type, "data": picture.data}}


def _call_parts(calls: Iterable[Call], request: CompletionRequest) -> list[dict[str, Any]]:
    """The calls with their signatures. With Gemini 3 the first call of a message must have one."""
    parts = []
    for place, call in enumerate(calls):
        args = {} if call.arguments is None else call.arguments
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": _name(call.name, request.names), "args": args}}
        signature = call.signature or (
            request.placeholder_signature if place == 0 and "gemini-3" in request.model else ""
        )
        parts.append({**part, "thoughtSignature": signature} if signature else part)
    return parts


def _response(result: Result, names: Mapping[str, str], with_pictures: bool) -> dict[str, Any]:
    response: dict[str, Any] = {"response": {"error" if result.is_error else "result": result.text}}
    if with_pictures and result.pictures:
        response["parts"] = [_blob(picture) for picture in result.pictures]
    name = _name(result.name or "", names)
    return {"functionResponse": {"id": result.call_id, "name": name, **response}}


def _name(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or wire_name(name)


def _tool_fields(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {"tools": [{"functionDeclarations": [_tool(d) for d in offer.declarations]}]}
    if offer.closing:
        fields["toolConfig"] = {"functionCallingConfig": {"mode": "NONE"}}
    elif offer.forced is not None:
        named = {} if offer.forced == ANY else {"allowedFunctionNames": [offer.forced]}
        fields["toolConfig"] = {"functionCallingConfig": {"mode": "ANY", **named}}
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    """The schema goes into `parametersJsonSchema`: `parameters` accepts only a part of JSON Schema."""
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema}


class VertexGenerate(GeminiGenerate):
    models = "/v1beta1/projects/conformance/locations/global/publishers/google/models"

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}


BY_PROVIDER = {"": GeminiGenerate(), "vertex": VertexGenerate()}
