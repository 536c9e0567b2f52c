"""One small correct agent on three clients, to be measured: plain httpx, the SDK of OpenAI, and that of Anthropic.

The loop is that of the tests' plain agent; what differs is who sends the request and reads the response.
"""

from collections.abc import AsyncIterator
from typing import Any

import httpx

from agent_conformance import Reply, Setup
from tests.agents.plain import GaveUp, PlainAgent

HTTPX = httpx.Client(trust_env=False, verify=False)


class Looped(PlainAgent):
    """In the form that `case_cost` drives without the suite."""

    async def send(self, message: str) -> AsyncIterator[Reply]:
        try:
            yield Reply(super().send(message))
        except (httpx.HTTPError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise GaveUp(repr(error)[:200]) from error

    async def close(self) -> None:
        """Nothing is held."""


class Httpx(Looped):
    wires = ("openai-chat",)

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = HTTPX.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        if response.status_code != 200:
            raise GaveUp(response.text[:200])
        return dict(response.json())


class OpenAI(Looped):
    wires = ("openai-chat",)

    def __init__(self, setup: Setup) -> None:
        import openai

        super().__init__(setup)
        self.error: type[Exception] = openai.OpenAIError
        self.client = openai.OpenAI(base_url=setup.base_url, api_key=setup.api_key, max_retries=0)

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return dict(self.client.chat.completions.create(**body).to_dict())
        except self.error as error:
            raise GaveUp(str(error)[:200]) from error


class Anthropic(Looped):
    wires = ("anthropic-messages",)

    def __init__(self, setup: Setup) -> None:
        import anthropic

        super().__init__(setup)
        self.error: type[Exception] = anthropic.AnthropicError
        self.client = anthropic.Anthropic(base_url=setup.base_url, api_key=setup.api_key, max_retries=0)

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return dict(self.client.messages.create(**body).to_dict())
        except self.error as error:
            raise GaveUp(str(error)[:200]) from error
