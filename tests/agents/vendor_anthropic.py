"""The Anthropic SDK's own tool loop, `client.beta.messages.tool_runner`, used as its documentation shows.

It knows the runner and the adapter's types; it must not know the laws or the fakes.
"""

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from agent_conformance import AgentError, Reply, Setup, Tool
from agent_conformance.adapter.history import anthropic_messages, leading_system

MAX_TOKENS = 4096


class Adapter:
    """As the SDK comes: on message threads, in which the provider holds what was said before."""

    wires = ("anthropic-messages",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"})
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, setup: Setup) -> None:
        from anthropic import AsyncAnthropic

        self.setup = setup
        self.client = AsyncAnthropic(base_url=setup.base_url, api_key=setup.api_key)
        system, history = leading_system(setup.history)
        self.system = "\n\n".join(text for text in (setup.system, system) if text)
        self.messages: list[Any] = anthropic_messages(history)

    async def send(self, message: str) -> AsyncIterator[str]:
        from anthropic import AnthropicError

        self.messages.append({"role": "user", "content": message})
        try:
            async for delta in self.run():
                yield delta
        except AnthropicError as error:
            raise AgentError(f"the SDK gave up: {error}") from error
        last = self.messages[-1]
        if last["role"] == "user":
            raise AgentError("the tool runner stopped at its limit of iterations")
        yield Reply("".join(block.text for block in last["content"] if block.type == "text"))

    async def run(self) -> AsyncIterator[str]:
        runner = self.client.beta.messages.tool_runner(
            model=self.setup.model,
            max_tokens=MAX_TOKENS,
            messages=list(self.messages),
            tools=[runnable(tool) for tool in self.setup.tools if tool.enabled],
            max_iterations=self.setup.limits.requests,
            stream=self.setup.stream,
            **self.options,
            **({"system": self.system} if self.system else {}),
        )
        async for turn in runner:
            if self.setup.stream:
                async for text in turn.text_stream:
                    yield text
            message = await turn.get_final_message() if self.setup.stream else turn
            self.messages.append({"role": "assistant", "content": message.content})
            if message.stop_reason == "tool_use":
                self.messages.append(await runner.generate_tool_call_response())

    async def close(self) -> None:
        await self.client.close()


class SendsWholeConversation(Adapter):
    """With the whole conversation in every request."""

    options: ClassVar[dict[str, Any]] = {"thread": False}


def runnable(tool: Tool) -> Any:
    from anthropic import beta_async_tool

    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    return beta_async_tool(run, name=tool.name, description=tool.description, input_schema=dict(tool.parameters))
