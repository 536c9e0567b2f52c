"""A client of each wire, of as few lines as a conversation with one tool needs. It sends without a socket."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fake_providers import Request
from fake_providers.provider_facts import own_provider
from fake_providers.serving.scripted_fake import ScriptedFake

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FIXED = {**SCHEMA, "additionalProperties": False}
HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "x-goog-api-key": "k", "anthropic-version": "2023-06-01"}


@dataclass(frozen=True, slots=True)
class Said:
    """What the model replied: its text, the names of its calls, and the wire's own word for the end."""

    status: int
    text: str = ""
    calls: tuple[str, ...] = ()
    finish: str = ""
    error: str = ""


@dataclass
class SmallClient:
    """A conversation with `fake`. `ask` and `answer_call` send; what the model says becomes part of the history.

    Of a `stream` only the text of the body is read.
    """

    fake: ScriptedFake
    tools: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    history: list[Any] = field(default_factory=list)
    key: str = "k"
    stream: bool = False

    def ask(self, text: str) -> Said:
        self.history += WIRES[self.fake.wire.name].user(text)
        return self.send()

    def answer_call(self, text: str) -> Said:
        """The result of the last call."""
        self.history += WIRES[self.fake.wire.name].result(self.history[-1], text)
        return self.send()

    def send(self) -> Said:
        """The history as it is, once more; only a first reply to it becomes part of it."""
        wire = WIRES[self.fake.wire.name]
        headers = {name: value.replace("k", self.key) if value[-1] == "k" else value for name, value in HEADERS.items()}
        body = {**wire.body(self.history, self.tools), **self.options}
        path = wire.path
        if self.stream and self.fake.wire.name == "gemini-generate":
            path = path.replace(":generateContent", ":streamGenerateContent?alt=sse")
        elif self.stream and self.fake.wire.name == "bedrock-converse":
            path += "-stream"
        elif self.stream:
            body["stream"] = True
        response = self.fake.handle(Request("POST", path, headers, json.dumps(body).encode()))
        if response.status != 200:
            return Said(response.status, error=response.body.decode())
        if self.stream:
            return Said(200, response.body.decode(errors="replace"))
        said, message = wire.read(json.loads(response.body))
        self.history += message
        return said


@dataclass(frozen=True, slots=True)
class _Wire:
    path: str
    body: Callable[[list[Any], tuple[str, ...]], dict[str, Any]]
    user: Callable[[str], list[Any]]
    result: Callable[[Any, str], list[Any]]
    read: Callable[[Any], tuple[Said, list[Any]]]


def _named(tools: tuple[str, ...], **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, "description": "d", **fields} for name in tools]


def _chat_body(history: list[Any], tools: tuple[str, ...]) -> dict[str, Any]:
    functions = [{"type": "function", "function": one} for one in _named(tools, parameters=SCHEMA)]
    return {"model": "gpt-4.1", "messages": history, **({"tools": functions} if tools else {})}


def _read_chat(answer: Any) -> tuple[Said, list[Any]]:
    choice = answer["choices"][0]
    message = choice["message"]
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    return Said(200, message["content"] or "", calls, choice["finish_reason"]), [message]


def _read_responses(answer: Any) -> tuple[Said, list[Any]]:
    calls = tuple(item["name"] for item in answer["output"] if item["type"] == "function_call")
    messages = [item for item in answer["output"] if item["type"] == "message"]
    text = "".join(part["text"] for item in messages for part in item["content"])
    return Said(200, text, calls, answer["status"]), answer["output"]


def _read_anthropic(answer: Any) -> tuple[Said, list[Any]]:
    text = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
    calls = tuple(block["name"] for block in answer["content"] if block["type"] == "tool_use")
    return Said(200, text, calls, answer["stop_reason"]), [{"role": "assistant", "content": answer["content"]}]


def _anthropic_result(message: Any, text: str) -> list[Any]:
    call = next(block for block in message["content"] if block["type"] == "tool_use")
    return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": text}]}]


def _read_gemini(answer: Any) -> tuple[Said, list[Any]]:
    candidate = answer["candidates"][0]
    parts = candidate["content"]["parts"]
    text = "".join(part.get("text", "") for part in parts)
    calls = tuple(part["functionCall"]["name"] for part in parts if "functionCall" in part)
    return Said(200, text, calls, candidate["finishReason"]), [candidate["content"]]


