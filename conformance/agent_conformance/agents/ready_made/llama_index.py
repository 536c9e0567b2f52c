"""LlamaIndex's `FunctionAgent` as an adapter: `pip install llama-index-core llama-index-llms-openai-like ...`.

A tool that needs the user's answer waits for an event, as its guide says. It documents no second model to fall back to,
and no message amid a run.
"""

# mypy: disable-error-code="import-not-found,import-untyped"
import json
from collections.abc import AsyncIterator
from importlib.util import find_spec
from typing import Any

from anthropic import AnthropicError
from google.genai.errors import APIError, UnknownApiResponseError
from llama_index.core.agent.workflow import AgentStream, FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, TextBlock, ToolCallBlock
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from openai import OpenAIError
from workflows.errors import WorkflowRuntimeError

if find_spec("llama_index.llms.bedrock_converse"):
    from botocore.exceptions import BotoCoreError, ClientError

from agent_conformance import CannotRestore, Message, Pending, Reply, Setup, Tool, ToolCall
from agent_conformance.adapter.functions import fields_of

UNFIT = ("self", "model_config")
"""Parameters that its function tools leave out, or raise for: a model is made of the others."""
IS_FOR_BEDROCK = find_spec("llama_index.llms.bedrock_converse") is not None


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate")
    modes = ("plain", "stream")
    features = frozenset(
        {
            *("deltas", "history", "conversation", "native-tools", "cancel", "restart"),
            *("approval", "sessions", "model-switch"),
        }
    )
    errors = (
        OpenAIError,
        AnthropicError,
        APIError,
        UnknownApiResponseError,
        WorkflowRuntimeError,
        "llama_index.llms.google_genai",  # it gives up with a plain RuntimeError
        *((BotoCoreError, ClientError) if IS_FOR_BEDROCK else ()),
    )

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        llm = model_of(setup)
        self.agent = FunctionAgent(
            llm=llm,
            tools=[framework_tool(tool) for tool in setup.tools],
            system_prompt=setup.system or None,
            streaming=setup.stream,
        )
        history = [message_of(message) for message in setup.history]
        memory = ChatMemoryBuffer.from_defaults(chat_history=history, llm=llm)
        self.stored, self.parked = setup.state_dir / "memory.json", setup.state_dir / "parked.json"
        if self.stored.exists():
            memory = ChatMemoryBuffer.from_string(self.stored.read_text(encoding="utf-8"))
        self.memories = {"conversation": memory}

    def switch(self, setup: Setup) -> None:
        self.agent.llm = model_of(setup)

    async def send(self, message: str, session: str = "conversation") -> AsyncIterator[str]:
        if self.parked.exists():  # the run that waits for the user comes first, and has an answer of its own
            parked = json.loads(self.parked.read_text(encoding="utf-8"))
            answer = await self.answer(parked["question"])
            context = Context.from_dict(self.agent, parked["context"])
            run = self.agent.run(ctx=context)
            run.ctx.send_event(answer)
            self.parked.unlink()
            async for piece in self.shown(run):
                if not isinstance(piece, Reply):
                    yield piece
            self.memories["conversation"] = await run.ctx.store.get("memory")
        memory = self.memories.setdefault(session, ChatMemoryBuffer.from_defaults(llm=self.agent.llm))
        async for piece in self.shown(self.agent.run(message, memory=memory)):
            yield piece

    async def shown(self, run: Any) -> AsyncIterator[str]:
        try:
            async for event in run.stream_events():
                if isinstance(event, AgentStream) and event.delta:
                    yield event.delta
                elif isinstance(event, InputRequiredEvent):
                    question = {"tool": event.tool, "arguments": event.arguments, "waiter": event.waiter}
                    try:
                        run.ctx.send_event(await self.answer(question))
                    except Pending:
                        parked = {"context": run.ctx.to_dict(), "question": question}
                        self.parked.write_text(json.dumps(parked), encoding="utf-8")
                        raise
            yield Reply(str(await run))
        finally:
            if not run.done():
                await run.cancel_run()
            self.stored.write_text(self.memories["conversation"].to_string(), encoding="utf-8")

    async def answer(self, question: dict[str, Any]) -> HumanResponseEvent:
        allowed = await self.setup.aapprove(ToolCall(None, question["tool"], question["arguments"]))
        return HumanResponseEvent(response=allowed, waiter=question["waiter"])


if IS_FOR_BEDROCK:
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


def framework_tool(tool: Tool) -> FunctionTool:
    fields = fields_of(tool.parameters)
    if odd := [field.name for field in fields if field.name != field.parameter or field.name in UNFIT]:
        raise CannotRestore(f"a function tool has no parameter of the name {odd[0]}")
    run = tool.afunction()
    plain = FunctionTool.from_defaults(async_fn=run, name=tool.name, description=tool.description)
    if not tool.approval:
        return plain

    async def ask_first(ctx: Context, **arguments: Any) -> Any:
        waiter = f"{tool.name} {json.dumps(arguments)}"
        question = InputRequiredEvent(tool=tool.name, arguments=arguments, waiter=waiter)
        answer = await ctx.wait_for_event(
            HumanResponseEvent, waiter_event=question, waiter_id=waiter, requirements={"waiter": waiter}
        )
        return await run(**arguments) if answer.response else "The user did not allow this call."

    schema = plain.metadata.fn_schema
    return FunctionTool.from_defaults(
        async_fn=ask_first, name=tool.name, description=tool.description, fn_schema=schema
    )


def model_of(setup: Setup) -> Any:
    if setup.wire == "anthropic-messages":
        from llama_index.llms.anthropic import Anthropic

        return Anthropic(setup.model, base_url=setup.base_url, api_key=setup.api_key)
    if setup.wire == "gemini-generate":
        from google.genai.types import HttpOptions
        from llama_index.llms.google_genai import GoogleGenAI

        # With these two sizes it does not look the model up when it is made.
        sizes = {"max_tokens": 8192, "context_window": 1_000_000}
        return GoogleGenAI(
            setup.model, api_key=setup.api_key, http_options=HttpOptions(base_url=setup.base_url), **sizes
        )
    if setup.wire == "bedrock-converse":
        from llama_index.llms.bedrock_converse import BedrockConverse

        keys = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
        return BedrockConverse(setup.model, endpoint_url=setup.base_url, region_name="us-east-1", **keys)
    from llama_index.llms.openai_like import OpenAILike

    where: dict[str, Any] = {"api_base": setup.base_url, "api_key": setup.api_key}
    return OpenAILike(setup.model, **where, is_chat_model=True, is_function_calling_model=True)


def message_of(message: Message) -> ChatMessage:
    if message.role == "tool":
        call_id = known(message.tool_call_id, "a result without an id")
        extra = {"tool_call_id": call_id, "name": message.name}
        return ChatMessage(role="tool", content=message.text, additional_kwargs=extra)
    blocks: list[Any] = [TextBlock(text=message.text)] if message.text or not message.tool_calls else []
    return ChatMessage(role=message.role, blocks=[*blocks, *(block_of(call) for call in message.tool_calls)])


def block_of(call: ToolCall) -> ToolCallBlock:
    call_id = known(call.id, "a call without an id")
    arguments = call.arguments_text if call.arguments is None else dict(call.arguments)
    return ToolCallBlock(tool_call_id=call_id, tool_name=call.name, tool_kwargs=arguments)


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"LlamaIndex's messages cannot hold {what}")
    return value
