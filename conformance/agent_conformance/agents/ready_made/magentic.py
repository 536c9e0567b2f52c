"""magentic's `Chat` in the loop of its guide, as an adapter: `pip install "magentic[openai]"`.

It requests streams alone. Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from magentic import AsyncParallelFunctionCall, AsyncStreamedStr, Chat, OpenaiChatModel, SystemMessage
from openai import OpenAIError

from agent_conformance import Setup
from agent_conformance.adapter.functions import identifier


class Adapter:
    wires = ("openai-chat",)
    modes = ("stream",)
    features = frozenset({"deltas", "conversation", "native-tools", "cancel"})
    errors = (OpenAIError, "magentic")

    def __init__(self, setup: Setup) -> None:
        self.tool_names = {tool.name: identifier(tool.name) for tool in setup.tools}
        types: list[Any] = [AsyncStreamedStr, *([AsyncParallelFunctionCall[Any]] if setup.tools else [])]
        self.chat = Chat(
            [SystemMessage(setup.system)] if setup.system else [],
            functions=[tool.afunction() for tool in setup.tools],
            output_types=types,
            model=OpenaiChatModel(setup.model, api_key=setup.api_key, base_url=setup.base_url),
        )

    async def send(self, message: str) -> AsyncIterator[str]:
        self.chat = self.chat.add_user_message(message)
        while True:
            asked = self.chat
            self.chat = await asked.asubmit()
            answer = self.chat.last_message.content
            if isinstance(answer, AsyncStreamedStr):
                async for piece in answer:
                    yield piece
                self.chat = asked.add_assistant_message(await answer.to_string())  # it cannot send a stream back
                return
            self.chat = await self.chat.aexec_function_call()
