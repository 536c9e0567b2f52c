"""A right agent as applications write it: a synchronous loop around the `openai` SDK. Each method is one thing.

It asks the user, takes messages during a turn, can be cancelled and restarted, and makes a full window smaller. It
knows the SDK and the adapter's types; it must not know the laws, the fakes or the reference agent.
"""

import json
from typing import Any

from agent_conformance import AgentError, Cancelled, Message, Pending, Setup, Tool, ToolCall, ToolError

Messages = list[dict[str, Any]]
REQUESTS = 20
LONG = 4_000
"""Characters of a result that are kept where the window is full."""
STOPPED = "Error: not run: the user has stopped the turn."
PENDING = "The user has not answered yet."
CLOSED = "(The turn was stopped.)"


class SdkLoop:
    wires = ("openai-chat",)
    modes = ("plain",)
    features = frozenset(
        {
            "history",
            "conversation",
            "native-tools",
            "request-limit",
            "context-limit",
            "tool-filter",
            "restart",
            "cancel",
            "approval",
            "steering",
        }
    )

    def __init__(self, setup: Setup) -> None:
        from openai import OpenAI

        self.setup = setup
        self.client = OpenAI(base_url=setup.base_url, api_key=setup.api_key, max_retries=0)
        self.path = setup.state_dir / "messages.json"
        self.messages: Messages = [self.restored(message) for message in setup.history] or self.loaded()
        self.said: list[str] = []
        self.stopped = False

    def send(self, message: str) -> str:
        from openai import OpenAIError

        self.stopped = False
        self.begin(message)
        try:
            return self.turn()
        except OpenAIError as error:
            raise AgentError(f"the provider failed: {error}") from error
        finally:
            self.path.write_text(json.dumps(self.messages))

    def begin(self, message: str) -> None:
        self.resume()
        self.messages.append({"role": "user", "content": message})

    def turn(self) -> str:
        limit = self.setup.limits.requests or REQUESTS
        for number in range(1, limit + 1):
            self.take_what_was_said()
            answer = self.ask(last=number == limit)
            if not answer.tool_calls:
                return self.reply(answer)
            self.run_batch(answer)
        raise AgentError("the model still calls tools at the limit of requests")

    def reply(self, answer: Any) -> str:
        text = answer.content or answer.refusal or ""
        self.messages.append({"role": "assistant", "content": text or CLOSED})
        if not text.strip():
            raise AgentError("the model gave no answer")
        return str(text)

    def run_batch(self, answer: Any) -> None:
        self.messages.append(answer.model_dump(include={"role", "content", "tool_calls"}))
        for call in answer.tool_calls:
            text = STOPPED if self.stopped else self.result(call.id, call.function.name, call.function.arguments)
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
        self.end_stopped()
        self.end_pending()

    def end_stopped(self) -> None:
        if self.stopped:
            self.messages.append({"role": "assistant", "content": CLOSED})
            raise Cancelled("the user has stopped the turn")

    def end_pending(self) -> None:
        if any(message["content"] == PENDING for message in self.messages):
            raise Pending(PENDING)

    def result(self, call_id: str, name: str, text: str) -> str:
        tool = self.found(name)
        if tool is None:
            return f"Error: there is no tool {name}. There are: {', '.join(tool.name for tool in self.tools())}."
        try:
            arguments = json.loads(text or "{}")
        except ValueError as error:
            return self.unreadable(error)
        if not isinstance(arguments, dict):
            return "Error: the arguments are no JSON object."
        try:
            if tool.approval and not self.allowed(ToolCall(call_id, name, arguments)):
                return "Error: the user does not allow this call."
        except Pending:
            return PENDING
        return STOPPED if self.is_stopped() else self.run(tool, arguments)

    def found(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools() if tool.name == name), None)

    def unreadable(self, error: ValueError) -> str:
        return f"Error: the arguments are no JSON: {error}"

    def is_stopped(self) -> bool:
        """Also after the question to the user, which may have been open for long."""
        return self.stopped

    def allowed(self, call: ToolCall) -> bool:
        return self.setup.approve(call)

    def run(self, tool: Tool, arguments: dict[str, Any]) -> str:
        try:
            return self.text(tool.call(arguments))
        except ToolError as error:
            return self.error_text(tool, error)

    def text(self, value: Any) -> str:
        return Tool.text(value)

    def error_text(self, tool: Tool, error: ToolError) -> str:
        return f"Error: {tool.name} failed: {error}"

    def resume(self) -> None:
        """Run what waits for the user, as the user answers now."""
        for message in self.messages:
            if message["content"] == PENDING:
                call = self.call_of(message["tool_call_id"])
                message["content"] = self.result(call["id"], call["function"]["name"], call["function"]["arguments"])

    def call_of(self, call_id: str) -> dict[str, Any]:
        calls: list[dict[str, Any]] = [call for one in self.messages for call in one.get("tool_calls") or ()]
        return next(call for call in reversed(calls) if call["id"] == call_id)

    def take_what_was_said(self) -> None:
        while self.said:
            self.messages.append({"role": "user", "content": self.said.pop(0)})

    def steer(self, message: str) -> None:
        self.said.append(message)

    def cancel(self) -> None:
        self.stopped = True

    def tools(self) -> list[Tool]:
        return [tool for tool in self.setup.tools if tool.enabled]

    def ask(self, *, last: bool) -> Any:
        from openai import BadRequestError

        for smaller in (self.shorten_results, self.drop_old_turns, self.clear_older_results, None):
            if smaller and self.is_too_long():
                smaller()
                continue
            try:
                return self.completion(last=last)
            except BadRequestError as error:
                if smaller is None or error.code != "context_length_exceeded":
                    raise
                smaller()
        return self.completion(last=last)

    def completion(self, *, last: bool) -> Any:
        system = [{"role": "system", "content": self.setup.system}] if self.setup.system else []
        options = self.options(last=last)
        return (
            self.client.chat.completions.create(model=self.setup.model, messages=system + self.sent(), **options)
            .choices[0]
            .message
        )

    def options(self, *, last: bool) -> Any:
        declared = [self.declaration(tool) for tool in self.tools()]
        if not declared:
            return {}
        return {"tools": declared, "tool_choice": "none"} if last else {"tools": declared}

    def declaration(self, tool: Tool) -> dict[str, Any]:
        function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        return {"type": "function", "function": function}

    def sent(self) -> Messages:
        return self.messages

    def is_too_long(self) -> bool:
        most = self.setup.limits.context_tokens
        return most is not None and len(json.dumps(self.messages)) > most * 3

    def shorten_results(self) -> None:
        for message in self.messages:
            if message["role"] == "tool" and len(message["content"]) > LONG:
                message["content"] = message["content"][:LONG] + " [... the rest was left out]"

    def drop_old_turns(self) -> None:
        self.messages = self.messages[self.start_of_turn() :]

    def clear_older_results(self) -> None:
        """All but those that the model has not seen."""
        seen = max((n for n, message in enumerate(self.messages) if message.get("tool_calls")), default=0)
        for message in self.messages[:seen]:
            if message["role"] == "tool":
                message["content"] = "[cleared]"

    def start_of_turn(self) -> int:
        """A message of the user that follows a result was said during a turn."""
        starts = [
            place
            for place, message in enumerate(self.messages)
            if message["role"] == "user" and (place == 0 or self.messages[place - 1]["role"] == "assistant")
        ]
        return starts[-1] if starts else 0

    def loaded(self) -> Messages:
        loaded: Messages = json.loads(self.path.read_text()) if self.path.exists() else []
        return loaded

    def restored(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
            for call in message.tool_calls
        ]
        return {"role": message.role, "content": message.text or None, **({"tool_calls": calls} if calls else {})}

    def close(self) -> None:
        self.client.close()
