"""Pydantic AI as an adapter: `pip install pytest-agent-conformance[pydantic-ai]`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from pydantic_ai import Agent, RunContext, capture_run_messages
from pydantic_ai.exceptions import AgentRunError, ToolFailed
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)
from pydantic_ai.models import Model
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import Tool as FrameworkTool
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import UsageLimits

from agent_conformance import CannotRestore, Message, Part, Reply, Setup, Tool, ToolError


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset(
        {"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "cancel"}
    )
    errors = (AgentRunError,)

    def __init__(self, setup: Setup) -> None:
        enabled = {tool.name: tool for tool in setup.tools}

        def offered(_: RunContext[None], definition: ToolDefinition) -> bool:
            return enabled[definition.name].enabled

        tools: Any = FunctionToolset([framework_tool(tool) for tool in setup.tools]).filtered(offered)
        self.agent = Agent(model_of(setup), instructions=setup.system or None, toolsets=[tools])
        self.limits = UsageLimits(request_limit=setup.limits.requests)
        self.messages = messages_of(setup)
        self.stream = setup.stream

    async def send(self, message: str) -> AsyncIterator[str]:
        # The framework needs these before a new prompt if the last run or the history left calls without results.
        history = repair_messages(self.messages)
        options: dict[str, Any] = {"message_history": history, "usage_limits": self.limits}
        with capture_run_messages() as messages:
            try:
                if not self.stream:
                    yield Reply((await self.agent.run(message, **options)).output)
                    return
                async with self.agent.run_stream_events(message, **options) as events:
                    async for event in events:
                        if text := text_of(event):
                            yield text
                        if isinstance(event, AgentRunResultEvent):
                            yield Reply(event.result.output)
            finally:
                self.messages = list(messages)


if find_spec("boto3"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


def text_of(event: Any) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return str(event.part.content)
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return str(event.delta.content_delta)
    return ""


def model_of(setup: Setup) -> Model:
    where = {"base_url": setup.base_url, "api_key": setup.api_key}
    if setup.wire in ("openai-chat", "openai-responses"):
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider

        kind = OpenAIChatModel if setup.wire == "openai-chat" else OpenAIResponsesModel
        return kind(setup.model, provider=OpenAIProvider(**where))
    if setup.wire == "anthropic-messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(setup.model, provider=AnthropicProvider(**where))
    if setup.wire == "bedrock-converse":
        from pydantic_ai.models.bedrock import BedrockConverseModel
        from pydantic_ai.providers.bedrock import BedrockProvider

        keys = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
        bedrock = BedrockProvider(base_url=setup.base_url, region_name="us-east-1", **keys)
        return BedrockConverseModel(setup.model, provider=bedrock)
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(setup.model, provider=GoogleProvider(**where))


def framework_tool(tool: Tool) -> FrameworkTool[None]:
    async def run(**arguments: Any) -> Any:
        try:
            value = await tool.acall(arguments)
        except ToolError as error:
            raise ToolFailed(str(error)) from error
        parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return Tool.text(value) if parts else value

    return FrameworkTool.from_schema(run, tool.name, tool.description, dict(tool.parameters))


def messages_of(setup: Setup) -> list[ModelMessage]:
    """The history in the framework's messages; results in a row share one request, as its own runs have them."""
    messages: list[ModelMessage] = []
    for role, run in groupby(setup.history, key=lambda message: message.role):
        if role == "assistant":
            messages.extend(response_of(message) for message in run)
        elif role == "tool":
            messages.append(ModelRequest(parts=[result_of(message, setup.wire) for message in run]))
        else:
            kind = SystemPromptPart if role == "system" else UserPromptPart
            messages.extend(ModelRequest(parts=[kind(message.text)]) for message in run)
    return messages


def response_of(message: Message) -> ModelResponse:
    parts: list[Any] = [ThinkingPart(message.thinking)] if message.thinking else []
    if message.text or not message.tool_calls:
        parts.append(TextPart(message.text))
    for call in message.tool_calls:
        arguments = call.arguments_text if call.arguments is None else dict(call.arguments)
        parts.append(ToolCallPart(call.name, arguments, tool_call_id=known(call.id, "a call without an id")))
    return ModelResponse(parts=parts)


def result_of(message: Message, wire: str) -> ToolReturnPart:
    name = message.name
    if wire == "gemini-generate":  # elsewhere the name is not sent
        name = known(name, "a result without the name of its tool")
    return ToolReturnPart(
        name or "",
        message.text,
        tool_call_id=known(message.tool_call_id, "a result without an id"),
        outcome="failed" if message.is_error else "success",
    )


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"Pydantic AI's messages cannot hold {what}")
    return value
