"""LangChain's `create_agent` as an adapter: `pip install pytest-agent-conformance[langchain]`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found,misc,import-untyped"
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from anthropic import AnthropicError
from google.genai.errors import APIError, UnknownApiResponseError
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelCallLimitMiddleware, ModelRequest
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain_core.exceptions import LangChainException
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool, ToolException
from langgraph.errors import GraphRecursionError
from ollama import ResponseError
from openai import OpenAIError

if find_spec("langchain_aws"):
    from botocore.exceptions import BotoCoreError, ClientError

from agent_conformance import CannotRestore, Message, Part, Reply, Setup, Tool, ToolError


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate", "openai-responses", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset({"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"})
    errors = (
        LangChainException,
        ModelCallLimitExceededError,
        GraphRecursionError,
        OpenAIError,
        AnthropicError,
        APIError,
        UnknownApiResponseError,
        ResponseError,
        *((BotoCoreError, ClientError) if find_spec("langchain_aws") else ()),
    )

    def __init__(self, setup: Setup) -> None:
        if setup.wire == "anthropic-messages" and late_system(setup):
            raise CannotRestore("ChatAnthropic takes the system messages in one place alone, at the head")
        middleware: list[Any] = [OnlyEnabled(setup.tools)]
        if setup.limits.requests:
            middleware.append(ModelCallLimitMiddleware(run_limit=setup.limits.requests, exit_behavior="error"))
        self.agent = create_agent(
            model_of(setup),
            [framework_tool(tool) for tool in setup.tools],
            system_prompt=setup.system or None,
            middleware=middleware,
        )
        self.config: Any = {"recursion_limit": 1000}  # the limit is the middleware's
        self.messages: list[AnyMessage] = [message_of(message) for message in setup.history]
        self.stream = setup.stream

    async def send(self, message: str) -> AsyncIterator[str]:
        self.messages.append(HumanMessage(message))
        state: Any = {"messages": self.messages}
        modes = ["values", "messages"] if self.stream else ["values"]
        async for mode, event in self.agent.astream(state, self.config, stream_mode=modes):
            if mode == "values":
                self.messages = list(event["messages"])
            elif isinstance(event[0], AIMessageChunk) and event[0].text:
                yield str(event[0].text)
        yield Reply(self.messages[-1].text)


if find_spec("langchain_aws"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


class OnlyEnabled(AgentMiddleware[Any, Any]):
    """Offers what is enabled now."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        super().__init__()
        self.by_name = {tool.name: tool for tool in tools}

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[Any], Awaitable[Any]]) -> Any:
        enabled = [tool for tool in request.tools if self.by_name[tool.name].enabled]
        return await handler(request.override(tools=enabled))


def late_system(setup: Setup) -> bool:
    """Whether system messages stand in more than one place."""
    roles = ["system"] * bool(setup.system) + [message.role for message in setup.history]
    return sum(role == "system" for role, _ in groupby(roles)) > 1


def model_of(setup: Setup) -> Any:
    where: dict[str, Any] = {"model": setup.model, "base_url": setup.base_url, "api_key": setup.api_key}
    if setup.wire in ("openai-chat", "openai-responses"):
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(**where, streaming=setup.stream, use_responses_api=setup.wire == "openai-responses")
    if setup.wire == "anthropic-messages":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(**where, streaming=setup.stream)
    if setup.wire == "ollama-chat":
        from langchain_ollama import ChatOllama

        headers = {"Authorization": f"Bearer {setup.api_key}"}
        return ChatOllama(model=setup.model, base_url=setup.base_url, client_kwargs={"headers": headers})
    if setup.wire == "bedrock-converse":
        from langchain_aws import ChatBedrockConverse

        keys: Any = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
        return ChatBedrockConverse(model=setup.model, base_url=setup.base_url, region_name="us-east-1", **keys)
    from langchain_google_genai import ChatGoogleGenerativeAI

    return ChatGoogleGenerativeAI(**where, streaming=setup.stream)


def framework_tool(tool: Tool) -> StructuredTool:
    async def run(**arguments: Any) -> Any:
        try:
            value = await tool.acall(arguments)
        except ToolError as error:
            raise ToolException(str(error)) from error
        parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return Tool.text(value) if parts else value

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=dict(tool.parameters),
        coroutine=run,
        handle_tool_error=True,
    )


def message_of(message: Message) -> AnyMessage:
    if message.role == "user":
        return HumanMessage(message.text)
    if message.role == "system":
        return SystemMessage(message.text)
    if message.role == "tool":
        call_id = known(message.tool_call_id, "a result without an id")
        status: Any = "error" if message.is_error else "success"
        return ToolMessage(message.text, tool_call_id=call_id, name=message.name, status=status)
    calls: list[Any] = []
    unreadable: list[Any] = []
    for call in message.tool_calls:
        entry = {"id": call.id, "name": call.name, "args": call.arguments}
        if call.arguments_text is None:
            calls.append(entry)
        elif isinstance(value := json_or_none(call.arguments_text), dict):
            calls.append(entry | {"args": value})
        else:
            unreadable.append(entry | {"args": call.arguments_text, "error": None})
    return AIMessage(message.text, tool_calls=calls, invalid_tool_calls=unreadable)


def json_or_none(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"LangChain's messages cannot hold {what}")
    return value
