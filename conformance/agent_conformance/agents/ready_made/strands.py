"""Strands Agents as an adapter: `pip install "strands-agents[openai,anthropic,gemini,ollama]"`."""

# mypy: disable-error-code="import-not-found,misc,import-untyped"
import json
from collections.abc import AsyncIterator
from itertools import groupby
from typing import Any

from anthropic import AnthropicError
from botocore.exceptions import BotoCoreError, ClientError
from google.genai.errors import APIError, UnknownApiResponseError
from ollama import ResponseError
from openai import OpenAIError
from strands import Agent
from strands.hooks import BeforeToolCallEvent
from strands.session.file_session_manager import FileSessionManager
from strands.tools import PythonAgentTool
from strands.types.exceptions import (
    ContextWindowOverflowException,
    EventLoopException,
    MaxTokensReachedException,
    ModelThrottledException,
)

from agent_conformance import AgentError, CannotRestore, Message, Reply, Setup, Tool, ToolCall, ToolError
from agent_conformance.adapter.history import leading_system

ALLOWED = "allowed"
LIMITS = ("limit_turns", "limit_total_tokens", "limit_output_tokens")


class Adapter:
    wires = (
        "openai-chat",
        "anthropic-messages",
        "openai-responses",
        "gemini-generate",
        "ollama-chat",
        "bedrock-converse",
    )
    modes = ("stream",)  # it requests nothing but streams
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "cancel", "restart"),
            *("approval", "sessions", "model-switch"),
        }
    )
    errors = (
        ContextWindowOverflowException,
        MaxTokensReachedException,
        ModelThrottledException,
        OpenAIError,
        AnthropicError,
        APIError,
        UnknownApiResponseError,
        ResponseError,
        BotoCoreError,
        ClientError,
    )

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.model = model_of(setup)
        system, history = leading_system(setup.history)
        self.prompt = "\n\n".join(text for text in (setup.system, system) if text) or None
        self.history = messages_of(history)
        self.agents: dict[str, Agent] = {}  # made in a turn, since what its session cannot store is the agent's failure
        self.parked = setup.state_dir / "parked.json"
        self.limits: Any = {"turns": setup.limits.requests} if setup.limits.requests else None

    def agent_with(self, session: str) -> Agent:
        agent = Agent(
            session_manager=FileSessionManager(session, storage_dir=str(self.setup.state_dir)),
            model=self.model,
            messages=self.history if session == "conversation" else [],
            tools=[framework_tool(tool) for tool in self.setup.tools],
            system_prompt=self.prompt,
            callback_handler=None,
        )
        agent.hooks.add_callback(BeforeToolCallEvent, self.ask_first)
        return agent

    def switch(self, setup: Setup) -> None:
        self.model = model_of(setup)
        for agent in self.agents.values():
            agent.model = self.model

    def ask_first(self, event: BeforeToolCallEvent) -> None:
        """Interrupts the run before a call that needs the user's answer, and reads the answer where it goes on."""
        use = event.tool_use
        if any(tool.name == use["name"] and tool.approval for tool in self.setup.tools):
            about = {"id": use["toolUseId"], "name": use["name"], "arguments": use["input"]}
            if event.interrupt("approval", reason=about) != ALLOWED:
                event.cancel_tool = "The user did not allow this call."

    async def send(self, message: str, session: str = "conversation") -> AsyncIterator[str]:
        if session not in self.agents:
            self.agents[session] = self.agent_with(session)
        agent = self.agents[session]
        if self.parked.exists():  # the run that waits for the user comes first, and has an answer of its own
            async for piece in self.run(agent, await self.answers()):
                if not isinstance(piece, Reply):
                    yield piece
        async for piece in self.run(agent, message):
            yield piece

    async def run(self, agent: Agent, said: Any) -> AsyncIterator[str]:
        while said is not None:
            try:
                async for event in agent.stream_async(said, limits=self.limits):
                    if "data" in event:
                        yield event["data"]
                    elif "result" in event:
                        result = event["result"]
            except EventLoopException as error:  # it wraps every exception, crashes too
                raise error.original_exception from None
            said = None
            if result.stop_reason == "interrupt":
                self.parked.write_text(
                    json.dumps([[one.id, one.reason] for one in result.interrupts]), encoding="utf-8"
                )
                said = await self.answers()
        if result.stop_reason in LIMITS:
            raise AgentError(f"the run ended with {result.stop_reason}")
        yield Reply(str(result).removesuffix("\n"))

    async def answers(self) -> list[Any]:
        """What the user says of the calls that the parked run asks about."""
        responses = []
        for id, about in json.loads(self.parked.read_text(encoding="utf-8")):
            answer = ALLOWED if await self.setup.aapprove(ToolCall(**about)) else "denied"
            responses.append({"interruptResponse": {"interruptId": id, "response": answer}})
        self.parked.unlink()
        return responses


