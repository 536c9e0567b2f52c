"""The OpenAI Agents SDK as an adapter: the extra `openai-agents`."""

# mypy: disable-error-code="import-not-found"
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agents import (
    Agent,
    AgentOutputSchemaBase,
    FunctionTool,
    Model,
    ModelBehaviorError,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    RunState,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.exceptions import AgentsException
from openai import AsyncOpenAI, OpenAIError

from agent_conformance import CannotRestore, Message, NamedTool, Part, Reply, Setup, Tool, ToolCall
from agent_conformance.adapter.functions import identifier

TURNS = 20


class Adapter:
    wires = ("openai-chat", "openai-responses")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "restart", "cancel"),
            *("approval", "sessions", "model-switch", "structured-output", "tool-choice", "user-images"),
        }
    )
    errors = (AgentsException, OpenAIError)

    def __init__(self, setup: Setup) -> None:
        set_tracing_disabled(True)
        self.setup = setup
        self.clients: list[AsyncOpenAI] = []
        self.agent = Agent(
            name="Assistant",
            instructions=setup.system or None,
            model=self.model_of(setup),
            tools=[framework_tool(tool) for tool in setup.tools],
            output_type=None if setup.output_schema is None else AnswerOf(setup.output_schema),
            model_settings=ModelSettings(tool_choice=choice_of(setup)),
        )
        self.sessions: dict[str | None, SQLiteSession] = {}
        self.history: list[Any] = [item for message in setup.history for item in items_of(message)]
        self.turns = setup.limits.requests or TURNS
        self.parked = setup.state_dir / "parked.json"

    def model_of(self, setup: Setup) -> Model:
        self.clients.append(client := AsyncOpenAI(base_url=setup.base_url, api_key=setup.api_key))
        kind = OpenAIChatCompletionsModel if setup.wire == "openai-chat" else OpenAIResponsesModel
        return kind(setup.model, openai_client=client)

    def switch(self, setup: Setup) -> None:
        self.agent = self.agent.clone(model=self.model_of(setup))

    async def send(self, message: str | list[Part], session: str | None = None) -> AsyncIterator[str]:
        stored = self.sessions.setdefault(
            session, SQLiteSession(session or "conversation", self.setup.state_dir / "sessions.db")
        )
        if self.history and session is None:
            await stored.add_items(self.history)
            self.history = []
        said: Any = message if isinstance(message, str) else [{"role": "user", "content": contents_of(message)}]
        if self.parked.exists():
            state = await RunState.from_string(self.agent, self.parked.read_text(encoding="utf-8"))
            await self.answer(state)
            state.add_input(said)
            said = state
        options: dict[str, Any] = {"session": stored, "max_turns": self.turns}
        while True:
            result: Any
            if self.setup.stream:
                result = Runner.run_streamed(self.agent, said, **options)
                async for event in result.stream_events():
                    if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                        yield event.data.delta
            else:
                result = await Runner.run(self.agent, said, **options)
            if not result.interruptions:
                break
            said = result.to_state()
            await self.answer(said)
        output = result.final_output
        yield Reply(output if self.setup.output_schema is None else json.dumps(output))

    async def answer(self, state: Any) -> None:
        """Have the user answer the calls that this run asks about. One without an answer yet is kept for a restart."""
        self.parked.write_text(state.to_string(), encoding="utf-8")
        for call in state.get_interruptions():
            allowed = await self.setup.aapprove(ToolCall(call.call_id, call.name, json.loads(call.arguments or "{}")))
            (state.approve if allowed else state.reject)(call)
        self.parked.unlink()

    async def close(self) -> None:
        for session in self.sessions.values():
            session.close()
        for client in self.clients:
            await client.close()


class AnswerOf(AgentOutputSchemaBase):  # type: ignore[misc]
    """An answer of this schema, in place of a class in Python."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = dict(schema)

    def is_plain_text(self) -> bool:
        return False

    def name(self) -> str:
        return "answer"

    def json_schema(self) -> dict[str, Any]:
        return self.schema

    def is_strict_json_schema(self) -> bool:
        return True

    def validate_json(self, json_str: str) -> Any:
        try:
            return json.loads(json_str)
        except ValueError as error:
            raise ModelBehaviorError(f"the answer is no JSON: {error}") from error


def choice_of(setup: Setup) -> str | None:
    return setup.tool_choice.tool if isinstance(setup.tool_choice, NamedTool) else setup.tool_choice


def contents_of(parts: Iterable[Part]) -> list[dict[str, Any]]:
    return [
        {"type": "input_text", "text": part.text}
        if part.type == "text"
        else {"type": "input_image", "image_url": f"data:{part.media_type};base64,{part.data}", "detail": "auto"}
        for part in parts
    ]


def framework_tool(tool: Tool) -> FunctionTool:
    """A function tool as the SDK makes it of a typed function; only the schema is the tool's own, word for word.

    Where the arguments have names that no such function can have, it is made by hand, as the documentation has it.
    """
    names = tool.parameters.get("properties", {})
    if "model_config" in names or any(identifier(name) != name for name in names):

        async def run(_context: Any, arguments: str) -> str:
            return Tool.text(await tool.acall(json.loads(arguments)))

        return FunctionTool(
            tool.name,
            tool.description,
            dict(tool.parameters),
            run,
            strict_json_schema=False,
            is_enabled=lambda _context, _agent: tool.enabled,
            needs_approval=bool(tool.approval),
        )
    typed = function_tool(
        tool.afunction(),
        name_override=tool.name,
        description_override=tool.description,
        strict_mode=False,
        is_enabled=lambda _context, _agent: tool.enabled,
        needs_approval=bool(tool.approval),
    )
    return replace(typed, params_json_schema=dict(tool.parameters))


def items_of(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        call_id = known(message.tool_call_id, "a result without an id")
        return [{"type": "function_call_output", "call_id": call_id, "output": message.text}]
    items: list[dict[str, Any]] = []
    if message.text or not message.tool_calls:
        items.append({"role": message.role, "content": contents_of(message.parts) if message.parts else message.text})
    for call in message.tool_calls:
        call_id = known(call.id, "a call without an id")
        items.append({"type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.text})
    return items


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"the Agents SDK's items cannot hold {what}")
    return value
