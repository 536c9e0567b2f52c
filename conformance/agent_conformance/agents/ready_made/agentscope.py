"""AgentScope's `Agent` as an adapter: `pip install agentscope`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from agentscope.agent import Agent, ReActConfig
from agentscope.credential import OpenAICredential
from agentscope.event import TextBlockDeltaEvent
from agentscope.message import Msg, UserMsg
from agentscope.model import OpenAIChatModel
from agentscope.permission import PermissionBehavior, PermissionDecision
from agentscope.tool import FunctionTool, Toolkit
from openai import OpenAIError

from agent_conformance import Reply, Setup, Tool

ITERATIONS = 50
"""AgentScope's default for the rounds of a reply."""


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "conversation", "native-tools", "request-limit", "cancel"})
    errors = (OpenAIError, "agentscope")

    def __init__(self, setup: Setup) -> None:
        credential = OpenAICredential(api_key=setup.api_key, base_url=setup.base_url)
        self.agent = Agent(
            "Assistant",
            setup.system,
            OpenAIChatModel(credential, setup.model, stream=setup.stream),
            Toolkit(tools=[framework_tool(tool) for tool in setup.tools]),
            react_config=ReActConfig(max_iters=setup.limits.requests or ITERATIONS),
        )

    async def send(self, message: str) -> AsyncIterator[str]:
        async for event in self.agent.reply_stream(UserMsg("user", message), yield_final_msg=True):
            if isinstance(event, TextBlockDeltaEvent):
                yield event.delta
            elif isinstance(event, Msg):
                texts = [block.text for block in event.content if block.type == "text"]
                yield Reply(texts[-1] if texts else "")  # those before stand beside calls


def framework_tool(tool: Tool) -> FunctionTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    allowed = PermissionDecision(PermissionBehavior.ALLOW, "the user allows every tool of the setup")
    schema = dict(tool.parameters)
    return FunctionTool(run, tool.name, tool.description, schema, permission=allowed)