def model_of(setup: Setup) -> Any:
    where = {"base_url": setup.base_url, "api_key": setup.api_key}
    if setup.wire == "openai-chat":
        from strands.models.openai import OpenAIModel

        return OpenAIModel(client_args=where, model_id=setup.model)
    if setup.wire == "openai-responses":
        from strands.models.openai_responses import OpenAIResponsesModel

        return OpenAIResponsesModel(client_args=where, model_id=setup.model)
    if setup.wire == "anthropic-messages":
        from strands.models.anthropic import AnthropicModel

        return AnthropicModel(client_args=where, model_id=setup.model, max_tokens=1024)
    if setup.wire == "gemini-generate":
        from strands.models.gemini import GeminiModel

        options = {"api_key": setup.api_key, "http_options": {"base_url": setup.base_url}}
        return GeminiModel(client_args=options, model_id=setup.model)
    if setup.wire == "bedrock-converse":
        from boto3 import Session
        from strands.models.bedrock import BedrockModel

        keys = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
        session = Session(**keys, region_name="us-east-1")
        return BedrockModel(boto_session=session, endpoint_url=setup.base_url, model_id=setup.model)
    from strands.models.ollama import OllamaModel

    headers = {"Authorization": f"Bearer {setup.api_key}"}
    return OllamaModel(setup.base_url, ollama_client_args={"headers": headers}, model_id=setup.model)


def framework_tool(tool: Tool) -> Any:
    async def run(use: Any, **_: Any) -> Any:
        try:
            text, status = Tool.text(await tool.acall(use["input"])), "success"
        except ToolError as error:
            text, status = str(error), "error"
        return {"toolUseId": use["toolUseId"], "status": status, "content": [{"text": text}]}

    spec = {"name": tool.name, "description": tool.description, "inputSchema": {"json": dict(tool.parameters)}}
    return PythonAgentTool(tool.name, spec, run)


def messages_of(history: tuple[Message, ...]) -> list[Any]:
    """The history in the framework's messages; results in a row share one message, as its own runs have them."""
    messages: list[Any] = []
    for role, run in groupby(history, key=lambda message: message.role):
        if role == "system":
            raise CannotRestore("a system message within the history: Strands' messages have no such role")
        if role == "tool":
            messages.append({"role": "user", "content": [result_of(message) for message in run]})
        else:
            messages.extend({"role": role, "content": content_of(message)} for message in run)
    return messages


def content_of(message: Message) -> list[Any]:
    text = [{"text": message.text}] if message.text or not message.tool_calls else []
    return [*text, *({"toolUse": use_of(call)} for call in message.tool_calls)]


def use_of(call: ToolCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.text)
    except ValueError:
        raise CannotRestore("Strands' messages cannot hold arguments that are no JSON") from None
    return {"toolUseId": known(call.id, "a call without an id"), "name": call.name, "input": arguments}


def result_of(message: Message) -> dict[str, Any]:
    result = {
        "toolUseId": known(message.tool_call_id, "a result without an id"),
        "status": "error" if message.is_error else "success",
        "content": [{"text": message.text}],
    }
    return {"toolResult": result}


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"Strands' messages cannot hold {what}")
    return value
