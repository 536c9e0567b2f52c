"""Bugs of agents on a vendor's own tool loop: what stands between the loop and the tools, and what is kept of it."""

from collections.abc import AsyncIterator
from typing import Any

from agent_conformance import Reply, Setup, Tool, ToolError
from tests.agents.vendor_anthropic import MAX_TOKENS, SendsWholeConversation
from tests.wrong_agents.wrong import wrong


class ToolRunner(SendsWholeConversation):
    """Right: the runner of the Anthropic SDK, with the tools as its functions."""

    modes = ("plain",)

    async def run(self) -> AsyncIterator[str]:
        runner = self.client.beta.messages.tool_runner(
            model=self.setup.model,
            max_tokens=MAX_TOKENS,
            messages=self.sent(),
            tools=[self.runnable(tool) for tool in self.setup.tools if tool.enabled],
            max_iterations=self.setup.limits.requests,
            **self.options,
            **({"system": self.setup.system} if self.setup.system else {}),
        )
        async for message in runner:
            self.messages.append({"role": "assistant", "content": message.content})
            if message.stop_reason == "tool_use":
                self.messages.append(await runner.generate_tool_call_response())
        return
        yield ""

    def sent(self) -> list[Any]:
        return list(self.messages)

    def runnable(self, tool: Tool) -> Any:
        from anthropic import beta_async_tool

        async def run(**arguments: Any) -> str:
            return await self.called(tool, arguments)

        return beta_async_tool(run, name=tool.name, description=self.described(tool), input_schema=self.schema(tool))

    async def called(self, tool: Tool, arguments: dict[str, Any]) -> str:
        return Tool.text(await tool.acall(arguments))

    def described(self, tool: Tool) -> str:
        return tool.description

    def schema(self, tool: Tool) -> dict[str, Any]:
        return dict(tool.parameters)


@wrong("pipefy/ai-toolkit/issues/587", ("parallel/one-fails", "arrives"))
class SwallowsErrors(ToolRunner):
    async def called(self, tool: Tool, arguments: dict[str, Any]) -> str:
        try:
            return await super().called(tool, arguments)
        except ToolError:
            return ""


@wrong("aws-samples/sample-agentic-platform/issues/19", ("round-trip/next-turn-remembers", "kept-whole"))
class SendsTheLastMessageAlone(ToolRunner):
    def sent(self) -> list[Any]:
        return self.messages[-1:]


@wrong("opensearch-project/ml-commons/issues/4011", ("loops/same-call-for-ever", "answers"))
class SaysNothingAtTheLimit(ToolRunner):
    async def send(self, message: str) -> AsyncIterator[str]:
        self.messages.append({"role": "user", "content": message})
        async for piece in self.run():
            yield piece
        content = self.messages[-1]["content"]
        yield Reply("".join(getattr(block, "text", "") for block in content))


@wrong("DEEIX-AI/DEEIX-Chat/issues/546", ("declarations/shared-definitions", "offered"))
class DropsDefinitions(ToolRunner):
    def schema(self, tool: Tool) -> dict[str, Any]:
        return {key: value for key, value in tool.parameters.items() if key != "$defs"}


@wrong("crewAIInc/crewAI/issues/5802", ("faults/tool-whose-answer-is-lost", "once"))
class RunsAFailedToolOnceMore(ToolRunner):
    async def called(self, tool: Tool, arguments: dict[str, Any]) -> str:
        try:
            return await super().called(tool, arguments)
        except ToolError:
            return await super().called(tool, arguments)


@wrong("nibor1896/Crow/issues/93", ("loops/polling", "1.executed"))
class CachesResults(ToolRunner):
    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.cached: dict[str, str] = {}

    async def called(self, tool: Tool, arguments: dict[str, Any]) -> str:
        key = f"{tool.name} {arguments}"
        if key not in self.cached:
            self.cached[key] = await super().called(tool, arguments)
        return self.cached[key]
