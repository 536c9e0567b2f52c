"""A small right agent on five wires, for tests: each method is one thing that a wrong agent gets wrong.

It requests plain responses, keeps the model's own messages as they came, and answers every call.
"""

import json
from itertools import groupby
from typing import Any
from urllib.parse import quote

import httpx2

from agent_conformance import AgentError, Message, Setup, Tool, ToolError

CLIENT = httpx2.Client(trust_env=False, verify=False)


class GaveUp(AgentError):
    """The agent stops, and says so."""


class PlainAgent:
    wires = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate", "ollama-chat")
    modes = ("plain",)
    features = frozenset({"history", "conversation", "native-tools", "request-limit", "tool-filter", "observer"})
    errors = (GaveUp,)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.shape = SHAPES[setup.wire](setup)
        self.messages: list[dict[str, Any]] = []
        for role, run in groupby(setup.history, key=lambda message: message.role):
            self.restore(role, list(run))

    def restore(self, role: str, run: list[Message]) -> None:
        """Results that follow each other are those of one batch, and go back together."""
        if role == "tool":
            self.messages += self.shape.results([(m.tool_call_id, m.name or "", m.text) for m in run])
        else:
            self.messages += [restored for message in run for restored in self.shape.restored(message)]

    def send(self, message: str) -> Any:
        self.begin(message)
        for _ in range(self.most()):
            text, calls = self.ask()
            if not calls:
                return self.reply(text)
            self.report([name for _, name, _ in calls])
            self.answer([(id, name, self.run(name, arguments)) for id, name, arguments in calls])
        return "I stopped after too many rounds."

    def report(self, names: list[str]) -> None:
        if self.setup.observe is not None:
            self.setup.observe({"calls": names})

    def most(self) -> int:
        return self.setup.limits.requests or 10

    def begin(self, message: str) -> None:
        self.messages += self.shape.user(message)

    def reply(self, text: str) -> str:
        return text

    def tools(self) -> list[Tool]:
        return [tool for tool in self.setup.tools if tool.enabled]

    def body(self) -> dict[str, Any]:
        return self.shape.body(self.messages, self.tools())

    def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
        return self.take(self.post(self.body()))

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        if response.status_code != 200:
            raise GaveUp(f"{response.status_code} {response.text[:200]}")
        return response.json()

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        kept, text, calls = self.shape.read(response)
        self.messages += kept
        return text, calls

    def run(self, name: str, arguments: Any) -> str:
        tool = next((tool for tool in self.tools() if tool.name == name), None)
        if tool is None:
            return f"There is no tool {name}. There are: {', '.join(tool.name for tool in self.tools())}."
        if not isinstance(arguments, dict):
            return f"The arguments of {name} are no JSON object: {arguments}"
        try:
            return Tool.text(tool.call(arguments))
        except ToolError as error:
            return f"{name} failed: {error}"

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.messages += self.shape.results(results)


class Chat:
    path = "/chat/completions"

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.headers = {"authorization": f"Bearer {setup.api_key}"}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": text}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        restored: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.tool_calls:
            restored["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
                for call in message.tool_calls
            ]
        return [restored]

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        system = [{"role": "system", "content": self.setup.system}] if self.setup.system else []
        body: dict[str, Any] = {"model": self.setup.model, "messages": system + messages}
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in tools
            ]
        return body

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        message = response["choices"][0]["message"]
        kept = {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key) is not None}
        kept.setdefault("content", None if kept.get("tool_calls") else "")
        calls = []
        for call in message.get("tool_calls") or []:
            calls.append((call.get("id"), call["function"]["name"], loaded(call["function"]["arguments"])))
        return [kept], message.get("content") or "", calls

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        return [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in results]


