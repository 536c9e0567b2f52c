"""Haystack's `Agent` as an adapter: `pip install haystack-ai {anthropic,ollama,amazon-bedrock}-haystack`.

Steering is a hook before the model is asked. The framework has no store for a run that waits for the user, and keeps no
message of a run that was cancelled.
"""

# mypy: disable-error-code="import-not-found,import-untyped"
import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from anthropic import AnthropicError
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.agents.tool_calling import ToolNotFoundException
from haystack.components.generators.chat import FallbackChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.dataclasses import ToolCall as FrameworkCall
from haystack.hooks.human_in_the_loop import ConfirmationHook, ToolExecutionDecision
from haystack.tools import Tool as FrameworkTool
from haystack.tools.errors import ToolInvocationError
from haystack.utils import Secret
from ollama import ResponseError
from openai import OpenAIError

if find_spec("haystack_integrations.components.generators.amazon_bedrock"):
    from botocore.exceptions import BotoCoreError, ClientError

from agent_conformance import CannotRestore, Message, Reply, Setup, Tool, ToolCall

IS_FOR_BEDROCK = find_spec("haystack_integrations.components.generators.amazon_bedrock") is not None


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "openai-responses", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "cancel"),
            *("approval", "steering", "sessions", "model-switch", "fallback"),
        }
    )
    errors = (
        OpenAIError,
        AnthropicError,
        ResponseError,
        ToolInvocationError,
        ToolNotFoundException,
        "haystack.dataclasses",  # what its messages cannot hold is a plain ValueError
        "haystack.components.generators.chat.fallback",  # a plain RuntimeError, if all models fail
        *((BotoCoreError, ClientError) if IS_FOR_BEDROCK else ()),
        "haystack_integrations.components.generators.amazon_bedrock",  # its errors are of a package that may be missing
    )

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}
        self.sessions = {"conversation": messages_of(setup)}
        self.steered: list[str] = []
        self.switch(setup)

    def switch(self, setup: Setup) -> None:
        asking = {tool.name: AskTheUser(self.setup) for tool in self.setup.tools if tool.approval}
        generator = generator_of(setup)
        if setup.fallback is not None:
            generator = FallbackChatGenerator([generator, fallback_of(setup)])
        self.agent = Agent(
            chat_generator=generator,
            tools=[*self.tools.values()],
            system_prompt=self.setup.system or None,
            max_agent_steps=self.setup.limits.requests or 100,
            hooks={"before_llm": [Steering(self.steered)], "before_tool": [ConfirmationHook(asking)] if asking else []},
        )

    def steer(self, message: str) -> None:
        self.steered.append(message)

    async def send(self, message: str, session: str = "conversation") -> AsyncIterator[str]:
        messages = self.sessions.setdefault(session, [])
        messages.append(ChatMessage.from_user(message))
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        run = asyncio.ensure_future(self.run(messages, pieces))
        try:
            while (piece := await pieces.get()) is not None:
                yield piece
            result = run.result()
        finally:
            run.cancel()
        prompt = self.setup.system.strip()  # the framework's template leaves out a line's end
        self.sessions[session] = [
            kept for kept in result["messages"] if not kept.is_from("system") or (kept.text or "").strip() != prompt
        ]
        yield Reply(result["last_message"].text or "")

    async def run(self, messages: list[ChatMessage], pieces: "asyncio.Queue[str | None]") -> Any:
        async def show(chunk: Any) -> None:
            if chunk.content:
                pieces.put_nowait(chunk.content)

        enabled = [self.tools[tool.name] for tool in self.setup.tools if tool.enabled] if self.tools else None
        try:
            return await self.agent.run_async(
                messages=messages, tools=enabled, streaming_callback=show if self.setup.stream else None
            )
        finally:
            pieces.put_nowait(None)


if IS_FOR_BEDROCK:
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


class Steering:
    """A hook: before the model is asked, it is told what the user has said meanwhile."""

    def __init__(self, said: list[str]) -> None:
        self.said = said

    def run(self, state: State) -> None:
        state.set("messages", [ChatMessage.from_user(text) for text in self.said])
        self.said.clear()


