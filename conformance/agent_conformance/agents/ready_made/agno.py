"""Agno as an adapter: `pip install pytest-agent-conformance[agno]`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found"
from collections.abc import AsyncIterator
from typing import Any

from agno.agent import Agent
from agno.db.json import JsonDb
from agno.exceptions import AgentRunException, AgnoError
from agno.models.base import Model
from agno.models.message import Message as FrameworkMessage
from agno.run.agent import RunCompletedEvent, RunContentEvent, RunErrorEvent
from agno.run.base import RunStatus
from agno.tools.function import Function

from agent_conformance import AgentError, CannotRestore, Message, Part, Reply, Setup, Tool
from agent_conformance.adapter.history import leading_system, openai_chat_messages


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "openai-responses", "gemini-generate", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset({"deltas", "history", "conversation", "native-tools", "tool-filter", "restart", "cancel"})
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
            session_id="conversation",
            add_history_to_context=True,
            telemetry=False,
        )

    async def send(self, message: str) -> AsyncIterator[str]:
        said: Any = message
        if self.history:
            said, self.history = [*self.history, FrameworkMessage(role="user", content=message)], []
        self.agent.set_tools([self.tools[tool.name] for tool in self.setup.tools if tool.enabled])
        if not self.setup.stream:
            run = await self.agent.arun(said)
            if run.status == RunStatus.error:
                raise AgentError(str(run.content))
            yield Reply(run.content or "")
            return
        async for event in self.agent.arun(said, stream=True, stream_events=True):
            if isinstance(event, RunContentEvent) and event.content:
                yield str(event.content)
            elif isinstance(event, RunErrorEvent):
                raise AgentError(str(event.content))
            elif isinstance(event, RunCompletedEvent):
                yield Reply(event.content or "")


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
