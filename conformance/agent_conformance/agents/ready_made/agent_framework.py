"""Microsoft's Agent Framework as an adapter: `pip install agent-framework-core agent-framework-openai ...`."""

# mypy: disable-error-code="import-not-found"
import json
from collections.abc import AsyncIterator
from itertools import groupby
from typing import Any

from agent_framework import Agent, AgentSession, Content, FunctionTool
from agent_framework import Message as FrameworkMessage
from agent_framework.exceptions import AgentFrameworkException, ChatClientException
from anthropic import AnthropicError
from google.genai.errors import APIError, UnknownApiResponseError
from httpx import HTTPError
from ollama import ResponseError
from openai import OpenAIError

from agent_conformance import CannotRestore, Message, Reply, Setup, Tool, ToolCall

REFUSALS = (OpenAIError, AnthropicError, APIError, UnknownApiResponseError, ResponseError)
LOST = (HTTPError, ConnectionError)
"""A connection that failed, where the framework wraps it."""


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "openai-responses", "gemini-generate", "ollama-chat")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "cancel", "restart"),
            *("approval", "sessions", "model-switch"),
        }
    )
    errors = (AgentFrameworkException, *REFUSALS)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.tools = {tool.name: framework_tool(tool) for tool in setup.tools}
        self.stored = setup.state_dir / "session.json"
        self.parked: list[Content] = []
        self.sessions: dict[str | None, AgentSession] = {}
        self.unsent = messages_of(setup.history)
        if self.stored.exists():
            stored = json.loads(self.stored.read_text(encoding="utf-8"))
            self.sessions[None] = AgentSession.from_dict(stored["session"])
            self.parked = [Content.from_dict(one) for one in stored["parked"]]
        self.switch(setup)

    def switch(self, setup: Setup) -> None:
        client = client_of(setup)
        if setup.limits.requests:  # past its iterations it requests a last answer
            client.function_invocation_configuration["max_iterations"] = max(1, setup.limits.requests - 1)
        self.agent = Agent(client=client, instructions=setup.system or None)

    async def send(self, message: str, session: str | None = None) -> AsyncIterator[str]:
        if session not in self.sessions:
            self.sessions[session] = self.agent.create_session()
        said: Any = [*self.unsent, FrameworkMessage("user", [message])]
        self.unsent = []
        try:
            if self.parked:  # the run that waits for the user comes first, and has an answer of its own
                async for piece in self.run(await self.answers(), session):
                    if not isinstance(piece, Reply):
                        yield piece
            async for piece in self.run(said, session):
                yield piece
        except ChatClientException as error:  # it wraps every exception, crashes too
            if error.__cause__ is None or isinstance(error.__cause__, (*REFUSALS, *LOST)):
                raise
            raise error.__cause__ from None

    async def run(self, said: Any, session: str | None) -> AsyncIterator[str]:
        """A run, and the rest of it for as long as calls wait for the user."""
        enabled = [self.tools[tool.name] for tool in self.setup.tools if tool.enabled]
        options: dict[str, Any] = {"session": self.sessions[session], "tools": enabled}
        while True:
            if not self.setup.stream:
                response = await self.agent.run(said, **options)
            else:
                stream = self.agent.run(said, stream=True, **options)
                async for update in stream:
                    if update.text:
                        yield update.text
                response = await stream.get_final_response()
            self.parked = list(response.user_input_requests)
            if session is None:
                stored = {"session": options["session"].to_dict(), "parked": [one.to_dict() for one in self.parked]}
                self.stored.write_text(json.dumps(stored), encoding="utf-8")
            if not self.parked:
                break
            said = await self.answers()
        yield Reply(response.text)

    async def answers(self) -> FrameworkMessage:
        """What the user says of the calls that the parked run asks about."""
        contents = []
        for request in self.parked:
            call = request.function_call
            allowed = await self.setup.aapprove(ToolCall(call.call_id, call.name, call.parse_arguments()))
            contents.append(request.to_function_approval_response(allowed))
        self.parked = []
        return FrameworkMessage("user", contents)


def client_of(setup: Setup) -> Any:
    where: dict[str, Any] = {"model": setup.model, "api_key": setup.api_key}
    if setup.wire == "anthropic-messages":
        from agent_framework.anthropic import AnthropicClient

        return AnthropicClient(base_url=setup.base_url, **where)
    if setup.wire == "gemini-generate":
        from agent_framework.gemini import GeminiChatClient
        from google.genai import Client

        client = Client(api_key=setup.api_key, http_options={"base_url": setup.base_url})
        return GeminiChatClient(model=setup.model, client=client)
    if setup.wire == "ollama-chat":
        from agent_framework.ollama import OllamaChatClient
        from ollama import AsyncClient

        headers = {"Authorization": f"Bearer {setup.api_key}"}
        return OllamaChatClient(model=setup.model, client=AsyncClient(setup.base_url, headers=headers))
    from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

    kind = OpenAIChatClient if setup.wire == "openai-responses" else OpenAIChatCompletionClient
    return kind(base_url=setup.base_url, **where)


def framework_tool(tool: Tool) -> FunctionTool:
    async def run(**arguments: Any) -> str:
        return Tool.text(await tool.acall(arguments))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        func=run,
        input_model=dict(tool.parameters),
        approval_mode="always_require" if tool.approval else "never_require",
    )


def messages_of(history: tuple[Message, ...]) -> list[FrameworkMessage]:
    """The history in the framework's messages; results in a row share one message, as its own runs have them."""
    messages: list[FrameworkMessage] = []
    for role, run in groupby(history, key=lambda message: message.role):
        if role == "tool":
            messages.append(FrameworkMessage("tool", [result_of(message) for message in run]))
        else:
            messages.extend(FrameworkMessage(role, contents_of(message)) for message in run)
    return messages


def contents_of(message: Message) -> list[Content]:
    text = [Content.from_text(message.text)] if message.text or not message.tool_calls else []
    return [*text, *(call_of(call) for call in message.tool_calls)]


def call_of(call: ToolCall) -> Content:
    return Content.from_function_call(known(call.id, "a call without an id"), call.name, arguments=call.text)


def result_of(message: Message) -> Content:
    call_id = known(message.tool_call_id, "a result without an id")
    return Content.from_function_result(call_id, result=message.text)


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"the framework's messages cannot hold {what}")
    return value