class AskTheUser:
    """A strategy of the hook that confirms calls."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    async def run_async(
        self, *, tool_name: str, tool_params: dict[str, Any], tool_call_id: str | None = None, **_: Any
    ) -> ToolExecutionDecision:
        allowed = await self.setup.aapprove(ToolCall(tool_call_id, tool_name, tool_params))
        if allowed:
            return ToolExecutionDecision(tool_name, True, tool_call_id, final_tool_params=tool_params)
        return ToolExecutionDecision(tool_name, False, tool_call_id, feedback="The user did not allow this call.")


def fallback_of(setup: Setup) -> Any:
    fallback = setup.fallback
    assert fallback is not None
    if fallback.provider == "mistral":
        raise CannotRestore("Mistral is asked through a generator of its own, which needs the package mistral-haystack")
    where: Any = {"base_url": fallback.base_url, "api_key": fallback.api_key, "model": fallback.model}
    return generator_of(replace(setup, wire=fallback.wire, **where))


def generator_of(setup: Setup) -> Any:
    key = Secret.from_token(setup.api_key)
    if setup.wire == "anthropic-messages":
        from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

        os.environ["ANTHROPIC_BASE_URL"] = setup.base_url  # the SDK's own variable: the generator takes no address
        return AnthropicChatGenerator(api_key=key, model=setup.model)
    if setup.wire == "ollama-chat":
        from haystack_integrations.components.generators.ollama import OllamaChatGenerator

        return OllamaChatGenerator(model=setup.model, url=setup.base_url)
    if setup.wire == "bedrock-converse":
        from haystack_integrations.components.generators.amazon_bedrock import AmazonBedrockChatGenerator

        os.environ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = setup.base_url  # Amazon's own variable, as above
        where: Any = {"aws_access_key_id": key, "aws_secret_access_key": key, "aws_region_name": "us-east-1"}
        return AmazonBedrockChatGenerator(setup.model, **where)
    from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator

    kind = OpenAIChatGenerator if setup.wire == "openai-chat" else OpenAIResponsesChatGenerator
    return kind(api_key=key, model=setup.model, api_base_url=setup.base_url)


def framework_tool(tool: Tool) -> FrameworkTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    return FrameworkTool(tool.name, tool.description, dict(tool.parameters), async_function=run)


def messages_of(setup: Setup) -> list[ChatMessage]:
    """The history in the framework's messages. A result names its call, which must be in the history."""
    calls: dict[str | None, FrameworkCall] = {}
    numbered: list[FrameworkCall] = []
    messages = []
    for message in setup.history:
        if message.role == "tool":
            origin = calls.get(message.tool_call_id)
            if origin is None:
                raise CannotRestore("Haystack's messages cannot hold a result without its call")
            messages.append(ChatMessage.from_tool(message.text, origin, error=message.is_error))
            continue
        made = [call_of(call, setup.wire, number) for number, call in enumerate(message.tool_calls, len(numbered))]
        numbered += made
        calls |= {call.id: one for call, one in zip(message.tool_calls, made, strict=True)}
        messages.append(message_of(message, made))
    return messages


def message_of(message: Message, calls: list[FrameworkCall]) -> ChatMessage:
    if message.role == "user":
        return ChatMessage.from_user(message.text)
    if message.role == "system":
        return ChatMessage.from_system(message.text)
    return ChatMessage.from_assistant(message.text or None, tool_calls=calls)


def call_of(call: ToolCall, wire: str, number: int) -> FrameworkCall:
    try:
        arguments = json.loads(call.text)
    except ValueError:
        raise CannotRestore("Haystack's messages cannot hold arguments that are no JSON") from None
    if call.id is None:
        raise CannotRestore("Haystack's messages cannot hold a call without an id")
    if wire == "openai-responses":  # there `id` is the item's
        return FrameworkCall(call.name, arguments, id=f"fc_{number}", extra={"call_id": call.id})
    return FrameworkCall(call.name, arguments, id=call.id)
