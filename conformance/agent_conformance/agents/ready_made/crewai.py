"""CrewAI's `Agent` as an adapter: `pip install "crewai[anthropic,bedrock,google-genai]"`.

The user is asked by a hook before a tool runs, and what is said meanwhile is added by a hook before a request. It
documents no second model to fall back to, no end of a run, and no store for one that waits for the user.
"""

# mypy: disable-error-code="import-not-found,misc"
import contextlib
import json
import os
from importlib.util import find_spec
from typing import Any

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_TESTING": "true"}  # else it sends, and asks on the terminal

from anthropic import AnthropicError
from crewai import LLM, Agent
from crewai.events.utils.console_formatter import set_suppress_console_output
from crewai.hooks import (
    HookAborted,
    LLMCallHookContext,
    ToolCallHookContext,
    register_before_llm_call_hook,
    register_before_tool_call_hook,
    unregister_before_llm_call_hook,
    unregister_before_tool_call_hook,
)
from crewai.tools import BaseTool
from crewai.utilities.exceptions.context_window_exceeding_exception import LLMContextLengthExceededError
from crewai.utilities.pydantic_schema_utils import create_model_from_schema
from google.genai.errors import APIError, UnknownApiResponseError
from openai import OpenAIError

from agent_conformance import CannotRestore, Message, Pending, Setup, Tool, ToolCall
from agent_conformance.adapter.history import openai_chat_messages

PROVIDERS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
    "bedrock-converse": "bedrock",
}
ITERATIONS = 25
"""CrewAI's default for the steps of a run."""


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "openai-responses", "gemini-generate")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("history", "conversation", "native-tools", "request-limit", "tool-filter", "restart"),
            *("approval", "steering", "sessions", "model-switch", "structured-output"),
        }
    )
    errors = (
        OpenAIError,
        AnthropicError,
        APIError,
        UnknownApiResponseError,
        LLMContextLengthExceededError,
        "crewai.agents",  # it gives up with a plain ValueError or RuntimeError
        "crewai.llms",
        "crewai.utilities",
    )

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.stored, self.parked = setup.state_dir / "messages.json", setup.state_dir / "parked"
        if self.parked.exists():
            raise CannotRestore("a run that waits for the user, which CrewAI's agents do not store")
        self.sessions = {"conversation": messages_of(setup.history)}
        if self.stored.exists():
            if not (stored := self.stored.read_text(encoding="utf-8")):
                raise CannotRestore("messages of CrewAI with objects of Google's SDK, which are no JSON")
            self.sessions = {"conversation": json.loads(stored)}
        self.llm = model_of(setup)
        schema = setup.output_schema
        self.answer = None if schema is None else create_model_from_schema(dict(schema), model_name="Answer")
        self.said: list[str] = []
        register_before_llm_call_hook(self.add_what_was_said)
        if any(tool.approval for tool in setup.tools):
            register_before_tool_call_hook(self.ask_first)

    def ask_first(self, call: ToolCallHookContext) -> bool | None:
        """What a hook raises is swallowed, and the tool runs; but for this one exception."""
        if not any(tool.approval and tool.name == call.tool_name for tool in self.setup.tools):
            return None
        try:
            return None if self.setup.approve(ToolCall(None, call.tool_name, call.tool_input)) else False
        except Pending as pending:
            self.parked.touch()
            raise HookAborted(str(pending)) from pending

    def steer(self, message: str) -> None:
        self.said.append(message)

    def add_what_was_said(self, request: LLMCallHookContext) -> None:
        """Hooks are of the process: another adapter's run is none of this one's. It allows changes in place alone."""
        if request.agent is self.agent:
            said, self.said = self.said, []
            request.messages += [{"role": "user", "content": message} for message in said]

    def switch(self, setup: Setup) -> None:
        self.llm = model_of(setup)

    def close(self) -> None:
        unregister_before_llm_call_hook(self.add_what_was_said)
        unregister_before_tool_call_hook(self.ask_first)

    def send(self, message: str, session: str = "conversation") -> str:
        set_suppress_console_output(True)  # of this thread
        messages = self.sessions.setdefault(session, [])
        messages.append({"role": "user", "content": message})
        self.agent = Agent(
            role="Assistant",
            goal="Answer the user",
            backstory=self.setup.system,
            llm=self.llm,
            tools=[framework_tool(tool) for tool in self.setup.tools if tool.enabled],
            max_iter=self.setup.limits.requests - 1 if self.setup.limits.requests else ITERATIONS,
        )
        try:
            output = self.agent.kickoff(messages, response_format=self.answer)
        except HookAborted as aborted:
            raise Pending(str(aborted)) from aborted
        self.sessions[session] = messages = output.messages[1:]  # without its own prompt, which it puts first again
        if messages[-1]["role"] == "user":  # without tools it leaves its answer out
            messages.append({"role": "assistant", "content": output.raw})
        if session == "conversation":
            text = ""
            with contextlib.suppress(TypeError):
                text = json.dumps(messages)
            self.stored.write_text(text, encoding="utf-8")
        return str(output.raw if output.pydantic is None else output.pydantic.model_dump_json())


if find_spec("boto3"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


def model_of(setup: Setup) -> LLM:
    where: dict[str, Any] = {"base_url": setup.base_url, "api_key": setup.api_key, "stream": setup.stream}
    if setup.wire == "bedrock-converse":
        os.environ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] = setup.base_url  # Amazon's own variable: it takes no address
        keys = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
        where = {"region_name": "us-east-1", "stream": setup.stream, **keys}
    if setup.wire == "gemini-generate":
        where["client_params"] = {"http_options": {"base_url": setup.base_url}}
    if setup.wire == "openai-responses":
        where["api"] = "responses"
    return LLM(model=f"{PROVIDERS[setup.wire]}/{setup.model}", **where)


def framework_tool(tool: Tool) -> BaseTool:
    """A tool with a schema, as the framework makes one for a tool of an MCP server."""
    function = tool.function()

    class Wrapped(BaseTool):
        def _run(self, **arguments: Any) -> str:
            return Tool.text(function(**given(arguments)))

    schema = create_model_from_schema(dict(tool.parameters), model_name="Arguments")
    return Wrapped(name=tool.name, description=tool.description, args_schema=schema)


def given(value: Any) -> Any:
    """Without the nulls that the framework's models have for optional fields."""
    if isinstance(value, dict):
        return {name: given(inner) for name, inner in value.items() if inner is not None}
    return [given(one) for one in value] if isinstance(value, list) else value


def messages_of(history: tuple[Message, ...]) -> list[Any]:
    """The history as its own runs keep it: a result has the name of its tool."""
    messages = openai_chat_messages(history)
    return [sent | ({"name": kept.name} if kept.name else {}) for sent, kept in zip(messages, history, strict=True)]
