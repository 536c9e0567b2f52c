"""The `Setup` of an agent in its own process, made from `open`. Its tools and its user are asked over the channel."""

import asyncio
import itertools
import json
import os
import queue
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import (
    Fallback,
    Limits,
    Message,
    NamedTool,
    Part,
    Pending,
    Setup,
    StructuredResult,
    Tool,
    ToolCall,
    ToolError,
)
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.shown_texts import texts_of

Say = Callable[..., None]


class Conversation:
    """What an agent is given for one case. `say` sends a message; any thread of the agent may be the one that asks."""

    def __init__(self, opened: dict[str, Any], say: Say) -> None:
        self._say = say
        self._process = os.getpid()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Asked] = {}
        self._settled: set[int] = set()
        """What was not given up when a cancellation had gone round: the suite goes on with it."""
        self.enabled = {tool["name"] for tool in opened["tools"] if tool["enabled"]}
        self._gives_parts = bool(opened["gives_parts"])
        self.setup = self.setup_of(opened)

    def resolve(self, message: dict[str, Any]) -> None:
        """A `result` or an `approval` has arrived, or `later`: it takes some time."""
        if message["type"] == "later":
            if (asked := self._waiting.get(message["id"])) is not None:
                asked.first.put(False)
            return
        self.enabled = set(message.get("enabled", self.enabled))
        answered = self._waiting.pop(message["id"], None)
        if answered is not None and answered.value.set_running_or_notify_cancel():
            if message["type"] == "approval":
                if message["allowed"] is None:
                    answered.value.set_exception(Pending(message["text"]))
                else:
                    answered.value.set_result(message["allowed"])
            elif "error" in message:
                answered.value.set_exception(ToolError(message["error"]))
            else:
                value = message.get("value", message["text"])
                if "structured" in message:
                    value = StructuredResult(message["said"], message["structured"])
                answered.value.set_result([Part(**part) for part in value] if message.get("parts") else value)
            answered.first.put(True)

    def settle(self) -> None:
        """A cancellation has gone round. What the agent gives up from now on comes too late."""
        self._settled = set(self._waiting)

    def end(self) -> None:
        """The case is over: nothing is answered any more."""
        for asked in list(self._waiting.values()):
            if asked.value.set_running_or_notify_cancel():
                asked.value.set_exception(ToolError("the case is over"))
            asked.first.put(True)
        self._waiting.clear()

    def message(self, sent: dict[str, Any]) -> str | list[Part]:
        """What the user says in `send`."""
        self.enabled = set(sent["enabled"])
        return [Part(**part) for part in sent["parts"]] if "parts" in sent else str(sent["message"])

    def _begin(self, kind: str, /, **fields: Any) -> "Asked":
        if os.getpid() != self._process:
            raise ToolError("a process that was forked off the agent's has no tools")
        asked = Asked(next(self._numbers))
        self._waiting[asked.number] = asked
        self._say(kind, id=asked.number, **fields)
        return asked

    def _ask(self, kind: str, /, **fields: Any) -> Any:
        return self._begin(kind, **fields).value.result()

    async def _aask(self, kind: str, /, **fields: Any) -> Any:
        """What comes back. Other tasks of the agent run meanwhile only if it takes some time, as they would in process.

        A task that is cancelled gives up on it, and the suite hears of that.
        """
        asked = self._begin(kind, **fields)
        if asked.first.get():
            return asked.value.result()
        try:
            return await asyncio.wrap_future(asked.value)
        except asyncio.CancelledError:
            if asked.number not in self._settled:
                self._say("given-up", id=asked.number)
            raise

    def setup_of(self, opened: dict[str, Any]) -> Setup:
        """The set-up of `open`, or the one to go on with."""
        names = ("wire", "provider", "base_url", "api_key", "model", "stream", "system")
        choice = opened["tool_choice"]
        return Setup(
            **{name: opened[name] for name in names},
            tools=tuple(self._tool(tool) for tool in opened["tools"]),
            history=tuple(_message(message) for message in opened["history"]),
            limits=Limits(**opened["limits"]),
            state_dir=Path(opened["state_dir"]),
            observe=self._observe if opened["observe"] else None,
            server_tools=tuple(opened["server_tools"]),
            output_schema=opened["output_schema"],
            tool_choice=NamedTool(**choice) if isinstance(choice, dict) else choice,
            fallback=None if opened["fallback"] is None else Fallback(**opened["fallback"]),
            approve=self._approve,
            aapprove=self._aapprove,
        )

    def _tool(self, tool: dict[str, Any]) -> Tool:
        name = tool["name"]

        def run(arguments: Any) -> Any:
            return self._ask("call", tool=name, **_arguments(arguments))

        async def arun(arguments: Any) -> Any:
            return await self._aask("call", tool=name, **_arguments(arguments))

        return Tool(
            name,
            tool["description"],
            tool["parameters"],
            run=run,
            arun=arun,
            is_enabled=lambda: name in self.enabled,
            approval=tool.get("approval"),
            deferred=tool.get("deferred", False),
            gives_parts=self._gives_parts,
            output_schema=tool.get("output_schema"),
        )

    def _observe(self, event: Any) -> None:
        self._say("event", texts=list(texts_of(event)))

    def _approve(self, call: ToolCall) -> bool:
        return bool(self._ask("approve", **_question(call)))

    async def _aapprove(self, call: ToolCall) -> bool:
        return bool(await self._aask("approve", **_question(call)))


class Asked:
    """What the agent waits for. `first` says whether the answer came at once."""

    __slots__ = ("first", "number", "value")

    def __init__(self, number: int) -> None:
        self.number = number
        self.first: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self.value: Future[Any] = Future()


def _question(call: ToolCall) -> dict[str, Any]:
    arguments = None if call.arguments is None else dict(call.arguments)
    return {"tool": call.name, "call_id": call.id, **_arguments(arguments)}


def _arguments(arguments: Any) -> dict[str, Any]:
    """The arguments, or what they are where they are no JSON."""
    try:
        return {"arguments": json.loads(json.dumps(arguments))}
    except (TypeError, ValueError, RecursionError):
        return {"no_json": [type(arguments).__name__, redacted(repr(arguments))[:200]]}


def _message(fields: dict[str, Any]) -> Message:
    calls = tuple(ToolCall(**call) for call in fields.get("tool_calls", ()))
    parts = tuple(Part(**part) for part in fields.get("parts", ()))
    return Message(**fields | {"tool_calls": calls, "parts": parts})
