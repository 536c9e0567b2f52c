"""Mirascope in the loop of its guide as an adapter: `pip install "mirascope[openai]"`."""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from mirascope import llm
from mirascope.llm.tools import AsyncTool
from mirascope.llm.tools.tool_schema import ToolParameterSchema

from agent_conformance import Reply, Setup, Tool

APIS = {"openai-chat": "completions", "openai-responses": "responses"}


class Adapter:
    wires = ("openai-chat", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "tool-filter", "cancel"})
    errors = (llm.Error,)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        llm.register_provider("openai", base_url=setup.base_url, api_key=setup.api_key)
        self.model = llm.Model(f"openai/{setup.model}:{APIS[setup.wire]}")
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}
        self.messages: list[Any] = [llm.messages.system(setup.system)] if setup.system else []

    async def send(self, message: str) -> AsyncIterator[str]:
        messages = [*self.messages, llm.messages.user(message)]
        tools = [self.tools[tool.name] for tool in self.setup.tools if tool.enabled]
        start = self.model.stream_async if self.setup.stream else self.model.call_async
        response: Any = await start(messages, tools=tools)
        while True:
            if self.setup.stream:
                async for piece in response.text_stream():
                    yield piece
            if not response.tool_calls:
                break
            response = await response.resume(await response.execute_tools())
        self.messages = list(response.messages)
        yield Reply(response.text())


def framework_tool(tool: Tool) -> AsyncTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    parameters = ToolParameterSchema.model_validate(tool.parameters)
    return AsyncTool(fn=run, name=tool.name, description=tool.description, parameters=parameters, strict=False)
