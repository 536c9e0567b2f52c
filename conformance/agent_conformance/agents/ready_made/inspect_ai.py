"""Inspect's `generate_loop` as an adapter: `pip install inspect-ai openai`."""

# mypy: disable-error-code="import-not-found"
from typing import Any

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.tool import ToolDef, ToolError, ToolParams
from openai import OpenAIError

from agent_conformance import Setup, Tool
from agent_conformance import ToolError as Failed


class Adapter:
    wires = ("openai-chat",)
    features = frozenset({"conversation", "native-tools", "tool-filter", "cancel"})
    errors = (OpenAIError,)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        where: Any = {"base_url": setup.base_url, "api_key": setup.api_key}
        self.model = get_model(f"openai/{setup.model}", memoize=False, responses_api=False, **where)
        self.messages: list[Any] = [ChatMessageSystem(content=setup.system)] if setup.system else []
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}

    async def send(self, message: str) -> str:
        self.messages.append(ChatMessageUser(content=message))
        tools = [self.tools[tool.name] for tool in self.setup.tools if tool.enabled]
        added, output = await self.model.generate_loop(self.messages, tools=tools)
        self.messages += added
        return str(output.completion)


def framework_tool(tool: Tool) -> ToolDef:
    async def run(**arguments: Any) -> str:
        try:
            return Tool.text(await tool.acall(arguments))
        except Failed as error:
            raise ToolError(str(error)) from error

    parameters = ToolParams.model_validate({"type": "object", "properties": {}} | dict(tool.parameters))
    return ToolDef(run, name=tool.name, description=tool.description, parameters=parameters)
