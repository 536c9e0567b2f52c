"""A right agent around the official `anthropic` SDK: an async generator over streams, written from the documentation.

It knows the guides on tool use and on streaming, and the adapter's types; it must not know the laws or the fakes.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from agent_conformance import AgentError, Message, Reply, Setup, Tool, ToolError
from tests.agents.restoring import in_pairs

MAX_TOKENS = 4096
TURNS = 20


class GaveUpError(Exception):
    """The agent stopped without an answer: its documented failure."""


@dataclass
class Turn:
    """One message of the model as it arrives: finished content blocks, the text of tool inputs, and why it stopped."""

    content: list[dict[str, Any]] = field(default_factory=list)
    inputs: dict[int, str] = field(default_factory=dict)
    stop_reason: str | None = None

    @property
    def text(self) -> str:
        return "".join(block["text"] for block in self.content if block["type"] == "text")


class Adapter:
    wires = ("anthropic-messages",)
    modes = ("stream",)
    features = frozenset({"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"})
    errors = (GaveUpError,)

    def __init__(self, setup: Setup) -> None:
        from anthropic import AsyncAnthropic

        self.client = AsyncAnthropic(base_url=setup.base_url, api_key=setup.api_key)
        self.model = setup.model
        self.turns = setup.limits.requests or TURNS
        self.toolbox = Toolbox(setup.tools)
        conversation = [message for message in setup.history if message.role != "system"]
        system = [setup.system, *(message.text for message in setup.history if message.role == "system")]
        self.system = "\n\n".join(text for text in system if text)
        self.messages = together([self.to_param(message) for message in in_pairs(conversation)])

    async def send(self, message: str) -> AsyncIterator[str]:
        from anthropic import AnthropicError
        from httpx2 import HTTPError

        self.messages.append({"role": "user", "content": message})
        try:
            for _ in range(self.turns):
                turn = Turn()
                async for delta in self.ask(turn):
                    yield delta
                if await self.finish(turn):
                    yield Reply(turn.text)
                    return
        except (AnthropicError, HTTPError) as error:
            raise AgentError(f"Claude cannot be reached: {error}") from error
        raise GaveUpError(f"still calling tools after {self.turns} turns")

    async def close(self) -> None:
        await self.client.close()

    async def ask(self, turn: Turn) -> AsyncIterator[str]:
        options: dict[str, Any] = {"system": self.system} if self.system else {}
        if tools := self.toolbox.params():
            options["tools"] = tools
        stream = await self.client.messages.create(
            model=self.model, max_tokens=MAX_TOKENS, messages=self.messages, stream=True, **options
        )
        async with stream:
            async for event in stream:
                if event.type == "content_block_start":
                    turn.content.append(event.content_block.model_dump(exclude_none=True))
                elif event.type == "content_block_delta":
                    if text := absorb(turn, event.index, event.delta):
                        yield text
                elif event.type == "message_delta":
                    turn.stop_reason = event.delta.stop_reason
        if turn.stop_reason is None:
            raise GaveUpError("the stream ended before the message did")

    async def finish(self, turn: Turn) -> bool:
        """Whether the turn was the answer; if not, its calls have been answered."""
        calls = [(i, block) for i, block in enumerate(turn.content) if block["type"] == "tool_use"]
        if not calls and not turn.text.strip():
            raise GaveUpError(f"Claude stopped without an answer ({turn.stop_reason})")
        results = await asyncio.gather(*(self.answer(block, turn, i) for i, block in calls))
        content = [block for block in turn.content if block["type"] != "text" or block["text"].strip()]
        for _, block in calls:
            block["name"] = clean(block["name"])
        self.messages.append({"role": "assistant", "content": content})
        if results:
            self.messages.append({"role": "user", "content": results})
        return not calls

    async def answer(self, block: dict[str, Any], turn: Turn, index: int) -> dict[str, Any]:
        text = turn.inputs.get(index, "")
        try:
            block["input"] = json.loads(text) if text.strip() else {}
            if not isinstance(block["input"], dict):
                raise ValueError("not an object")
        except ValueError as error:
            block["input"] = {"INVALID_JSON": text}
            output, failed = f"Error: the input was not a valid JSON object ({error}).", True
        else:
            if turn.stop_reason == "max_tokens":
                output, failed = "Error: the message was cut off at max_tokens, so this tool was not run.", True
            else:
                output, failed = await self.toolbox.run(block["name"], block["input"])
        return {"type": "tool_result", "tool_use_id": block["id"], "content": output, "is_error": failed}

    def to_param(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.tool_call_id}
            block |= {"content": message.text, "is_error": message.is_error}
            return {"role": "user", "content": [block]}
        content: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text.strip() else []
        for call in message.tool_calls:
            name = self.toolbox.sent.get(call.name, clean(call.name))
            content.append({"type": "tool_use", "id": call.id, "name": name, "input": dict(call.arguments or {})})
        return {"role": message.role, "content": content}


def together(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All results of one turn in one user message, as the guide on parallel tool use demands."""
    joined: list[dict[str, Any]] = []
    for message in messages:
        if joined and _is_results(message) and _is_results(joined[-1]):
            joined[-1]["content"] += message["content"]
        else:
            joined.append(message)
    return joined


def _is_results(message: dict[str, Any]) -> bool:
    return bool(message["content"]) and all(block["type"] == "tool_result" for block in message["content"])


def absorb(turn: Turn, index: int, delta: Any) -> str:
    """Add one delta to its block; returns the text that the user may see of it."""
    block = turn.content[index]
    match delta.type:
        case "text_delta":
            block["text"] += delta.text
            return str(delta.text)
        case "input_json_delta":
            turn.inputs[index] = turn.inputs.get(index, "") + delta.partial_json
        case "thinking_delta":
            block["thinking"] += delta.thinking
        case "signature_delta":
            block["signature"] = delta.signature
    return ""


def clean(name: str) -> str:
    """A name in the pattern that the tool use guide demands."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:128]


class Toolbox:
    """The tools under the names that the API accepts."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.sent: dict[str, str] = {}
        self.tools: dict[str, Tool] = {}
        for tool in tools:
            name = clean(tool.name)
            while name in self.tools:
                name = f"{name[:126]}_2"
            self.sent[tool.name] = name
            self.tools[name] = tool

    def params(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for name, tool in self.tools.items()
            if tool.enabled
        ]

    async def run(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """The result and whether it is an error."""
        tool = self.tools.get(name)
        if tool is None or not tool.enabled:
            names = ", ".join(name for name, tool in self.tools.items() if tool.enabled) or "none"
            return f"Error: no tool is called {name}. The tools are: {names}.", True
        try:
            return Tool.text(await tool.acall(arguments)), False
        except ToolError as error:
            return f"Error: {error}", True
