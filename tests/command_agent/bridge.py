"""Any adapter in Python as a command: `python tests/command_agent/bridge.py module:Attribute`.

It says by messages all that an adapter can say, so that whatever is judged in process can be judged over the protocol.
"""

import asyncio
import importlib
import json
import re
import sys
import threading
import traceback
from concurrent.futures import Future
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from agent_conformance.adapter.types import (
    AgentError,
    Cancelled,
    CannotRestore,
    Fallback,
    Limits,
    Message,
    NamedTool,
    Part,
    Pending,
    Reply,
    Setup,
    Tool,
    ToolCall,
    ToolError,
)


class Session:
    """One adapter between `open` and `close`. What it writes goes through `write`, from any thread."""

    def __init__(self, opened: dict[str, Any], adapter: Any, write: Any) -> None:
        self.name = opened["session"]
        self._write = write
        self._ids = count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self.enabled: set[str] = {tool["name"] for tool in opened["tools"] if tool["enabled"]}
        tools = tuple(self._tool(tool) for tool in opened["tools"])
        observe = self._observe if opened.get("observe") else None
        self._setup = setup_of(opened, tools, observe, self._approve)
        self.adapter = adapter(self._setup)
        names = getattr(self.adapter, "tool_names", None)
        named = names if callable(names) else (names or {}).get
        self.tool_names = {tool.name: name for tool in tools if (name := named(tool.name)) and name != tool.name}

    def say(self, kind: str, **fields: Any) -> None:
        self._write({"type": kind, "session": self.name, **fields})

    async def turn(self, message: str | list[Part], *, compact: bool) -> None:
        reply = None
        try:
            if compact:
                await self.adapter.compact()
            sent = self.adapter.send(message)
            if hasattr(sent, "__aiter__"):
                async for item in sent:
                    if isinstance(item, Reply):
                        reply = str(item)
                    else:
                        self.say("delta", text=item)
            else:
                reply = await sent if asyncio.iscoroutine(sent) else sent
        except Cancelled:
            self.say("cancelled")
        except Pending:
            self.say("parked")
        except CannotRestore as unable:
            self.say("cannot-restore", reason=unable.reason)
        except (AgentError, ToolError, *getattr(self.adapter, "errors", ())) as failure:
            self.say("error", message=str(failure))
        except Exception as crash:
            traceback.print_exc()
            self.say("error", message=repr(crash), controlled=False, traceback=traceback.format_exc())
        else:
            self.say("reply", text=reply)

    async def switch(self, message: dict[str, Any]) -> None:
        changed = {name: message[name] for name in ("wire", "provider", "base_url", "api_key", "model")}
        self._setup = replace(self._setup, history=(), **changed)
        switched = self.adapter.switch(self._setup)
        if asyncio.iscoroutine(switched):
            await switched

    def resolve(self, result: dict[str, Any]) -> None:
        self.enabled = set(result.get("enabled", self.enabled))
        waiting = self._waiting.pop(result["id"])
        if waiting.cancelled():
            return
        if result["type"] == "approval" and result["allowed"] is None:
            waiting.set_exception(Pending())
        elif result["type"] == "approval":
            waiting.set_result(result["allowed"])
        elif "error" in result:
            waiting.set_exception(ToolError(result["error"]))
        else:
            waiting.set_result(value_of(result["value"]) if "value" in result else result["text"])

    async def _approve(self, call: ToolCall) -> bool:
        id = next(self._ids)
        self._waiting[id] = future = Future[Any]()
        self.say("approve", id=id, tool=call.name, arguments=dict(call.arguments or {}), call_id=call.id)
        return bool(await asyncio.wrap_future(future))

    def _observe(self, event: Any) -> None:
        self.say("event", event=event)

    def _tool(self, got: dict[str, Any]) -> Tool:
        def ask(arguments: Any) -> Future[Any]:
            id = next(self._ids)
            self._waiting[id] = future = Future[Any]()
            self.say("call", id=id, tool=got["name"], arguments=arguments)
            return future

        async def arun(arguments: Any) -> Any:
            return await asyncio.wrap_future(ask(arguments))

        return Tool(
            got["name"],
            got["description"],
            got["parameters"],
            run=lambda arguments: ask(arguments).result(),
            arun=arun,
            is_enabled=lambda: got["name"] in self.enabled,
            approval=got.get("approval"),
            deferred=got.get("deferred", False),
        )


