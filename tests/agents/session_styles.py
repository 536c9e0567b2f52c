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


class KeepsWithinTokens(KeepsAll):
    """Right: old results are shortened with a mark, oldest first, until the request is small."""

    characters = 3_000

    def sent(self) -> Messages:
        kept, open_from = list(self.messages), self.newest_round()
        for index, message in enumerate(kept[:open_from]):
            if sum(len(one["content"] or "") for one in kept) <= self.characters:
                break
            if message["role"] == "tool" and len(message["content"]) > 80:
                kept[index] = {**message, "content": f"{message['content'][:60]} [shortened]"}
        return kept

    def newest_round(self) -> int:
        """Where the model's newest message begins."""
        return max((i for i, one in enumerate(self.messages) if one["role"] == "assistant"), default=0)


class SumsUpBetweenTurns(KeepsAll):
    """Right: at the beginning of a turn it has the turns before it summed up, if they are many."""

    most_messages = 12
    instructions = "You write a summary of a conversation, for the agent that goes on with it."

    def send(self, message: str) -> Iterator[Any]:
        if len(self.messages) > self.most_messages:
            self.messages = [
                {"role": "user", "content": f"What was said before, in short: {self.summed_up(self.messages)}"}
            ]
        yield from super().send(message)

    def summed_up(self, messages: Messages) -> str:
        told = "\n".join(f"{one['role']}: {one['content'] or one.get('tool_calls')}" for one in messages)
        return self.asked([{"role": "system", "content": self.instructions}, {"role": "user", "content": told}])


class SumsUpAmidTheTurn(SumsUpBetweenTurns):
    """Right: the whole conversation, with the newest call and its result, becomes one message of the user."""

    def send(self, message: str) -> Iterator[Any]:
        self.task = message
        yield from KeepsAll.send(self, message)

    def sent(self) -> Messages:
        if len(self.messages) > self.most_messages:
            self.messages = [{"role": "user", "content": self.summary()}]
        return self.messages

    def summary(self) -> str:
        return f"What was done so far, in short: {self.summed_up(self.messages)}\nThe task is still: {self.task}"


class SumsUpTheTaskToo(SumsUpAmidTheTurn):
    """Right: what the task is stands in the summary, which the model wrote with the task before it."""

    def summary(self) -> str:
        return f"What was done so far, in short: {self.summed_up(self.messages)}"


class SumsUpInTheConversation(SumsUpAmidTheTurn):
    """Right: it asks for the summary at the end of the conversation itself, and declares that request."""

    wanted = "Write a summary of our conversation so far."

    def summed_up(self, messages: Messages) -> str:
        return self.asked([*self.system, *messages, {"role": "user", "content": self.wanted}])

    @classmethod
    def side_request(cls, body: dict[str, Any]) -> bool:
        return body["messages"][-1]["content"] == cls.wanted


class SumsUpWithoutTheNewestResult(SumsUpAmidTheTurn):
    """Wrong: the summary is of what was before the newest result, which then goes, too."""

    def summed_up(self, messages: Messages) -> str:
        return super().summed_up([one for one in messages[:-2] if one["role"] != "tool"])


class SumsUpAndForgetsTheTask(SumsUpAmidTheTurn):
    """Wrong: the summary is of the newest results alone, and the task is not said again."""

    def summary(self) -> str:
        return (
            f"What was done so far, in short: {self.summed_up([one for one in self.messages if one['role'] == 'tool'])}"
        )


class SumsUpTheSystemPrompt(SumsUpBetweenTurns):
    """Wrong: once it has summed up, the system prompt is gone."""

    def summed_up(self, messages: Messages) -> str:
        self.system = []
        return super().summed_up(messages)


class SumsUpTheTools(SumsUpBetweenTurns):
    """Wrong: once it has summed up, it offers no tool."""

    def summed_up(self, messages: Messages) -> str:
        text = super().summed_up(messages)
        self.tools = {}
        return text


class SumsUpHalfOfAPair(SumsUpAmidTheTurn):
    """Wrong: the newest result stays behind the summary, and its call does not."""

    def sent(self) -> Messages:
        if len(self.messages) > self.most_messages:
            newest = [one for one in self.messages[-1:] if one["role"] == "tool"]
            self.messages = [{"role": "user", "content": self.summary()}, *newest]
        return self.messages


class SumsUpForEver(SumsUpAmidTheTurn):
    """Wrong: it takes the summary for too long, and has it summed up again."""

    def sent(self) -> Messages:
        while len(self.messages) > self.most_messages:
            self.summary()
        return self.messages


class ContinuesStoredResponses:
    """Right: the provider keeps the conversation, and each request has what is new."""

    wires = ("openai-responses",)
    modes = ("plain",)
    features = frozenset({"conversation", "native-tools"})

    def __init__(self, setup: Setup) -> None:
        from openai import OpenAI

        self.setup = setup
        self.client = OpenAI(base_url=setup.base_url, api_key=setup.api_key, max_retries=0)
        self.previous: str | None = None

    def send(self, message: str) -> str:
        from openai import OpenAIError

        new: Messages = [{"role": "user", "content": message}]
        try:
            while True:
                response = self.create(new)
                calls = [item for item in response.output if item.type == "function_call"]
                if not calls:
                    return KeepsAll.answered(self, response.output_text)  # type: ignore[arg-type]
                self.tools = {tool.name: tool for tool in self.setup.tools}
                results = [KeepsAll.run(self, call.name, call.arguments) for call in calls]  # type: ignore[arg-type]
                new = [
                    {"type": "function_call_output", "call_id": call.call_id, "output": result}
                    for call, result in zip(calls, results, strict=True)
                ]
        except OpenAIError as error:
            raise AgentError(f"the provider failed: {error}") from error

    def create(self, new: Messages) -> Any:
        tools = [{"type": "function", "strict": False, **declaration(tool)["function"]} for tool in self.setup.tools]
        options: Any = {"previous_response_id": self.previous} if self.previous else {}
        if self.setup.system:
            options["instructions"] = self.setup.system
        response = self.client.responses.create(model=self.setup.model, input=new, tools=tools, **options)
        self.previous = response.id
        return response

    def close(self) -> None:
        self.client.close()
