"""The OpenAI SDK's own tool loop, `AsyncResponsesToolRunner`, used as its docstrings show.

It knows the runner and the adapter's types; it must not know the laws or the fakes.
"""

import asyncio
from collections.abc import AsyncIterator
from itertools import takewhile, zip_longest
from typing import Any

from agent_conformance import AgentError, Message, Reply, Setup, Tool


class Adapter:
    wires = ("openai-responses",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"})

    def __init__(self, setup: Setup) -> None:
        from openai import AsyncOpenAI

        self.setup = setup
        self.client = AsyncOpenAI(base_url=setup.base_url, api_key=setup.api_key)
        self.input: list[Any] = [item for message in setup.history for item in items_of(message)]
        self.results: list[str] = []

    async def send(self, message: str) -> AsyncIterator[str]:
        from openai import OpenAIError
        from openai.lib.responses_tool_runner import ToolRunnerError

        self.input.append({"role": "user", "content": message})
        deltas: asyncio.Queue[str | None] = asyncio.Queue()
        running = asyncio.create_task(self.run(deltas))
        running.add_done_callback(lambda _: deltas.put_nowait(None))
        while (delta := await deltas.get()) is not None:
            yield delta
        try:
            yield Reply(await running)
        except (OpenAIError, ToolRunnerError) as error:
            raise AgentError(f"the SDK gave up: {error}") from error

    async def run(self, deltas: asyncio.Queue[str | None]) -> str:
        from openai.lib.responses_tool_runner import AsyncResponsesToolRunner

        async def show(event: Any) -> None:
            if event.type == "response.output_text.delta":
                deltas.put_nowait(event.delta)

        runner = AsyncResponsesToolRunner(functions=[self.registered(t) for t in self.setup.tools if t.enabled])
        params: Any = {"model": self.setup.model, "input": list(self.input)}
        if self.setup.system:
            params["instructions"] = self.setup.system
        requests, stream = self.setup.limits.requests, self.setup.stream
        text = ""
        try:
            async for turn in runner.iterate(self.client, params, max_steps=requests, stream=stream, on_event=show):
                self.settle()
                self.input += [sendable(item) for item in turn.response.output]
                text = turn.response.output_text
        finally:
            self.settle()
        return text

    def settle(self) -> None:
        """Keep the results of the calls of the last answer, in their order: the runner runs one after the other."""
        calls = [*takewhile(lambda item: item.get("type") == "function_call", reversed(self.input))]
        for call, result in zip_longest(reversed(calls), self.results[: len(calls)], fillvalue="not done"):
            self.input.append({"type": "function_call_output", "call_id": call["call_id"], "output": result})
        self.results = []

    def registered(self, tool: Tool) -> Any:
        from openai.lib.responses_tool_runner import AsyncRegisteredFunction

        async def execute(arguments: dict[str, object]) -> str:
            self.results.append(Tool.text(await tool.acall(arguments)))
            return self.results[-1]

        declared: Any = {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
            "strict": False,
        }
        return AsyncRegisteredFunction(declared, execute)

    async def close(self) -> None:
        await self.client.close()


def sendable(item: Any) -> dict[str, Any]:
    """The item as the SDK itself sends it back: what it has parsed out of it is its own, and the API refuses it."""
    own = getattr(item, "__api_exclude__", None)
    dumped: dict[str, Any] = item.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude=own)
    return dumped


def items_of(message: Message) -> list[Any]:
    if message.role == "tool":
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.text}]
    message_items = [{"role": message.role, "content": message.text}] if message.text or not message.tool_calls else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text}
        for call in message.tool_calls
    ]
    return [*message_items, *calls]
