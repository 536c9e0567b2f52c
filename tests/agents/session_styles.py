"""Agents around the official `openai` SDK that differ in one thing: what they send of a long session.

They stream, and run calls in a plain loop, as an application does. They know the SDK and the adapter's types; they must
not know the laws, the fakes or the reference agent.
"""

import json
from collections.abc import Iterator
from typing import Any

from agent_conformance import AgentError, Message, Reply, Setup, Tool, ToolError

Messages = list[dict[str, Any]]


class KeepsAll:
    """Sends everything each time."""

    wires = ("openai-chat",)
    modes = ("stream",)
    features = frozenset({"deltas", "history", "conversation", "native-tools"})
    most_rounds = 200

    def __init__(self, setup: Setup) -> None:
        from openai import OpenAI

        self.setup = setup
        self.client = OpenAI(base_url=setup.base_url, api_key=setup.api_key, max_retries=0)
        self.tools = {tool.name: tool for tool in setup.tools}
        self.system = [{"role": "system", "content": setup.system}] if setup.system else []
        self.messages: Messages = [as_sent(message) for message in setup.history]

    def send(self, message: str) -> Iterator[Any]:
        from openai import OpenAIError

        self.messages.append({"role": "user", "content": message})
        try:
            for _ in range(self.most_rounds):
                text, calls = yield from self.streamed(self.system + self.sent(), tools=True)
                self.messages.append(assistant(text, calls))
                if not calls:
                    yield Reply(self.answered(text))
                    return
                for call in calls:
                    content = self.run(call["function"]["name"], call["function"]["arguments"])
                    self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        except OpenAIError as error:
            raise AgentError(f"the provider failed: {error}") from error
        yield Reply(self.stopped())

    def sent(self) -> Messages:
        """What of the conversation goes into the next request."""
        return self.messages

    def answered(self, text: str) -> str:
        if not text.strip():
            raise AgentError("the model gave no answer")
        return text

    def stopped(self) -> str:
        """The reply when there were too many rounds."""
        text = f"I stopped after {self.most_rounds} rounds. Say so if I am to continue."
        self.messages.append({"role": "assistant", "content": text})
        return text

    def streamed(self, messages: Messages, *, tools: bool) -> Iterator[str]:
        """Yields the text as it comes; returns all of it, and the calls."""
        declared = [declaration(tool) for tool in self.tools.values() if tool.enabled]
        options: Any = {"tools": declared} if tools and declared else {}
        stream = self.client.chat.completions.create(model=self.setup.model, messages=messages, stream=True, **options)
        text, calls = "", {}
        for chunk in stream:
            for choice in chunk.choices:
                if choice.delta.content:
                    text += choice.delta.content
                    if tools:
                        yield choice.delta.content
                for piece in choice.delta.tool_calls or ():
                    call = calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
                    call["id"] += piece.id or ""
                    call["name"] += (piece.function and piece.function.name) or ""
                    call["arguments"] += (piece.function and piece.function.arguments) or ""
        return text, [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
            for call in calls.values()
        ]

    def asked(self, messages: Messages) -> str:
        """One more request of the agent's own, without tools."""
        pieces = self.streamed(messages, tools=False)
        while True:
            try:
                next(pieces)
            except StopIteration as end:
                return end.value[0]

    def run(self, name: str, arguments: str) -> str:
        tool = self.tools.get(name)
        if tool is None or not tool.enabled:
            return f"Error: there is no tool {name}. There are: {', '.join(self.tools)}."
        try:
            read = json.loads(arguments or "{}")
            return Tool.text(tool.call(read)) if isinstance(read, dict) else "Error: the arguments are no object."
        except (ToolError, ValueError) as error:
            return f"Error: {error}"

    def close(self) -> None:
        self.client.close()


def declaration(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def assistant(text: str, calls: Messages) -> dict[str, Any]:
    return {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}


def as_sent(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": message.text or None, **({"tool_calls": calls} if calls else {})}


class LastTwentyMessages(KeepsAll):
    """Wrong: the newest twenty messages, wherever the cut falls."""

    def sent(self) -> Messages:
        return self.messages[-20:]


class StopsInSilence(KeepsAll):
    """Wrong: after five rounds of calls the turn is over, with nothing said."""

    most_rounds = 5

    def stopped(self) -> str:
        return ""


class SaysThatItStops(KeepsAll):
    """Right: after five rounds it says so."""

    most_rounds = 5


class LastTwentyOfWholeExchanges(KeepsAll):
    """Right: whole exchanges go, oldest first, and the question of the turn stays. No mark is left."""

    def sent(self) -> Messages:
        starts = [index for index, message in enumerate(self.messages) if message["role"] == "user"]
        for start in starts:
            if len(self.messages) - start <= 20:
                return self.messages[start:]
        head, rounds = self.messages[starts[-1]], self.messages[starts[-1] + 1 :]
        while len(rounds) > 19:
            following = next((i for i, one in enumerate(rounds) if i and one["role"] == "assistant"), None)
            if following is None:
                break
            rounds = rounds[following:]
        return [head, *rounds]


class EmptiesOldResults(KeepsAll):
    """Wrong: all results but the newest eight are sent as empty texts."""

    def sent(self) -> Messages:
        results = [index for index, message in enumerate(self.messages) if message["role"] == "tool"][:-8]
        return [
            {**message, "content": ""} if index in results else message for index, message in enumerate(self.messages)
        ]


class ClearsOldResults(EmptiesOldResults):
    """Right: the same, with a mark in the place of what was cleared."""

    def sent(self) -> Messages:
        cleared = "[cleared; call again if you need it]"
        return [{**one, "content": cleared} if one.get("content") == "" else one for one in super().sent()]