class Items:
    """Nothing is stored at the provider: the items of every response are sent back as they came."""

    path = "/responses"

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.headers = {"authorization": f"Bearer {setup.api_key}"}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": text}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        if message.text or not message.tool_calls:
            items.append({"role": message.role, "content": message.text})
        for call in message.tool_calls:
            items.append({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text})
        return items

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.setup.model, "input": messages, "store": False}
        if self.setup.system:
            body["instructions"] = self.setup.system
        if tools:
            body["tools"] = [
                {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in tools
            ]
        return body

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        items = response["output"]
        parts = [part for item in items if item["type"] == "message" for part in item["content"]]
        calls = [
            (item["call_id"], item["name"], loaded(item["arguments"]))
            for item in items
            if item["type"] == "function_call"
        ]
        return items, "".join(part.get("text", "") for part in parts), calls

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        return [{"type": "function_call_output", "call_id": id, "output": text} for id, _, text in results]


class Messages:
    path = "/v1/messages"

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.headers = {"x-api-key": setup.api_key, "anthropic-version": "2023-06-01"}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": text}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
        for call in message.tool_calls:
            blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments or {})})
        return [{"role": message.role, "content": blocks}]

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.setup.model, "max_tokens": 1000, "messages": messages}
        if self.setup.system:
            body["system"] = self.setup.system
        if tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in tools
            ]
        return body

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        blocks = response["content"]
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        calls = [(block["id"], block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        return [{"role": "assistant", "content": blocks}] if blocks else [], text, calls

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        blocks = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, _, text in results]
        return [{"role": "user", "content": blocks}]


class Contents:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.path = f"/v1beta/models/{setup.model}:generateContent"
        self.headers = {"x-goog-api-key": setup.api_key}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "parts": [{"text": text}]}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = [{"text": message.text}] if message.text else []
        for call in message.tool_calls:
            parts.append({"functionCall": {"id": call.id, "name": call.name, "args": dict(call.arguments or {})}})
        return [{"role": "model" if message.role == "assistant" else "user", "parts": parts}]

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        body: dict[str, Any] = {"contents": messages}
        if self.setup.system:
            body["systemInstruction"] = {"parts": [{"text": self.setup.system}]}
        if tools:
            declarations = [
                {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
                for tool in tools
            ]
            body["tools"] = [{"functionDeclarations": declarations}]
        return body

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        content = response["candidates"][0].get("content") or {}
        parts = content.get("parts") or []
        text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        kept = [{"role": "model", "parts": parts}] if parts else []
        return kept, text, [(call.get("id"), call["name"], call.get("args") or {}) for call in calls]

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        parts = []
        for id, name, text in results:
            answered = {"name": name, "response": {"result": text}}
            parts.append({"functionResponse": {**answered, "id": id} if id else answered})
        return [{"role": "user", "parts": parts}]


class Lines:
    path = "/api/chat"

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.headers: dict[str, str] = {}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": text}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        restored: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.tool_calls:
            restored["tool_calls"] = [
                {"id": call.id, "function": {"name": call.name, "arguments": dict(call.arguments or {})}}
                for call in message.tool_calls
            ]
        return [restored]

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        return Chat.body(self, messages, tools) | {"stream": False}  # type: ignore[arg-type]

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        message = response["message"]
        calls = [
            (call.get("id"), call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or []
        ]
        return [message], message["content"], calls

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        return [{"role": "tool", "tool_call_id": id, "tool_name": name, "content": text} for id, name, text in results]


class Plans(Chat):
    """Cohere's: a text before calls is a plan, and is sent back as one."""

    path = "/v2/chat"

    def restored(self, message: Message) -> list[dict[str, Any]]:
        [restored] = super().restored(message)
        if message.tool_calls and (text := restored.pop("content")):
            restored["tool_plan"] = text
        return [restored]

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        message = response["message"]
        text = message.get("tool_plan") or "".join(block.get("text", "") for block in message.get("content") or [])
        calls = [
            (call["id"], call["function"]["name"], loaded(call["function"]["arguments"]))
            for call in message.get("tool_calls") or []
        ]
        return [message] if len(message) > 1 else [], text, calls


class Blocks:
    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.path = f"/model/{quote(setup.model, safe='')}/converse"
        self.headers = {"authorization": f"Bearer {setup.api_key}"}

    def user(self, text: str) -> list[dict[str, Any]]:
        return [{"role": "user", "content": [{"text": text}]}]

    def restored(self, message: Message) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = [{"text": message.text}] if message.text else []
        for call in message.tool_calls:
            use = {"toolUseId": call.id, "name": call.name, "input": dict(call.arguments or {})}
            blocks.append({"toolUse": use})
        return [{"role": message.role, "content": blocks}]

    def body(self, messages: list[dict[str, Any]], tools: list[Tool]) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": messages}
        if self.setup.system:
            body["system"] = [{"text": self.setup.system}]
        if tools:
            specs = [
                {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters}}
                for tool in tools
            ]
            body["toolConfig"] = {"tools": [{"toolSpec": spec} for spec in specs]}
        return body

    def read(self, response: dict[str, Any]) -> tuple[list[dict[str, Any]], str, list[tuple[Any, str, Any]]]:
        blocks = response["output"]["message"]["content"]
        uses = [block["toolUse"] for block in blocks if "toolUse" in block]
        kept = [{"role": "assistant", "content": blocks}] if blocks else []
        text = "".join(block.get("text", "") for block in blocks)
        return kept, text, [(use["toolUseId"], use["name"], use["input"]) for use in uses]

    def results(self, results: list[tuple[Any, str, str]]) -> list[dict[str, Any]]:
        blocks = [{"toolResult": {"toolUseId": id, "content": [{"text": text}]}} for id, _, text in results]
        return [{"role": "user", "content": blocks}]


SHAPES: dict[str, Any] = {
    "openai-chat": Chat,
    "openai-responses": Items,
    "anthropic-messages": Messages,
    "gemini-generate": Contents,
    "ollama-chat": Lines,
    "bedrock-converse": Blocks,
    "cohere-chat": Plans,
}


def loaded(text: str) -> Any:
    """The arguments, or the text itself where it is no JSON."""
    try:
        return json.loads(text) if text.strip() else {}
    except ValueError:
        return text
