"""The OpenAI Agents SDK as an adapter: `pip install pytest-agent-conformance[openai-agents]`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from agents import (
    Agent,
    FunctionTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException
from openai import AsyncOpenAI, OpenAIError

from agent_conformance import CannotRestore, Message, Reply, Setup, Tool

TURNS = 20


class Adapter:
    wires = ("openai-chat", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset(
        {"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "restart", "cancel"}
    )
    errors = (AgentsException, OpenAIError)

    def __init__(self, setup: Setup) -> None:
        set_tracing_disabled(True)
        self.client = AsyncOpenAI(base_url=setup.base_url, api_key=setup.api_key)
        model = OpenAIChatCompletionsModel if setup.wire == "openai-chat" else OpenAIResponsesModel
        self.agent = Agent(
            name="Assistant",
            instructions=setup.system or None,
            model=model(setup.model, openai_client=self.client),
            tools=[framework_tool(tool) for tool in setup.tools],
        )
        self.session = SQLiteSession("conversation", setup.state_dir / "sessions.db")
        self.history: list[Any] = [item for message in setup.history for item in items_of(message)]
        self.turns = setup.limits.requests or TURNS
        self.stream = setup.stream

    async def send(self, message: str) -> AsyncIterator[str]:
        if self.history:
            await self.session.add_items(self.history)
            self.history = []
        options: dict[str, Any] = {"session": self.session, "max_turns": self.turns}
        if not self.stream:
            yield Reply((await Runner.run(self.agent, message, **options)).final_output)
            return
        result = Runner.run_streamed(self.agent, message, **options)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                yield event.data.delta
        yield Reply(result.final_output)

    async def close(self) -> None:
        self.session.close()
        await self.client.close()


def framework_tool(tool: Tool) -> FunctionTool:
    """A function tool as the SDK makes it of a typed function; only the schema is the tool's own, word for word."""
    typed = function_tool(
        tool.afunction(),
        name_override=tool.name,
        description_override=tool.description,
        strict_mode=False,
        is_enabled=lambda _context, _agent: tool.enabled,
    )
    return replace(typed, params_json_schema=dict(tool.parameters))


def items_of(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        call_id = known(message.tool_call_id, "a result without an id")
        return [{"type": "function_call_output", "call_id": call_id, "output": message.text}]
    items: list[dict[str, Any]] = []
    if message.text or not message.tool_calls:
        items.append({"role": message.role, "content": message.text})
    for call in message.tool_calls:
        call_id = known(call.id, "a call without an id")
        items.append({"type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.text})
    return items


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"the Agents SDK's items cannot hold {what}")
    return value
