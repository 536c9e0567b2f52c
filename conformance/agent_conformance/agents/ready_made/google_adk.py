"""Google's Agent Development Kit as an adapter: the extra `google-adk`."""

# mypy: disable-error-code="import-not-found,import-untyped,misc"
import json
from collections.abc import AsyncIterator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import LlmCallsLimitExceededError
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.errors.tool_execution_error import ToolExecutionError
from google.adk.events import Event
from google.adk.models import Gemini
from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types
from google.genai.errors import APIError, UnknownApiResponseError

from agent_conformance import AgentError, CannotRestore, Part, Reply, Setup, Tool, ToolCall, ToolError
from agent_conformance.adapter.history import gemini_contents, leading_system

NAME = "assistant"
USER = "user"
APP = "conformance"
ASKING = "adk_request_confirmation"
"""The call with which the kit asks its client about another one."""


class Adapter:
    wires = ("gemini-generate",)
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "restart", "cancel"),
            *("approval", "sessions", "model-switch"),
        }
    )
    errors = (APIError, UnknownApiResponseError, LlmCallsLimitExceededError, ToolExecutionError)

    def __init__(self, setup: Setup) -> None:
        if any(message.role == "tool" and not message.name for message in setup.history):
            raise CannotRestore("the kit's events hold no function response without the name of its function")
        system, history = leading_system(setup.history)
        instruction = "\n\n".join(text for text in (setup.system, system) if text)
        self.agent = LlmAgent(
            name=NAME,
            model=model_of(setup),
            instruction=lambda _: instruction,  # a text would be a template
            tools=[Enabled(setup.tools)],
        )
        self.sessions = SqliteSessionService(str(setup.state_dir / "sessions.db"))
        self.runner = Runner(agent=self.agent, app_name=APP, session_service=self.sessions)
        self.history = [types.Content.model_validate(content) for content in gemini_contents(history)]
        self.setup = setup
        self.parked = setup.state_dir / "parked.json"
        self.config = RunConfig(
            streaming_mode=StreamingMode.SSE if setup.stream else StreamingMode.NONE,
            max_llm_calls=setup.limits.requests or 500,
        )

    def switch(self, setup: Setup) -> None:
        self.agent.model = model_of(setup)

    async def send(self, message: str, session: str = "conversation") -> AsyncIterator[str]:
        await self.begin(session)
        if self.parked.exists():  # the run that waits for the user comes first, and has an answer of its own
            async for piece in self.run(await self.answers(), session):
                if not isinstance(piece, Reply):
                    yield piece
        async for piece in self.run([types.Part(text=message)], session):
            yield piece

    async def run(self, said: list[types.Part], session: str) -> AsyncIterator[str]:
        while said:
            final: Event | None = None
            questions: list[types.FunctionCall] = []
            content = types.Content(role="user", parts=said)
            async for event in self.runner.run_async(
                user_id=USER, session_id=session, new_message=content, run_config=self.config
            ):
                questions += [call for call in event.get_function_calls() if call.name == ASKING]
                if event.partial:
                    yield text_of(event)
                elif event.is_final_response():
                    final = event
            said = []
            if questions:
                self.parked.write_text(
                    json.dumps([call.model_dump(mode="json") for call in questions]), encoding="utf-8"
                )
                said = await self.answers()
        text = text_of(final) if final else ""
        if final and final.error_code and not text:
            raise AgentError(f"the run ended with {final.error_code}: {final.error_message}")
        yield Reply(text)

    async def answers(self) -> list[types.Part]:
        """What the user says of the calls that the parked run asks about."""
        parts = []
        for question in json.loads(self.parked.read_text(encoding="utf-8")):
            call = question["args"]["originalFunctionCall"]
            allowed = await self.setup.aapprove(ToolCall(call.get("id"), call["name"], call.get("args", {})))
            answer = types.FunctionResponse(id=question["id"], name=ASKING, response={"confirmed": allowed})
            parts.append(types.Part(function_response=answer))
        self.parked.unlink()
        return parts

    async def begin(self, name: str) -> None:
        """Begin the session, unless there is one already; the first with the history as events of user and agent."""
        place = {"app_name": APP, "user_id": USER, "session_id": name}
        if await self.sessions.get_session(**place):
            return
        session = await self.sessions.create_session(**place)
        history, self.history = self.history, []
        for number, content in enumerate(history):
            said = content.role == "user" and not any(part.function_response for part in content.parts or ())
            event = Event(author=USER if said else NAME, content=content, invocation_id=f"restored-{number}")
            await self.sessions.append_event(session, event)

    async def close(self) -> None:
        await self.runner.close()


def model_of(setup: Setup) -> Gemini:
    return Gemini(model=setup.model, base_url=setup.base_url, client_kwargs={"api_key": setup.api_key})


def text_of(event: Event) -> str:
    parts = event.content.parts if event.content else None
    return "".join(part.text for part in parts or () if part.text and not part.thought)


class Enabled(BaseToolset):
    """Offers what is enabled now."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        super().__init__()
        self.tools = [FrameworkTool(tool) for tool in tools]

    async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
        return [tool for tool in self.tools if tool.tool.enabled]


class FrameworkTool(BaseTool):
    """A tool with its own schema; the kit's `FunctionTool` would make one of a function's types."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self.tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        schema = dict(self.tool.parameters)
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=schema)

    async def check_require_confirmation(self, args: dict[str, Any], tool_context: Any) -> bool:
        return bool(self.tool.approval)

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        try:
            value = await self.tool.acall(args)
        except ToolError as error:
            return {"error": str(error)}  # the kit ends the run where a tool raises; its guide says to return errors
        parts = isinstance(value, list) and any(isinstance(part, Part) for part in value)
        return Tool.text(value) if parts else value
