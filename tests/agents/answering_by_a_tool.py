"""The twin of a right agent that is the same in all but one thing: it ends a turn by a call of a tool of its own.

Each answer stands in its messages as that call, with a result, as frameworks keep it.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agent_conformance import Setup, Tool
from tests.agents import right_anthropic, right_openai
from tests.agents.plain import PlainAgent
from tests.agents.session_styles import KeepsAll

NAME, ARGUMENT = "final_answer", "answer"
SCHEMA = {"type": "object", "properties": {ARGUMENT: {"type": "string"}}, "required": [ARGUMENT]}
SENT = "Sent."


async def _sent(_: Any) -> str:
    return SENT


OWN = Tool(NAME, "Ends the turn.", SCHEMA, run=lambda _: SENT, arun=_sent)


def answering_by_a_tool(agent: type) -> type:
    """The twin of this agent, which has to be around OpenAI's or Anthropic's SDK, or a `PlainAgent`."""
    twin = next(twin for kind, twin in TWINS.items() if issubclass(agent, kind))
    members = {"features": agent.features | {"own-tools"}, "reply_tool": (NAME, ARGUMENT)}  # type: ignore[attr-defined]
    return type(f"{agent.__name__}ByATool", (twin, agent), members)


class _OfPlain:
    def tools(self) -> list[Tool]:
        return [*super().tools(), OWN]  # type: ignore[misc]

    def take(self, response: dict[str, Any]) -> tuple[str, list[tuple[Any, str, Any]]]:
        text, calls = super().take(response)  # type: ignore[misc]
        if [name for _, name, _ in calls] != [NAME]:
            return text, calls
        [(id, name, arguments)] = calls
        self.answer([(id, name, SENT)])  # type: ignore[attr-defined]
        return arguments[ARGUMENT], []


class _OfAnthropic:
    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, tools=(*setup.tools, OWN)))  # type: ignore[call-arg]

    async def finish(self, turn: right_anthropic.Turn) -> bool:
        is_over = await super().finish(turn)  # type: ignore[misc]
        answers = [block["input"] for block in turn.content if block.get("name") == NAME]
        if not answers:
            return bool(is_over)
        turn.content = [{"type": "text", "text": answers[0][ARGUMENT]}]
        return True


class _OfOpenAI:
    """Between the agent and the SDK: the agent sees texts, and the provider calls."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)  # type: ignore[call-arg]
        self.setup = setup
        self.calls: dict[str, dict[str, Any]] = {}
        self.create = self.client.chat.completions.create  # type: ignore[has-type]
        self.client.chat.completions.create = self.create_by_tool  # type: ignore[has-type]

    def create_by_tool(
        self, *, messages: list[dict[str, Any]], tools: Any = (), stream: bool = False, **options: Any
    ) -> Any:
        """A request without tools is one of its own, for a summary: it is left as it is."""
        is_own = not tools and any(tool.enabled for tool in self.setup.tools)
        offered = [] if is_own else [*tools, right_openai.definition(NAME, OWN)]
        sent = [one for message in messages for one in self.with_calls(message)]
        if offered:
            options["tools"] = offered
        completion = self.create(messages=sent, stream=stream, **options)
        return self.streamed_text(completion) if stream else self.with_text(completion)

    def with_calls(self, message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        call = self.calls.get(message.get("content") or "") if message["role"] == "assistant" else None
        if call is None:
            yield message
        else:
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
            yield {"role": "tool", "tool_call_id": call["id"], "content": SENT}

    def kept(self, id: str, arguments: str) -> str:
        text = str(json.loads(arguments)[ARGUMENT])
        self.calls[text] = {"id": id, "type": "function", "function": {"name": NAME, "arguments": arguments}}
        return text

    def with_text(self, completion: Any) -> Any:
        message = completion.choices[0].message
        if [call.function.name for call in message.tool_calls or ()] == [NAME]:
            [call] = message.tool_calls
            message.content, message.tool_calls = self.kept(call.id, call.function.arguments), None
        return completion

    def streamed_text(self, stream: Any) -> Iterator[Any]:
        id, arguments, last = "", "", None
        for chunk in stream:
            last = chunk if chunk.choices else last
            for choice in chunk.choices:
                for piece in choice.delta.tool_calls or ():
                    if id or (piece.function and piece.function.name == NAME):
                        id, arguments = id or piece.id, arguments + (piece.function.arguments or "")
                if id:
                    choice.delta.tool_calls = None
            yield chunk
        if id:
            last.choices[0].delta.content = self.kept(id, arguments)
            yield last


TWINS: dict[type, type] = {
    PlainAgent: _OfPlain,
    right_anthropic.Adapter: _OfAnthropic,
    right_openai.Adapter: _OfOpenAI,
    KeepsAll: _OfOpenAI,
}
