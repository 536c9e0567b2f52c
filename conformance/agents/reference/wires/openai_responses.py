"""OpenAI's Responses, with nothing left to the provider: every request says all of it. Mends nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.agents.reference.arguments import read_arguments
from conformance.agents.reference.finishes import Answer, Finish
from conformance.agents.reference.names import wire_name
from conformance.agents.reference.sse import events
from conformance.agents.reference.tools import Declaration, Offer
from conformance.agents.reference.turns import Call, Thought, Turn
from conformance.agents.reference.wires.responses_providers import thoughts_back
from conformance.agents.reference.wires.wire import Asking, Reader, Refused, Request

FINISHES: dict[str, Finish] = {"max_output_tokens": "length", "content_filter": "withheld"}
STATUSES = {"rate_limit_exceeded": 429, "invalid_prompt": 400, "context_length_exceeded": 400}
WITHOUT_REASONING = ("gpt-3", "gpt-4", "chatgpt")
"""Models that have no thoughts to seal, and refuse to be asked for them."""


class OpenAIResponses:
    name = "openai-responses"
    frames = staticmethod(events)

    def headers(self, key: str) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"}

    def encode(self, asking: Asking) -> Request:
        """Nothing is stored, so thoughts come sealed and go back as they came."""
        system = "\n\n".join(turn.text for turn in asking.turns if turn.role == "system")
        items = [item for turn in asking.turns for item in _items(turn, asking.names, asking.provider)]
        body: dict[str, Any] = {"model": asking.model, "input": items, "store": False}
        if system:
            body["instructions"] = system
        if not asking.model.startswith(WITHOUT_REASONING):
            body["include"] = ["reasoning.encrypted_content"]
        if asking.stream:
            body["stream"] = True
        if asking.offer is not None:
            body |= _tool_fields(asking.offer)
        return Request("/responses", body, asking.stream)

    def decode(self, body: Any) -> Answer:
        if body.get("error"):
            raise _refused(body["error"])
        return _answer(body, body["output"])

    def reader(self) -> Reader:
        return ResponseReader()


@dataclass(slots=True)
class ResponseReader:
    """Shows text as it comes and keeps whole items; what the response is in the end, its last event says."""

    items: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    response: Mapping[str, Any] | None = None

    def feed(self, data: str) -> str:
        """`[DONE]`, which OpenRouter sends behind the last event, says nothing."""
        event = json.loads(data) if data != "[DONE]" else {}
        match event.get("type"):
            case "response.output_text.delta":
                return str(event["delta"])
            case "response.output_item.done":
                self.items[event["output_index"]] = event["item"]
            case "response.completed" | "response.incomplete":
                self.response = event["response"]
            case "response.failed":
                raise _refused(event["response"].get("error"))
            case "error":
                raise _refused(event.get("error") or event)
        return ""

    def answer(self) -> Answer:
        if self.response is None:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        return _answer(self.response or {}, [self.items[index] for index in sorted(self.items)])


def _answer(response: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> Answer:
    text, refusal, calls, thoughts = "", "", [], []
    for item in items:
        match item["type"]:
            case "message":
                text += "".join(part.get("text") or "" for part in item["content"])
                refusal += "".join(part.get("refusal") or "" for part in item["content"])
            case "function_call":
                arguments, problem = read_arguments(item.get("arguments"))
                calls.append(Call(item.get("call_id"), item["name"], arguments, problem))
            case "reasoning":
                parts = item.get("summary") or item.get("content") or ()
                said = "\n".join(part.get("text") or "" for part in parts)
                thoughts.append(Thought(said, item.get("encrypted_content")))
    reason = (response.get("incomplete_details") or {}).get("reason") or ""
    kind: Finish = "withheld" if refusal else FINISHES.get(reason, "stop")
    return Answer(text or refusal, tuple(calls), tuple(thoughts), kind, reason or str(response.get("status")))


def _items(turn: Turn, names: Mapping[str, str], provider: str) -> Iterator[dict[str, Any]]:
    """Thoughts before what they led to."""
    if turn.role == "model":
        yield from thoughts_back(turn.thoughts, provider, calls=bool(turn.calls))
    if turn.role in ("user", "model") and turn.text.strip():
        yield {"role": "assistant" if turn.role == "model" else "user", "content": turn.text}
    for call in turn.calls:
        name = names.get(call.name) or wire_name(call.name)
        arguments = json.dumps({} if call.arguments is None else call.arguments, ensure_ascii=False)
        yield {"type": "function_call", "call_id": call.id, "name": name, "arguments": arguments}
    for result in turn.results:
        yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}


def _tool_fields(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offer.declarations]}
    if offer.closing:
        fields["tool_choice"] = "none"
    return fields


def _tool(tool: Declaration) -> dict[str, Any]:
    """Not strict: strict mode would change what is optional."""
    described = {"type": "function", "name": tool.name, "description": tool.description}
    return {**described, "parameters": tool.schema, "strict": False}


def _refused(error: Any) -> Refused:
    told = error if isinstance(error, Mapping) else {"message": error}
    return Refused(str(told.get("message") or told), STATUSES.get(str(told.get("code")), 500))
