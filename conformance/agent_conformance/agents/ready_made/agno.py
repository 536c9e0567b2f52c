"""Agno as an adapter: the extra `agno`."""

# mypy: disable-error-code="import-not-found"
import os
from collections.abc import AsyncIterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from agno.agent import Agent
from agno.db.json import JsonDb
from agno.exceptions import AgentRunException, AgnoError
from agno.models.base import Model
from agno.models.message import Message as FrameworkMessage
from agno.run.agent import RunCompletedEvent, RunContentEvent, RunErrorEvent, RunPausedEvent
from agno.run.base import RunStatus
from agno.tools.function import Function

from agent_conformance import AgentError, CannotRestore, Message, Part, Reply, Setup, Tool, ToolCall
from agent_conformance.adapter.history import leading_system, openai_chat_messages


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "openai-responses", "gemini-generate", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "tool-filter", "restart", "cancel"),
            *("approval", "sessions", "model-switch", "fallback"),
        }
    )
    errors = (AgnoError, AgentRunException)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}
        system, history = leading_system(setup.history)  # what is not of its instructions is left out of later runs
        self.history = [message_of(message) for message in history]
        self.agent = Agent(
            model=model_of(setup),
            instructions="\n\n".join(text for text in (setup.system, system) if text) or None,
            db=JsonDb(str(setup.state_dir)),
            fallback_models=[] if setup.fallback is None else [fallback_of(setup)],
            add_history_to_context=True,
            telemetry=False,
        )
        self.parked = setup.state_dir / "parked.txt"

    def switch(self, setup: Setup) -> None:
        self.agent.model = model_of(setup)

    async def send(self, message: str, session: str = "conversation") -> AsyncIterator[str]:
        said: Any = message
        if self.history:
            said, self.history = [*self.history, FrameworkMessage(role="user", content=message)], []
        self.agent.set_tools([self.tools[tool.name] for tool in self.setup.tools if tool.enabled])
        if self.parked.exists():  # the run that waits for the user comes first, and has an answer of its own
            async for piece in self.run(await self.answered(session), session):
                if not isinstance(piece, Reply):
                    yield piece
        async for piece in self.run({"input": said}, session):
            yield piece

    async def run(self, begun: dict[str, Any], session: str) -> AsyncIterator[str]:
        """A run, or the rest of one, until no call waits for the user."""
        while True:
            start = self.agent.arun if "input" in begun else self.agent.acontinue_run
            if not self.setup.stream:
                ended = await start(**begun, session_id=session)
                if ended.status == RunStatus.error:
                    raise AgentError(str(ended.content))
            else:
                async for event in start(**begun, session_id=session, stream=True, stream_events=True):
                    if isinstance(event, RunContentEvent) and event.content:
                        yield str(event.content)
                    elif isinstance(event, RunErrorEvent):
                        raise AgentError(str(event.content))
                    elif isinstance(event, (RunCompletedEvent, RunPausedEvent)):
                        ended = event
            if not ended.is_paused:
                break
            self.parked.write_text(ended.run_id, encoding="utf-8")
            begun = await self.answered(session)
        yield Reply(ended.content or "")

    async def answered(self, session: str) -> dict[str, Any]:
        """How to go on with the parked run: with what the user says of its calls."""
        run_id = self.parked.read_text(encoding="utf-8")
        stored = await self.agent.aget_run_output(run_id, session_id=session)
        for one in stored.active_requirements:
            call = one.tool_execution
            allowed = await self.setup.aapprove(ToolCall(call.tool_call_id, call.tool_name, call.tool_args))
            (one.confirm if allowed else one.reject)()
        self.parked.unlink()
        return {"run_id": run_id, "requirements": stored.requirements}


def fallback_of(setup: Setup) -> Model:
    fallback = setup.fallback
    assert fallback is not None
    if fallback.provider == "mistral":
        raise CannotRestore("Mistral is asked through a class of its own, which needs the package mistralai")
    where: Any = {"base_url": fallback.base_url, "api_key": fallback.api_key, "model": fallback.model}
    return model_of(replace(setup, wire=fallback.wire, **where))


if find_spec("aioboto3"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


def model_of(setup: Setup) -> Model:
    model, url, key = setup.model, setup.base_url, setup.api_key
    if setup.wire == "openai-chat":
        from agno.models.openai import OpenAILike

        return OpenAILike(id=model, base_url=url, api_key=key)
    if setup.wire == "openai-responses":
        from agno.models.openai import OpenAIResponses

        return OpenAIResponses(id=model, base_url=url, api_key=key)
    if setup.wire == "gemini-generate":
        from agno.models.google import Gemini

        return Gemini(id=model, api_key=key, client_params={"http_options": {"base_url": url}})
    if setup.wire == "ollama-chat":
        from agno.models.ollama import Ollama

        return Ollama(id=model, host=url, api_key=key)
    if setup.wire == "bedrock-converse":
        from agno.models.aws import AwsBedrock

        os.environ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = url  # Amazon's own variable: the model takes no address
        keys = {"aws_access_key_id": key, "aws_secret_access_key": key}
        return AwsBedrock(id=model, aws_region="us-east-1", **keys)
    from agno.models.anthropic import Claude

    return Claude(id=model, api_key=key, client_params={"base_url": url})


def framework_tool(tool: Tool) -> Function:
    async def run(**arguments: Any) -> Any:
        value = await tool.acall(arguments)
        parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return Tool.text(value) if parts else value

    return Function(
        name=tool.name,
        description=tool.description,
        parameters=dict(tool.parameters),
        entrypoint=run,
        skip_entrypoint_processing=True,
        requires_confirmation=bool(tool.approval),
    )


def message_of(message: Message) -> FrameworkMessage:
    if message.role == "tool":
        call_id = known(message.tool_call_id, "a result without an id")
        return FrameworkMessage(
            role="tool",
            content=message.text,
            tool_call_id=call_id,
            tool_name=message.name,
            tool_call_error=message.is_error,
        )
    (fields,) = openai_chat_messages([message])  # the framework keeps every provider's calls in this form
    for call in message.tool_calls:
        known(call.id, "a call without an id")
    return FrameworkMessage(**fields)


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"Agno's messages cannot hold {what}")
    return value
