"""google-genai's automatic function calling as an adapter: the extra `google-genai`."""

# mypy: disable-error-code="import-not-found"
import inspect
from collections.abc import AsyncIterator, Callable
from itertools import takewhile
from typing import Annotated, Any

from google import genai
from google.genai import types
from google.genai.errors import APIError, UnknownApiResponseError
from pydantic import WithJsonSchema

from agent_conformance import AgentError, CannotRestore, Part, Reply, Setup, Tool
from agent_conformance.adapter.functions import fields_of, identifier, property_schemas
from agent_conformance.adapter.history import gemini_contents, leading_system


class Adapter:
    wires = ("gemini-generate",)
    modes = ("plain", "stream")
    features = frozenset(
        {"deltas", "history", "conversation", "native-tools", "request-limit", "tool-filter", "cancel"}
    )
    errors = (APIError, UnknownApiResponseError)

    def __init__(self, setup: Setup) -> None:
        if any(message.role == "tool" and not message.name for message in setup.history):
            raise CannotRestore("the SDK makes no function response without the name of its function")
        system, history = leading_system(setup.history)
        self.setup = setup
        self.system = "\n\n".join(text for text in (setup.system, system) if text) or None
        self.tool_names = names_of(setup.tools)
        self.client = genai.Client(api_key=setup.api_key, http_options=types.HttpOptions(base_url=setup.base_url))
        contents: list[Any] = gemini_contents(history)
        self.chat = self.client.aio.chats.create(model=setup.model, history=contents)

    async def send(self, message: str) -> AsyncIterator[str]:
        text = ""
        if self.setup.stream:
            async for chunk in await self.chat.send_message_stream(message, self.config()):
                text += chunk.text or ""
                yield chunk.text or ""
        else:
            text = (await self.chat.send_message(message, self.config())).text or ""
        self.settle(text)
        if not self.setup.stream:
            yield Reply(text)

    def config(self) -> types.GenerateContentConfig:
        functions: list[Any] = [
            function_of(tool, self.tool_names[tool.name]) for tool in self.setup.tools if tool.enabled
        ]
        limit = types.AutomaticFunctionCallingConfig(maximum_remote_calls=self.setup.limits.requests)
        return types.GenerateContentConfig(
            system_instruction=self.system, tools=functions, automatic_function_calling=limit
        )

    def settle(self, text: str) -> None:
        """Answer the calls that the SDK, at its limit or without functions, leaves to its caller to run and answer."""
        history = self.chat.get_history(curated=True)
        turn = reversed([*takewhile(lambda content: content.role == "model", reversed(history))])
        calls = [part.function_call for content in turn for part in content.parts or () if part.function_call]
        if (
            not calls or history[-1] != self.chat.get_history()[-1]
        ):  # the SDK leaves an empty turn out of the curated one
            return
        answers = [types.FunctionResponse(id=call.id, name=call.name, response={"error": "not run"}) for call in calls]
        answered = types.Content(role="user", parts=[types.Part(function_response=answer) for answer in answers])
        self.chat = self.client.aio.chats.create(model=self.setup.model, history=[*history, answered])
        if not text:
            raise AgentError(f"the SDK ended with a call of {calls[0].name} for its caller to run")

    async def close(self) -> None:
        await self.client.aio.aclose()


def names_of(tools: tuple[Tool, ...]) -> dict[str, str]:
    """A Python name for each tool, its own where it can be, no two the same: the SDK finds functions by their names."""
    names: dict[str, str] = {}
    for tool in sorted(tools, key=lambda tool: not tool.name.isidentifier()):
        name = identifier(tool.name)
        while name in names.values():
            name += "_"
        names[tool.name] = name
    return names


def function_of(tool: Tool, name: str) -> Callable[..., Any]:
    """The tool's typed function, annotated so that the SDK can both declare and call it.

    The SDK declares a parameter by its type and then calls `isinstance` with it, which raises for `Literal["a"]` and
    `dict[str, Any]` (googleapis/python-genai#2013). Only of a deferred annotation does it ask the bare type.
    """
    if renamed := [field.name for field in fields_of(tool.parameters) if field.name != field.parameter]:
        raise CannotRestore(f"a function has no parameter of the name {renamed[0]}, and the SDK takes functions")
    typed = tool.afunction()
    signature = inspect.signature(typed)
    schemas = property_schemas(tool.parameters)

    async def run(**arguments: Any) -> Any:
        value = await typed(**arguments)
        return Tool.text(value) if isinstance(value, list) and any(isinstance(part, Part) for part in value) else value

    run.__name__, run.__doc__ = name, tool.description
    run.__annotations__ = {
        field.parameter: Annotated[object, WithJsonSchema(schemas[field.name])] for field in fields_of(tool.parameters)
    }
    deferred = [parameter.replace(annotation="deferred") for parameter in signature.parameters.values()]
    run.__signature__ = inspect.Signature(deferred)  # type: ignore[attr-defined]
    return run
