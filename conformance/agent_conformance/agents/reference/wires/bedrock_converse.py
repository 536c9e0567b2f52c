"""Amazon Bedrock's Converse, signed by botocore where it is installed, else with a bearer key."""

# mypy: disable-error-code="import-untyped"
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.answers import Answer, Finish
from agent_conformance.agents.reference.arguments import read_arguments, strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls, frames, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.tools import ANY, Declaration, Offer, wire_name
from agent_conformance.agents.reference.wires import CompletionRequest, ErrorResponse, HttpRequest, Reader

FINISH_REASONS: dict[str, Finish] = {"": "stop", "end_turn": "stop", "tool_use": "stop", "max_tokens": "length"}
"""Any other reason says that the answer is not what the model wrote: a filter, a guardrail, malformed output."""
REFUSAL = "validationException"
"""The exception in a stream that no further attempt helps against."""

NO_TOOL = {
    "tools": [
        {
            "toolSpec": {
                "name": "no_tool",
                "description": "No tool can be called now. Answer in words.",
                "inputSchema": {"json": {"type": "object", "properties": {}}},
            }
        }
    ]
}
"""Where calls are in the history, a request without any tool is refused, and no `toolChoice` forbids further calls."""
NO_WORDS_BESIDE_CALLS = ("meta.llama", "mistral.")
NO_WORDS_BESIDE_RESULTS = (*NO_WORDS_BESIDE_CALLS, "writer.")
"""By what the model's name has. An ARN may hide it."""


class BedrockConverse:
    name = "bedrock-converse"
    frames = staticmethod(frames)

    def shapes_beside_tools(self, model: str) -> bool:
        return True

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        return {"authorization": f"Bearer {key}"} if find_spec("botocore") is None else _signed(key, url, content)

    def encode(self, request: CompletionRequest) -> HttpRequest:
        systems = [{"text": entry.text} for entry in request.history if entry.role == "system" and entry.text.strip()]
        messages = _apart(
            [_message(entry, request.names) for entry in request.history if entry.role != "system"], request.model
        )
        body: dict[str, Any] = {"messages": messages}
        if systems:
            body["system"] = systems
        has_calls = any(entry.calls or entry.results for entry in request.history)
        if request.offer is not None and not request.offer.forbidden and (has_calls or not request.offer.closing):
            body["toolConfig"] = _tool_config(request.offer)
        elif has_calls:
            body["toolConfig"] = NO_TOOL
        if request.schema is not None:
            schema = {"name": "answer", "schema": json.dumps(request.schema)}
            body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": schema}}}
        method = "converse-stream" if request.stream else "converse"
        return HttpRequest(f"/model/{quote(request.model, safe='')}/{method}", body, request.stream)

    def decode(self, body: Any) -> Answer:
        return _answer(body["output"]["message"]["content"], body["stopReason"])

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        return BlockReader()


def _signed(key: str, url: str, content: bytes) -> Mapping[str, str]:
    """A signature (SigV4) with this key as both of Amazon's; its import is slow, and only this wire needs it."""
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    request = AWSRequest("POST", url, {}, content)
    SigV4Auth(Credentials(key, key), "bedrock", "us-east-1").add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


@dataclass(slots=True)
class BlockReader:
    """Joins the blocks of one answer, each of them by its index. The input of a call is a text until the end."""

    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    stop_reason: str = ""

    def feed(self, data: str) -> str:
        name, event = next(iter(strict_json(data).items()))
        match name:
            case "contentBlockStart":
                self.blocks[event["contentBlockIndex"]] = {"toolUse": {**event["start"]["toolUse"], "input": ""}}
            case "contentBlockDelta":
                return self._delta(self.blocks.setdefault(event["contentBlockIndex"], {}), event["delta"])
            case "messageStop":
                self.stop_reason = event["stopReason"]
            case _ if name.endswith("Exception"):
                raise ErrorResponse(str(event), 400 if name == REFUSAL else 500)
        return ""

    def answer(self) -> Answer:
        if not self.stop_reason:
            raise ValueError("the stream broke off")
        return self.so_far()

    def so_far(self) -> Answer:
        return _answer([self.blocks[index] for index in sorted(self.blocks)], self.stop_reason)

    def _delta(self, block: dict[str, Any], delta: Mapping[str, Any]) -> str:
        if "text" in delta:
            block["text"] = block.get("text", "") + delta["text"]
            return str(delta["text"])
        if "toolUse" in delta:
            block["toolUse"]["input"] += delta["toolUse"]["input"]
        if "reasoningContent" in delta:
            thought = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
            thought["text"] += delta["reasoningContent"].get("text", "")
            thought |= {name: value for name, value in delta["reasoningContent"].items() if name == "signature"}
        return ""


