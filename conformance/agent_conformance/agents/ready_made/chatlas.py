"""chatlas' `Chat` as an adapter: `pip install chatlas`."""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from chatlas import ChatOpenAI, ChatOpenAICompletions
from chatlas import Tool as FrameworkTool
from openai import OpenAIError

from agent_conformance import Reply, Setup, Tool


class Adapter:
    wires = ("openai-chat", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "tool-filter"})
    errors = (OpenAIError,)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        kind = ChatOpenAI if setup.wire == "openai-responses" else ChatOpenAICompletions
        self.chat = kind(
            system_prompt=setup.system or None, model=setup.model, base_url=setup.base_url, api_key=setup.api_key
        )
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}

    async def send(self, message: str) -> AsyncIterator[str]:
        self.chat.set_tools([self.tools[tool.name] for tool in self.setup.tools if tool.enabled])
        if self.setup.stream:
            async for piece in await self.chat.stream_async(message):
                yield piece
        else:
            answer = await self.chat.chat_async(message, echo="none", stream=False)
            await answer.get_content()
        turn = self.chat.get_last_turn()
        yield Reply(turn.text if turn else "")


def framework_tool(tool: Tool) -> FrameworkTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    parameters = dict(tool.parameters)
    return FrameworkTool(func=run, name=tool.name, description=tool.description, parameters=parameters, strict=False)
