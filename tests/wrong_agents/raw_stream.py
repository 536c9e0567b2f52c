"""A right agent that reads the events of chat completions itself, over a plain HTTP client, and shows text as it comes.

It knows the wire and the adapter's types; it must not know the laws, the fakes or the reference agent.
"""

import json
from collections.abc import Iterator
from typing import Any

import httpx2

from agent_conformance import AgentError, Message, Reply, Setup, Tool, ToolError

CLIENT = httpx2.Client(trust_env=False, timeout=30)
REQUESTS = 20
Call = dict[str, Any]


class Broken(Exception):
    """The stream ended before the answer did."""


class RawStream:
    wires = ("openai-chat",)
    modes = ("stream",)
    features = frozenset({"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"})

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.messages: list[dict[str, Any]] = [self.restored(message) for message in setup.history]
        self.text, self.finish = "", ""
        self.calls: list[Call] = []

    def send(self, message: str) -> Iterator[str]:
        self.messages.append({"role": "user", "content": message})
        for _ in range(self.setup.limits.requests or REQUESTS):
            yield from self.attempts()
            if self.finish == "length" and self.calls:
                self.give_up("the answer was cut off in a call")
            self.messages.append(self.message())
            if not self.calls:
                yield Reply(self.reply())
                return
            for call in self.calls:
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": self.result(call)})
        self.give_up("no answer at the limit of requests")

    def attempts(self) -> Iterator[str]:
        """Two, but none after text was shown."""
        for last in (False, True):
            try:
                yield from self.read()
                return
            except (Broken, httpx2.TransportError) as error:
                if last or self.text:
                    self.give_up(f"the stream broke off: {error}")

    def give_up(self, why: str) -> None:
        self.messages.append({"role": "assistant", "content": "(The turn failed.)"})
        raise AgentError(why)

    def read(self) -> Iterator[str]:
        self.begin()
        with CLIENT.stream("POST", self.setup.base_url + "/chat/completions", **self.request()) as response:
            if response.status_code != 200:
                response.read()
                self.give_up(f"{response.status_code} {response.text[:200]}")
            for data in self.events(response):
                if data == "[DONE]":
                    break
                yield from self.take(json.loads(data))
        self.end()

    def begin(self) -> None:
        self.text, self.finish, self.calls = "", "", []

    def end(self) -> None:
        if not self.finish:
            raise Broken("it has no finish reason")

    def events(self, response: httpx2.Response) -> Iterator[str]:
        """The data of each event: bytes may be cut anywhere, lines may end in three ways."""
        waiting = b""
        for piece in response.iter_bytes():
            *lines, waiting = (waiting + piece).replace(b"\r\n", b"\n").split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    yield line.removeprefix(b"data:").strip().decode()

    def take(self, chunk: dict[str, Any]) -> Iterator[str]:
        if "error" in chunk:
            raise Broken(str(chunk["error"]))
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            self.finish = choice.get("finish_reason") or self.finish
            for piece in self.pieces(delta):
                self.add(piece)
            if delta.get("content"):
                self.text += delta["content"]
                yield delta["content"]

    def pieces(self, delta: dict[str, Any]) -> list[dict[str, Any]]:
        return delta.get("tool_calls") or []

    def add(self, piece: dict[str, Any]) -> None:
        function = piece.get("function") or {}
        if self.is_new(piece):
            self.calls.append({"index": piece.get("index"), "id": piece.get("id"), "name": "", "arguments": ""})
        call = next((one for one in self.calls if one["index"] == piece.get("index")), self.calls[-1])
        call["name"] = call["name"] or function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""

    def is_new(self, piece: dict[str, Any]) -> bool:
        return not any(one["index"] == piece.get("index") for one in self.calls)

    def message(self) -> dict[str, Any]:
        calls = [
            {"id": one["id"], "type": "function", "function": {"name": one["name"], "arguments": one["arguments"]}}
            for one in self.calls
        ]
        return {"role": "assistant", "content": self.text or None, "tool_calls": calls} if calls else self.words()

    def words(self) -> dict[str, Any]:
        return {"role": "assistant", "content": self.text or "(no answer)"}

    def reply(self) -> str:
        if not self.text.strip():
            raise AgentError("the model gave no answer")
        return self.text

    def result(self, call: Call) -> str:
        tool = next((tool for tool in self.tools() if tool.name == call["name"]), None)
        if tool is None:
            return f"Error: there is no tool {call['name']}."
        try:
            arguments = json.loads(call["arguments"] or "{}")
            return Tool.text(tool.call(arguments)) if isinstance(arguments, dict) else "Error: no JSON object."
        except (ToolError, ValueError) as error:
            return f"Error: {error}"

    def request(self) -> dict[str, Any]:
        system = [{"role": "system", "content": self.setup.system}] if self.setup.system else []
        body: dict[str, Any] = {"model": self.setup.model, "messages": system + self.messages, "stream": True}
        if tools := self.tools():
            body["tools"] = [self.declaration(tool) for tool in tools]
        return {"json": body, "headers": {"authorization": f"Bearer {self.setup.api_key}"}}

    def declaration(self, tool: Tool) -> dict[str, Any]:
        function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        return {"type": "function", "function": function}

    def tools(self) -> list[Tool]:
        return [tool for tool in self.setup.tools if tool.enabled]

    def restored(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
            for call in message.tool_calls
        ]
        return {"role": message.role, "content": message.text or None, **({"tool_calls": calls} if calls else {})}