def _answer(blocks: list[dict[str, Any]], stop_reason: str) -> Answer:
    text, calls, thoughts = "", [], []
    for block in blocks:
        if "text" in block:
            text += block["text"]
        elif "toolUse" in block:
            use = block["toolUse"]
            # A call without arguments streams none at all.
            arguments, problem = read_arguments({} if use["input"] == "" else use["input"])
            calls.append(Call(use.get("toolUseId"), use["name"], arguments, problem))
        elif "reasoningContent" in block:
            thought = block["reasoningContent"].get("reasoningText") or {}
            thoughts.append(Thought(thought.get("text", ""), thought.get("signature")))
    finish = FINISH_REASONS.get(stop_reason, "withheld")
    return Answer(text, tuple(calls), tuple(thoughts), finish, stop_reason)


def _message(entry: Entry, names: Mapping[str, str]) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if entry.role == "model":
        signed = (thought for thought in entry.thoughts if thought.signature)
        content += [
            {"reasoningContent": {"reasoningText": {"text": thought.text, "signature": thought.signature}}}
            for thought in signed
        ]
    content += [_result(result) for result in entry.results]
    content += [_picture(picture) for result in entry.results if result.is_error for picture in result.pictures]
    content += [_picture(picture) for picture in entry.pictures]
    if entry.text.strip():
        content.append({"text": entry.text})
    for call in entry.calls:
        name = names.get(call.name) or wire_name(call.name)
        arguments = {} if call.arguments is None else call.arguments
        content.append({"toolUse": {"toolUseId": call.id, "name": name, "input": arguments}})
    return {"role": "assistant" if entry.role == "model" else "user", "content": content}


def _apart(messages: list[dict[str, Any]], model: str) -> list[dict[str, Any]]:
    """The messages as this model takes them: some have calls, results and words in turns of their own."""
    bare_calls = any(name in model for name in NO_WORDS_BESIDE_CALLS)
    bare_results = any(name in model for name in NO_WORDS_BESIDE_RESULTS)
    apart: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        if bare_calls and any("toolUse" in block for block in content):
            content = [block for block in content if "text" not in block]
        if bare_results and message["role"] == "user" and apart and "toolResult" in apart[-1]["content"][0]:
            apart.append({"role": "assistant", "content": [{"text": prompts.UNANSWERED}]})
        apart.append({**message, "content": content})
    return apart


def _result(result: Result) -> dict[str, Any]:
    """A failed result has text alone: its pictures stand after the results."""
    pictures = () if result.is_error else result.pictures
    texts = [{"text": result.text}] if result.text.strip() or not pictures else []
    status = {"status": "error"} if result.is_error else {}
    return {"toolResult": {"toolUseId": result.call_id, "content": [*texts, *map(_picture, pictures)], **status}}


def _picture(picture: Part) -> dict[str, Any]:
    return {"image": {"format": picture.media_type.partition("/")[2], "source": {"bytes": picture.data}}}


def _tool_config(offer: Offer) -> dict[str, Any]:
    config: dict[str, Any] = {"tools": [_tool(declaration) for declaration in offer.declarations]}
    if offer.forced is not None:
        config["toolChoice"] = {"any": {}} if offer.forced == ANY else {"tool": {"name": offer.forced}}
    return config


def _tool(tool: Declaration) -> dict[str, Any]:
    """An empty description is refused."""
    described = {"description": tool.description} if tool.description else {}
    return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": tool.schema}}}


BY_PROVIDER = {"": BedrockConverse()}
