"""Semantic Kernel's `ChatCompletionAgent` as an adapter: `pip install semantic-kernel`."""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from openai import AsyncOpenAI, OpenAIError
from semantic_kernel.agents import ChatCompletionAgent, ChatHistoryAgentThread
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion
from semantic_kernel.exceptions import KernelException
from semantic_kernel.functions import KernelFunctionFromMethod, kernel_function

from agent_conformance import Reply, Setup, Tool
from agent_conformance.adapter.functions import identifier


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "cancel"})
    errors = (KernelException, OpenAIError)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tool_names = {tool.name: identifier(tool.name) for tool in setup.tools}  # as it names tools of MCP servers
        client = AsyncOpenAI(base_url=setup.base_url, api_key=setup.api_key)
        self.agent = ChatCompletionAgent(
            service=OpenAIChatCompletion(ai_model_id=setup.model, async_client=client),
            name="Assistant",
            instructions=setup.system or None,
            plugins=[framework_tool(tool) for tool in setup.tools],
        )
        self.thread = ChatHistoryAgentThread()

    async def send(self, message: str) -> AsyncIterator[str]:
        if not self.setup.stream:
            yield Reply(str(await self.agent.get_response(messages=message, thread=self.thread)))
            return
        async for piece in self.agent.invoke_stream(messages=message, thread=self.thread):
            if str(piece):
                yield str(piece)


def framework_tool(tool: Tool) -> Any:
    decorate = kernel_function(name=identifier(tool.name), description=tool.description)
    return KernelFunctionFromMethod(decorate(tool.afunction()), plugin_name="suite")
