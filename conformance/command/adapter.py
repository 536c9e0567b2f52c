"""An adapter whose agent is a command: one instance a case, one process a case or one for many.

Knows the order of messages within a session; nothing of how processes are kept or how a case is judged.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar

from conformance.adapter import AgentError, CannotRestore, Reply, Setup, Tool, ToolError
from conformance.command import messages
from conformance.command.errors import ProtocolBroken
from conformance.command.launcher import Launcher
from conformance.command.messages import Answer, Delta, Failure, Hello, Incoming, NotRestored, ToolRequest, Unreadable

SLOW = 1.0
"""Seconds from start to hello above which an agent that needs a process a case counts as slow."""


def command_adapter(command: str, *, cwd: Path | None = None, timeout: float = 10.0) -> type["CommandAgent"]:
    """An adapter class for this command, after one exchange of hello. Raises `CommandError`.

    `cwd` is where the command runs, by default here; `timeout` is how many seconds its hello may take.
    """
    launcher = Launcher(command, cwd=cwd or Path.cwd(), timeout=timeout)
    hello = launcher.greet()
    declared = {
        "launcher": launcher,
        "wires": hello.wires,
        "modes": hello.modes,
        "features": frozenset(hello.features),
        "slow": launcher.seconds > SLOW and not hello.reuse,
        "agent_name": hello.name,
        "agent_version": hello.version,
    }
    return type("CommandAgent", (CommandAgent,), declared)


class CommandAgent:
    """The adapter of a command; `command_adapter` makes the class that knows which."""

    launcher: ClassVar[Launcher]
    wires: ClassVar[tuple[str, ...]]
    modes: ClassVar[tuple[str, ...]]
    features: ClassVar[frozenset[str]]
    errors: ClassVar = (AgentError,)
    slow: ClassVar[bool]
    agent_name: ClassVar[str]
    agent_version: ClassVar[str]

    def __init__(self, setup: Setup) -> None:
        self._tools = {tool.name: tool for tool in setup.tools}
        self._process, self._session = self.launcher.take()
        self._in_order = True
        self._write(messages.open_message(setup, session=self._session))

    async def send(self, message: str) -> AsyncIterator[str]:
        """One step. Raises `AgentError` where the agent gave up, `CannotRestore`, and `CommandError`."""
        self._in_order = False
        self._nothing_unasked()
        enabled = [name for name, tool in self._tools.items() if tool.enabled]
        self._write(messages.send_message(message, session=self._session, enabled=enabled))
        running: set[asyncio.Task[None]] = set()
        try:
            while not isinstance(told := await self._told(running), Answer):
                if isinstance(told, Delta):
                    yield told.text
            self._in_order = not running
            if told.text is not None:
                yield Reply(told.text)
        finally:
            for task in running:
                task.cancel()

    def close(self) -> None:
        """End the session; a process that is in the middle of something is ended with it."""
        if self._in_order:
            self._write(messages.close_message(session=self._session))
            self.launcher.give_back(self._process)
        else:
            self.launcher.end(self._process, politely=False)

    async def _told(self, running: "set[asyncio.Task[None]]") -> Delta | Answer | None:
        """The next message that concerns the user; a call is begun on the side."""
        received = await self._receive(running)
        if isinstance(received, Delta | Answer) or received is None:
            return received
        if isinstance(received, ToolRequest):
            running.add(asyncio.ensure_future(self._run(self._tool(received), received)))
            return None
        if isinstance(received, Hello):
            raise self._broken("said hello twice")
        self._in_order = True
        if isinstance(received, NotRestored):
            raise CannotRestore(received.reason)
        assert isinstance(received, Failure)
        raise AgentError(received.message)

    async def _receive(self, running: "set[asyncio.Task[None]]") -> Incoming | None:
        """The next message of this session, None for one of another; raises what a tool that runs has raised."""
        line = asyncio.ensure_future(self._process.receive())
        try:
            while not line.done():
                await asyncio.wait({line, *running}, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in running if task.done()]:
                    running.discard(task)
                    task.result()
        finally:
            line.cancel()
        return self._read(line.result())

    def _tool(self, request: ToolRequest) -> Tool:
        if request.tool not in self._tools:
            known = ", ".join(self._tools) or "none"
            raise self._broken(f"calls the tool {request.tool!r}, which is not among those of `open`: {known}")
        return self._tools[request.tool]

    async def _run(self, tool: Tool, request: ToolRequest) -> None:
        try:
            value = await tool.acall(request.arguments)
        except ToolError as error:
            self._write(messages.failed_message(request, str(error), session=self._session))
        else:
            self._write(messages.result_message(request, value, session=self._session))

    def _nothing_unasked(self) -> None:
        for line in self._process.waiting():
            if self._read(line) is not None:
                raise self._broken(f"wrote {line[:80].decode(errors='replace')!r} while no step was running")

    def _read(self, line: bytes) -> Incoming | None:
        try:
            fields = messages.fields_of(line)
            session = fields.get("session")
            if session is None and self.launcher.reuse:
                raise Unreadable("left out `session`, which an agent that says `reuse` puts into every message")
            if session not in (None, self._session):
                return None
            return messages.incoming(fields)
        except Unreadable as error:
            raise self._broken(str(error)) from None

    def _broken(self, what: str) -> ProtocolBroken:
        self._in_order = False
        return ProtocolBroken(f"the agent {what}", self._process.stderr)

    def _write(self, message: dict[str, object]) -> None:
        self._process.write(messages.line_of(message))
