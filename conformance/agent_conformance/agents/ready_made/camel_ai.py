"""CAMEL's `ChatAgent` as an adapter: `pip install camel-ai`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found,misc"
from collections.abc import AsyncIterator
from typing import Any

from camel.agents import ChatAgent
from camel.models import ModelFactory
from camel.responses import ChatAgentResponse
from camel.toolkits import FunctionTool
from camel.types import ModelPlatformType
from camel.utils import BaseTokenCounter
from openai import OpenAIError

from agent_conformance import Reply, Setup, Tool


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "request-limit", "cancel"})
    errors = (OpenAIError, "camel")

    def __init__(self, setup: Setup) -> None:
        self.stream = setup.stream
        model = ModelFactory.create(
            ModelPlatformType.OPENAI_COMPATIBLE_MODEL,
            setup.model,
            model_config_dict={"stream": True} if setup.stream else {},
            url=setup.base_url,
            api_key=setup.api_key,
            token_counter=Letters(),  # its own downloads a file of encodings
        )
        self.agent = ChatAgent(
            setup.system or None,
            model=model,
            tools=[framework_tool(tool) for tool in setup.tools],
            max_iteration=setup.limits.requests,
            stream_accumulate=False,  # its default, about which it warns
        )

    async def send(self, message: str) -> AsyncIterator[str]:
        response = await self.agent.astep(message)
        if not self.stream:
            yield Reply(text_of(response))
            return
        said, calls = "", 0
        async for partial in response:
            if len(partial.info["tool_calls"] or ()) != calls:  # what was said stands beside a call
                said, calls = "", len(partial.info["tool_calls"])
            said += text_of(partial)
            yield text_of(partial)
        yield Reply(said)


def text_of(response: ChatAgentResponse) -> str:
    return response.msgs[0].content or "" if response.msgs else ""


class Letters(BaseTokenCounter):
    """Four characters a token."""

    def count_tokens_from_messages(self, messages: list[Any]) -> int:
        return len(str(messages)) // 4

    def encode(self, text: str) -> list[int]:
        return [*text.encode()[::4]]

    def decode(self, token_ids: list[int]) -> str:
        return bytes(token_ids).decode(errors="replace")


def framework_tool(tool: Tool) -> FunctionTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    run.__name__ = tool.name
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return FunctionTool(run, openai_tool_schema={"type": "function", "function": function})