def _gemini_result(content: Any, text: str) -> list[Any]:
    call = next(part["functionCall"] for part in content["parts"] if "functionCall" in part)
    answer = {"name": call["name"], "response": {"output": text}, **({"id": call["id"]} if "id" in call else {})}
    return [{"role": "user", "parts": [{"functionResponse": answer}]}]


def _read_ollama(answer: Any) -> tuple[Said, list[Any]]:
    message = answer["message"]
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    return Said(200, message["content"], calls, answer["done_reason"]), [message]


def _read_converse(answer: Any) -> tuple[Said, list[Any]]:
    message = answer["output"]["message"]
    text = "".join(block.get("text", "") for block in message["content"])
    calls = tuple(block["toolUse"]["name"] for block in message["content"] if "toolUse" in block)
    return Said(200, text, calls, answer["stopReason"]), [message]


def _converse_result(message: Any, text: str) -> list[Any]:
    use = next(block["toolUse"] for block in message["content"] if "toolUse" in block)
    return [{"role": "user", "content": [{"toolResult": {"toolUseId": use["toolUseId"], "content": [{"text": text}]}}]}]


def _converse_tools(tools: tuple[str, ...]) -> dict[str, Any]:
    specs = [{"toolSpec": one} for one in _named(tools, inputSchema={"json": SCHEMA})]
    return {"toolConfig": {"tools": specs}} if specs else {}


def _read_cohere(answer: Any) -> tuple[Said, list[Any]]:
    message = answer["message"]
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    text = "".join(block.get("text", "") for block in message.get("content") or ())
    return Said(200, text, calls, answer["finish_reason"]), [message]


def _text_message(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


WIRES = {
    "openai-chat": _Wire(
        "/v1/chat/completions",
        _chat_body,
        _text_message,
        lambda message, text: [{"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": text}],
        _read_chat,
    ),
    "openai-responses": _Wire(
        "/v1/responses",
        lambda history, tools: {
            "model": "gpt-4.1",
            "input": history,
            "store": False,
            "tools": _named(tools, type="function", parameters=SCHEMA),
        },
        _text_message,
        lambda item, text: [{"type": "function_call_output", "call_id": item["call_id"], "output": text}],
        _read_responses,
    ),
    "anthropic-messages": _Wire(
        "/v1/messages",
        lambda history, tools: {
            "model": "claude-sonnet-4-6",
            "max_tokens": 100,
            "messages": history,
            "tools": _named(tools, input_schema=SCHEMA),
        },
        _text_message,
        _anthropic_result,
        _read_anthropic,
    ),
    "gemini-generate": _Wire(
        "/v1beta/models/gemini-2.5-flash:generateContent",
        lambda history, tools: {
            "contents": history,
            **({"tools": [{"functionDeclarations": _named(tools, parametersJsonSchema=SCHEMA)}]} if tools else {}),
        },
        lambda text: [{"role": "user", "parts": [{"text": text}]}],
        _gemini_result,
        _read_gemini,
    ),
    "ollama-chat": _Wire(
        "/api/chat",
        lambda history, tools: {
            "model": "qwen3",
            "stream": False,
            "messages": history,
            "tools": [{"type": "function", "function": one} for one in _named(tools, parameters=SCHEMA)],
        },
        _text_message,
        lambda message, text: [
            {"role": "tool", "tool_name": message["tool_calls"][0]["function"]["name"], "content": text}
        ],
        _read_ollama,
    ),
    "bedrock-converse": _Wire(
        "/model/us.anthropic.claude-sonnet-4-6/converse",
        lambda history, tools: {"messages": history, **_converse_tools(tools)},
        lambda text: [{"role": "user", "content": [{"text": text}]}],
        _converse_result,
        _read_converse,
    ),
    "cohere-chat": _Wire(
        "/v2/chat",
        lambda history, tools: {**_chat_body(history, tools), "model": "command-a-03-2025"},
        _text_message,
        lambda message, text: [{"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": text}],
        _read_cohere,
    ),
}


def client_of(wire: str, replies: Any = None, **fields: Any) -> SmallClient:
    return SmallClient(ScriptedFake(own_provider(wire), replies, wire=wire), **fields)
