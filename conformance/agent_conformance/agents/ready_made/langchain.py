"""LangChain's `create_agent` as an adapter: the extra `langchain`."""

# mypy: disable-error-code="import-not-found,misc,import-untyped"
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from importlib.util import find_spec
from itertools import groupby
from typing import Any
from uuid import uuid4

from anthropic import AnthropicError
from google.genai.errors import APIError, UnknownApiResponseError
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    ModelFallbackMiddleware,
    ModelRequest,
)
from langchain.agents.middleware.model_call_limit import ModelCallLimitExceededError
from langchain_core.exceptions import LangChainException
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from langgraph.types import Command
from ollama import ResponseError
from openai import OpenAIError

if find_spec("langchain_aws"):
    from botocore.exceptions import BotoCoreError, ClientError
if find_spec("langchain_cohere"):
    from cohere.core.api_error import ApiError

from agent_conformance import CannotRestore, Message, Part, Reply, Setup, Tool, ToolCall, ToolError


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate", "openai-responses", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter"),
            *("approval", "steering", "sessions", "model-switch", "fallback"),
        }
    )
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
        *((ApiError,) if find_spec("langchain_cohere") else ()),
    )

    def __init__(self, setup: Setup) -> None:
        if setup.wire == "anthropic-messages" and late_system(setup):
            raise CannotRestore("ChatAnthropic takes the system messages in one place alone, at the head")
        self.setup = setup
        self.middleware = OfTheMoment(model_of(setup), setup.tools)
        middleware: list[Any] = [self.middleware]
        if setup.fallback is not None:
            middleware.append(ModelFallbackMiddleware(fallback_of(setup)))
        if asking := {tool.name: True for tool in setup.tools if tool.approval}:
            middleware.append(HumanInTheLoopMiddleware(asking))
        if setup.limits.requests:
            middleware.append(ModelCallLimitMiddleware(run_limit=setup.limits.requests, exit_behavior="error"))
        self.agent = create_agent(
            self.middleware.model,
            [framework_tool(tool) for tool in setup.tools],
            system_prompt=setup.system or None,
            middleware=middleware,
            checkpointer=InMemorySaver() if asking else None,  # of a run that waits for the user
        )
        self.messages: dict[str | None, list[AnyMessage]] = {None: [message_of(message) for message in setup.history]}

    def steer(self, message: str) -> None:
        self.middleware.said.append(HumanMessage(message))

    def switch(self, setup: Setup) -> None:
        self.middleware.model = model_of(setup)

    async def send(self, message: str, session: str | None = None) -> AsyncIterator[str]:
        messages = self.messages.setdefault(session, [])
        messages.append(HumanMessage(message))
        said: Any = {"messages": messages}
        # The limit is the middleware's, and a run has a thread of its own: it begins with all messages.
        config: Any = {"recursion_limit": 1000, "configurable": {"thread_id": str(uuid4())}}
        modes = ["values", "messages"] if self.setup.stream else ["values"]
        while said is not None:
            questions: Any = ()
            async for mode, event in self.agent.astream(said, config, stream_mode=modes):
                if mode == "values":
                    questions = event.get("__interrupt__", ())
                    self.messages[session] = list(event.get("messages", self.messages[session]))
                elif isinstance(event[0], AIMessageChunk) and event[0].text:
                    yield str(event[0].text)
            said = Command(resume={"decisions": await self.decisions(questions[0])}) if questions else None
        yield Reply(self.messages[session][-1].text)

    async def decisions(self, question: Any) -> list[dict[str, str]]:
        asked = [ToolCall(None, one["name"], one["args"]) for one in question.value["action_requests"]]
        return [{"type": "approve" if await self.setup.aapprove(call) else "reject"} for call in asked]


if find_spec("langchain_aws"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]
if find_spec("langchain_cohere"):
    Adapter.wires += ("cohere-chat",)  # type: ignore[assignment]


class OfTheMoment(AgentMiddleware[Any, Any]):
    """Asks the model that is chosen now, offers what is enabled now, and adds what the user has said meanwhile."""

    def __init__(self, model: Any, tools: tuple[Tool, ...]) -> None:
        super().__init__()
        self.model = model
        self.by_name = {tool.name: tool for tool in tools}
        self.said: list[AnyMessage] = []

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        said, self.said = self.said, []
        return {"messages": said} if said else None

    async def awrap_model_call(self, request: ModelRequest[Any], handler: Callable[[Any], Awaitable[Any]]) -> Any:
        enabled = [tool for tool in request.tools if self.by_name[tool.name].enabled]
        return await handler(request.override(model=self.model, tools=enabled))


def late_system(setup: Setup) -> bool:
    """Whether system messages stand in more than one place."""
    roles = ["system"] * bool(setup.system) + [message.role for message in setup.history]
    return sum(role == "system" for role, _ in groupby(roles)) > 1


def fallback_of(setup: Setup) -> Any:
    fallback = setup.fallback
    assert fallback is not None
    if fallback.provider == "mistral":
        raise CannotRestore("Mistral is asked through a class of its own, which needs the package langchain-mistralai")
    where: Any = {"base_url": fallback.base_url, "api_key": fallback.api_key, "model": fallback.model}
    return model_of(replace(setup, wire=fallback.wire, **where))


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
    if setup.wire == "cohere-chat":
        from langchain_cohere import ChatCohere

        where["cohere_api_key"] = where.pop("api_key")
        return ChatCohere(**where, streaming=setup.stream)
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