def setup_of(opened: dict[str, Any], tools: tuple[Tool, ...], observe: Any, approve: Any) -> Setup:
    same = {name: opened[name] for name in ("wire", "provider", "base_url", "api_key", "model", "stream", "system")}
    history = tuple(message_of(message) for message in opened["history"])
    limits = Limits(**opened["limits"])
    folder = Path(opened["state_dir"])
    more = {"state_dir": folder, "observe": observe, "aapprove": approve}
    more["server_tools"] = tuple(opened.get("server_tools", ()))
    second = opened.get("fallback")
    more["fallback"] = Fallback(**second) if second else None
    more["output_schema"] = opened.get("output_schema")
    choice = opened.get("tool_choice")
    more["tool_choice"] = NamedTool(**choice) if isinstance(choice, dict) else choice
    return Setup(**same, tools=tools, history=history, limits=limits, **more)


def message_of(got: dict[str, Any]) -> Message:
    calls = tuple(ToolCall(**call) for call in got.get("tool_calls", ()))
    parts = tuple(Part(**part) for part in got.get("parts", ()))
    return Message(**got | {"tool_calls": calls, "parts": parts})


def value_of(value: Any) -> Any:
    parts = isinstance(value, list) and value and all(isinstance(p, dict) and "type" in p for p in value)
    return [Part(**part) for part in value] if parts else value


def hello_of(adapter: Any) -> dict[str, Any]:
    got = {
        "type": "hello",
        "protocol": 1,
        "wires": list(adapter.wires),
        "modes": list(getattr(adapter, "modes", ("plain",))),
        "features": sorted(getattr(adapter, "features", ())),
        "reuse": True,
        "opened": True,
        "together": True,
        "instructions_as_message": getattr(adapter, "instructions_as_message", False),
        "scrub": [getattr(one, "pattern", one) for one in getattr(adapter, "scrub", ())],
        "side_request": getattr(adapter, "side_requests", False),
        "errors": [error for error in getattr(adapter, "errors", ()) if isinstance(error, str)],
    }
    if getattr(adapter, "reply_tool", None):
        got["reply_tool"] = dict(zip(("tool", "argument"), adapter.reply_tool, strict=True))
    return got


class Bridge:
    """Reads on the loop's thread pool, runs turns on the loop; any number of sessions at a time."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._turns: set[asyncio.Task[None]] = set()

    def write(self, message: dict[str, Any]) -> None:
        with self._lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    async def run(self) -> None:
        lines: asyncio.Queue[str] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def read() -> None:
            for line in sys.stdin:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, "")

        threading.Thread(target=read, daemon=True).start()
        while line := await lines.get():
            await self._take(json.loads(line))

    async def _take(self, message: dict[str, Any]) -> None:
        kind, session = message["type"], self._sessions.get(message.get("session", ""))
        if kind == "hello":
            self.write(hello_of(self._adapter))
        elif kind == "open":
            try:
                session = Session(message, self._adapter, self.write)
            except CannotRestore as unable:
                self.write({"type": "cannot-restore", "session": message["session"], "reason": unable.reason})
            else:
                self._sessions[session.name] = session
                session.say("opened", tool_names=session.tool_names)
        elif session is None:
            return
        elif kind == "send":
            session.enabled = set(message["enabled"])
            said = value_of(message["parts"]) if "parts" in message else message["message"]
            task = asyncio.ensure_future(session.turn(said, compact=message.get("compact", False)))
            self._turns.add(task)
            task.add_done_callback(self._turns.discard)
        elif kind in ("result", "approval"):
            session.resolve(message)
        elif kind == "switch":
            await session.switch(message)
        elif kind == "steer":
            session.adapter.steer(message["message"])
        elif kind == "cancel":
            session.adapter.cancel()
        elif kind == "close":
            del self._sessions[session.name]
            close = getattr(session.adapter, "close", None)
            if close is not None and asyncio.iscoroutine(closed := close()):
                await closed


def main(spec: str) -> None:
    module, _, attribute = spec.partition(":")
    asyncio.run(Bridge(getattr(importlib.import_module(module), attribute)).run())


if __name__ == "__main__":
    main(re.sub(r"^cmd:", "", sys.argv[1]))
