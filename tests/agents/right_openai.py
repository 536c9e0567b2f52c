"""A right agent around the official `openai` SDK: synchronous, without streams, from the vendor's documentation.

It knows the chat completions guide on function calling and the adapter's types; it must not know the laws or the fakes.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from agent_conformance import AgentError, Message, Setup, Tool, ToolCall, ToolError
from tests.agents.restoring import in_pairs

PATTERN = re.compile(r"[^a-zA-Z0-9_-]")
"""What the API reference does not allow in a function's name, which has at most 64 characters."""

REQUESTS = 20


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain",)
    features = frozenset({"history", "conversation", "native-tools", "request-limit", "tool-filter"})

    def __init__(self, setup: Setup) -> None:
        from openai import OpenAI

        self.client = OpenAI(base_url=setup.base_url, api_key=setup.api_key)
        self.model = setup.model
        self.limit = setup.limits.requests or REQUESTS
        self.names = api_names(setup.tools)
        self.tools = {self.names[tool.name]: tool for tool in setup.tools}
        self.messages: list[dict[str, Any]] = []
        if setup.system:
            self.messages.append({"role": "system", "content": setup.system})
        self.messages.extend(self.restored(message) for message in in_pairs(setup.history))

    def send(self, message: str) -> str:
        from openai import OpenAIError

        self.messages.append({"role": "user", "content": message})
        try:
            return self.run()
        except OpenAIError as error:
            raise AgentError(f"The provider failed: {error}") from error

    def close(self) -> None:
        self.client.close()

    def run(self) -> str:
        for _ in range(self.limit):
            tools = [definition(name, tool) for name, tool in self.tools.items() if tool.enabled]
            options = {"tools": tools} if tools else {}
            completion = self.client.chat.completions.create(model=self.model, messages=self.messages, **options)
            choice = completion.choices[0]
            if not choice.message.tool_calls:
                return self.answer(choice.message)
            cut_off = choice.finish_reason in ("length", "content_filter")
            results = [self.result(call, cut_off=cut_off) for call in choice.message.tool_calls]
            self.messages.append(sendable(choice.message))
            self.messages.extend(results)
        raise AgentError(f"No answer within {self.limit} requests.")

    def answer(self, message: Any) -> str:
        text = message.content or message.refusal or ""
        if not text.strip():
            raise AgentError("The model ended its turn without an answer.")
        self.messages.append({"role": "assistant", "content": text})
        return text

    def result(self, call: Any, *, cut_off: bool) -> dict[str, Any]:
        text = CUT_OFF if cut_off else self.execute(call.function.name, call.function.arguments)
        return {"role": "tool", "tool_call_id": call.id, "content": text}

    def execute(self, name: str, arguments_text: str) -> str:
        tool = self.tools.get(name)
        if tool is None or not tool.enabled:
            known = ", ".join(name for name, tool in self.tools.items() if tool.enabled)
            return f"Error: there is no tool named {name}. Available tools: {known or 'none'}."
        try:
            arguments = json.loads(arguments_text or "{}")
        except json.JSONDecodeError as error:
            return f"Error: the arguments are not valid JSON: {error}. Please call {name} again."
        if not isinstance(arguments, dict):
            return f"Error: the arguments must be a JSON object. Please call {name} again."
        try:
            return Tool.text(tool.call(arguments))
        except ToolError as error:
            return f"Error: {name} failed: {error}"

    def restored(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        if not message.tool_calls:
            return {"role": message.role, "content": message.text}
        calls = [self.restored_call(call) for call in message.tool_calls]
        return {"role": "assistant", "content": message.text or None, "tool_calls": calls}

    def restored_call(self, call: ToolCall) -> dict[str, Any]:
        function = {"name": self.names.get(call.name, PATTERN.sub("_", call.name)), "arguments": call.text}
        return {"id": call.id, "type": "function", "function": function}


CUT_OFF = "Error: your message was cut off at the output limit, so this call did not run. Call again, more briefly."


def sendable(message: Any) -> dict[str, Any]:
    """The model's message as the API takes it back: it may call a name that the API does not allow."""
    dumped: dict[str, Any] = message.model_dump(exclude_none=True)
    for call in dumped["tool_calls"]:
        call["function"]["name"] = PATTERN.sub("_", call["function"]["name"])[:64] or "unnamed"
    return dumped


def definition(name: str, tool: Tool) -> dict[str, Any]:
    function = {"name": name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def api_names(tools: tuple[Tool, ...]) -> dict[str, str]:
    """From each tool's own name to one that the API accepts and that no other tool has."""
    names: dict[str, str] = {}
    for tool in tools:
        names[tool.name] = next(name for name in candidates(tool.name) if name not in names.values())
    return names


def candidates(name: str) -> Iterator[str]:
    base = PATTERN.sub("_", name)
    yield base[:64]
    for number in range(2, 1000):
        yield f"{base[:60]}_{number}"
