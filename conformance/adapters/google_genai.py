"""google-genai's automatic function calling behind the adapter's contract: `pip install agent-conformance[google-genai]`.

Knows the SDK's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from google import genai
from google.genai import types
from google.genai.errors import APIError, FunctionInvocationError, UnknownFunctionCallArgumentError

from conformance import AgentError, Reply, Setup
from conformance.functions import identifier
from conformance.history import gemini_contents, leading_system


class Adapter:
    wires = ("gemini-generate",)
    modes = ("plain", "stream")
    features = frozenset({"deltas", "history", "conversation", "native-tools", "exchange-limit", "tool-filter"})
    errors = (APIError,)
    tool_names = staticmethod(identifier)

    def __init__(self, setup: Setup) -> None:
        self.client = genai.Client(api_key=setup.api_key, http_options=types.HttpOptions(base_url=setup.base_url))
        system, history = leading_system(setup.history)
        self.system = "\n\n".join(text for text in (setup.system, system) if text)
        self.chat = self.client.aio.chats.create(model=setup.model, history=gemini_contents(history))
        self.setup = setup

    async def send(self, message: str) -> AsyncIterator[str]:
        if not self.setup.stream:
            response = await self.chat.send_message(message, self.config())
            yield Reply(response.text or "")
            return
        text = ""
        async for chunk in await self.chat.send_message_stream(message, self.config()):
            if chunk.text:
                yield chunk.text

    def config(self) -> types.GenerateContentConfig:
        calling = types.AutomaticFunctionCallingConfig(maximum_remote_calls=self.setup.limits.exchanges)
        return types.GenerateContentConfig(
            system_instruction=self.system or None,
            tools=[tool.afunction() for tool in self.setup.tools if tool.enabled],
            automatic_function_calling=calling,
        )

    async def close(self) -> None:
        await self.client.aio.aclose()
