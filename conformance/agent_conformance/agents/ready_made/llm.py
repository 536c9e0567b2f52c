"""LLM's conversations with tools as an adapter: `pip install llm`."""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from llm import Tool as FrameworkTool
from llm.default_plugins.openai_models import AsyncChat
from openai import OpenAIError

from agent_conformance import Reply, Setup, Tool


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "request-limit"})
    errors = (OpenAIError, "site-packages/llm/models.py")  # its limit of a chain is a plain ValueError

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        model = AsyncChat(setup.model, model_name=setup.model, api_base=setup.base_url, supports_tools=True)
        model.key = setup.api_key
        self.conversation = model.conversation(tools=[framework_tool(tool) for tool in setup.tools])

    async def send(self, message: str) -> AsyncIterator[str]:
        limit = {"chain_limit": self.setup.limits.requests} if self.setup.limits.requests else {}
        chain = self.conversation.chain(message, system=self.setup.system or None, stream=self.setup.stream, **limit)
        if self.setup.stream:
            async for piece in chain:
                yield piece
            return
        yield Reply(await chain.text())


def framework_tool(tool: Tool) -> FrameworkTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    return FrameworkTool(tool.name, tool.description, dict(tool.parameters), run)
