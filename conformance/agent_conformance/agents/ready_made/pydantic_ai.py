"""Pydantic AI as an adapter: the extra `pydantic-ai`."""

# mypy: disable-error-code="import-not-found"
import json
from collections.abc import AsyncIterator
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    StructuredDict,
    capture_run_messages,
)
from pydantic_ai.exceptions import AgentRunError, ToolFailed
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
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
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import Tool as FrameworkTool
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import UsageLimits

from agent_conformance import CannotRestore, Fallback, Message, NamedTool, Part, Reply, Setup, Tool, ToolCall, ToolError


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "cancel", "restart"),
            *("approval", "steering", "sessions", "model-switch", "fallback", "structured-output", "tool-choice"),
            *("images", "user-images"),
        }
    )
    errors = (AgentRunError,)
    reply_tool = ("final_result", None)

    def __init__(self, setup: Setup) -> None:
        enabled = {tool.name: tool for tool in setup.tools}
        self.context: RunContext[None] | None = None

        def offered(context: RunContext[None], definition: ToolDefinition) -> bool:
            self.context = context
            return enabled[definition.name].enabled

        self.setup = setup
        self.model = model_of(setup)
        if setup.fallback is not None:
            self.model = FallbackModel(self.model, fallback_of(setup.fallback))
        answer: Any = str if setup.output_schema is None else StructuredDict(dict(setup.output_schema))
        tools: Any = FunctionToolset([framework_tool(tool) for tool in setup.tools]).filtered(offered)
        self.agent: Agent[None, Any] = Agent(
            self.model,
            instructions=setup.system or None,
            toolsets=[tools],
            output_type=[answer, DeferredToolRequests] if any(tool.approval for tool in setup.tools) else answer,
            model_settings=lambda context: settings_of(setup, context.run_step),
        )
        self.limits = UsageLimits(request_limit=setup.limits.requests)
        self.stored = setup.state_dir / "messages.json"
        self.messages: dict[str | None, list[ModelMessage]] = {None: messages_of(setup)}
        if self.stored.exists():
            self.messages[None] = ModelMessagesTypeAdapter.validate_json(self.stored.read_bytes())

    def steer(self, message: str) -> None:
        if self.context is not None:
            self.context.enqueue(message)

    def switch(self, setup: Setup) -> None:
        self.model = model_of(setup)

    async def send(self, message: str | list[Part], session: str | None = None) -> AsyncIterator[str]:
        # The framework needs these before a new prompt if the last run or the history left calls without results.
        said: Any = message if isinstance(message, str) else [content_of(part) for part in message]
        answers = await self.answers(self.messages.get(session, []))
        while said is not None or answers is not None:
            history = self.messages.get(session, [])
            options: dict[str, Any] = {
                "message_history": history if answers is not None else repair_messages(history),
                "usage_limits": self.limits,
                "model": self.model,
                "deferred_tool_results": answers,
            }
            with capture_run_messages() as messages:
                try:
                    if not self.setup.stream:
                        output = (await self.agent.run(said, **options)).output
                    else:
                        async with self.agent.run_stream_events(said, **options) as events:
                            async for event in events:
                                if text := text_of(event):
                                    yield text
                                if isinstance(event, AgentRunResultEvent):
                                    output = event.result.output
                finally:
                    self.keep(session, list(messages))
            said = answers = None
            if isinstance(output, DeferredToolRequests):
                answers = await self.answers(self.messages[session])
            else:
                yield Reply(output if self.setup.output_schema is None else json.dumps(output))

    def keep(self, session: str | None, messages: list[ModelMessage]) -> None:
        self.messages[session] = messages
        if session is None:
            self.stored.write_bytes(ModelMessagesTypeAdapter.dump_json(messages))

    async def answers(self, messages: list[ModelMessage]) -> DeferredToolResults | None:
        """What the user says of the calls that the last run has left open; None where it has left none."""
        needed = {tool.name for tool in self.setup.tools if tool.approval}
        done = {part.tool_call_id for one in messages for part in one.parts if isinstance(part, ToolReturnPart)}
        parts: Any = next((one.parts for one in reversed(messages) if isinstance(one, ModelResponse)), [])
        calls = [part for part in parts if isinstance(part, ToolCallPart) and part.tool_call_id not in done]
        if not calls or any(call.tool_name not in needed for call in calls):
            return None
        approvals: dict[str, Any] = {}
        for call in calls:
            about = ToolCall(call.tool_call_id, call.tool_name, call.args_as_dict())
            approvals[call.tool_call_id] = await self.setup.aapprove(about)
        return DeferredToolResults(approvals=approvals)


def settings_of(setup: Setup, step: int) -> Any:
    """A choice is for the first request of a run: it would be asked for again after the result."""
    choice = setup.tool_choice
    if choice is None or step > 1:
        return {}
    return {"tool_choice": [choice.tool] if isinstance(choice, NamedTool) else choice}


def content_of(part: Part) -> Any:
    if part.type == "text":
        return part.text
    return BinaryContent.from_data_uri(f"data:{part.media_type};base64,{part.data}")


if find_spec("boto3"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]
if find_spec("cohere"):
    Adapter.wires += ("cohere-chat",)  # type: ignore[assignment]


def text_of(event: Any) -> str:
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return str(event.part.content)
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return str(event.delta.content_delta)
    return ""


def model_of(setup: Setup | Fallback) -> Model:
    where: Any = {"base_url": setup.base_url, "api_key": setup.api_key}
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
    if setup.wire == "cohere-chat":
        from cohere import AsyncClientV2
        from pydantic_ai.models.cohere import CohereModel
        from pydantic_ai.providers.cohere import CohereProvider

        return CohereModel(setup.model, provider=CohereProvider(cohere_client=AsyncClientV2(**where)))
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(setup.model, provider=GoogleProvider(**where))


def fallback_of(fallback: Fallback) -> Model:
    if fallback.provider == "mistral":
        raise CannotRestore("Mistral is asked through a class of its own, which needs the package mistralai")
    return model_of(fallback)


def framework_tool(tool: Tool) -> FrameworkTool[None]:
    async def run(**arguments: Any) -> Any:
        try:
            value = await tool.acall(arguments)
        except ToolError as error:
            raise ToolFailed(str(error)) from error
        parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return [content_of(part) for part in value] if parts else value

    made = FrameworkTool.from_schema(run, tool.name, tool.description, dict(tool.parameters))
    made.requires_approval = bool(tool.approval)
    return made


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
            messages.extend(ModelRequest(parts=[kind(content(message))]) for message in run)
    return messages


def content(message: Message) -> Any:
    return [content_of(part) for part in message.parts] if message.parts else message.text


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
        content(message),
        tool_call_id=known(message.tool_call_id, "a result without an id"),
        outcome="failed" if message.is_error else "success",
    )


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"Pydantic AI's messages cannot hold {what}")
    return value
