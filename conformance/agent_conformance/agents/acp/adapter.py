"""An adapter whose agent is a program that speaks the Agent Client Protocol: a process for each case, or one for many.

Knows the order of a conversation; the protocol is in `connection`, and what each program needs in `known_programs`.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from acp.schema import McpServerStdio

from agent_conformance import AgentError, CannotRestore, Setup, Tool
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.agents.acp.command_line import (
    CommandLine,
    Endpoint,
    NotACommand,
    all_filled,
    command_line,
    filled,
)
from agent_conformance.agents.acp.connected_program import ConnectedProgram
from agent_conformance.agents.acp.connection import Connection
from agent_conformance.agents.acp.discovery import discovered
from agent_conformance.agents.acp.known_programs import BY_NAME, USUAL, Program
from agent_conformance.agents.acp.permissions import permissions_of
from agent_conformance.agents.acp.shared_program import Live, SharedProgram, write_files
from agent_conformance.agents.programs import environment, program_folders_in, started

SERVER = "suite"
PREFIX = "suite_"
"""Before the names of the case's tools, so that none is the name of a tool of the agent's own."""
STARTING = 30.0
"""Seconds for the program to answer `initialize`; some load for several."""
NOTHING = Endpoint("", "", "")
FEATURES = frozenset({"deltas", "conversation", "native-tools", "cancel", "own-tools"})


@dataclass(frozen=True, slots=True)
class Launch:
    """How the program of each case is started, and what to write for it."""

    command: CommandLine
    known: Program
    wire: str

    @property
    def variables(self) -> dict[str, str]:
        return {**self.known.variables[self.wire], **self.command.variables}

    @property
    def shared(self) -> SharedProgram | None:
        """The program for many cases, if it is one, and the command has nothing that belongs to one case."""
        given = [*self.command.arguments, *self.command.variables.values()]
        if not self.known.shared or any(text != filled(text, NOTHING) for text in given):
            return None
        return SharedProgram([self.command.program, *self.command.arguments], self.variables, self.known.authentication)

    def environment(self, setup: Setup, home: Path) -> dict[str, str]:
        given = {name: filled(value, endpoint_of(setup)) for name, value in self.variables.items()}
        return environment(home, **given)

    def settings(self, setup: Setup) -> dict[str, str]:
        return {name: filled(text, endpoint_of(setup)) for name, text in self.known.settings.items()}

    def project(self, setup: Setup) -> dict[str, str]:
        files = self.known.project.get(self.wire, {})
        return {name: filled(text, endpoint_of(setup)) for name, text in files.items()}

    def words(self, setup: Setup) -> list[str]:
        return [self.command.program, *all_filled(self.command.arguments, endpoint_of(setup))]


def endpoint_of(setup: Setup) -> Endpoint:
    return Endpoint(setup.base_url, setup.api_key, setup.model)


def acp_adapter(text: str, *, cwd: Path | None = None, timeout: float = STARTING) -> type["AcpAgent"]:
    """An adapter class for this command, once its program has answered `initialize`. Raises `NotACommand`.

    A program that is not known is sent a message besides, to see which wire and mode it uses.
    """
    command = command_line(text, cwd=cwd or Path.cwd())
    known = BY_NAME.get(command.name)
    begun = time.monotonic()
    found = asyncio.run(
        discovered(command, asks=known is None and not (command.wire and command.mode), timeout=timeout)
    )
    known = known or Program(command.name, "", "", USUAL)
    wire = command.wire or found.wire or next(iter(known.variables))
    if wire not in known.variables:
        raise NotACommand(f"wire={wire}: {command.name} speaks {', '.join(known.variables)}")
    launch = Launch(command, known, wire)
    shared = launch.shared
    declared = {
        "launch": launch,
        "program": shared,
        "wires": (wire,),
        "modes": (command.mode or found.mode or "stream",),
        "features": FEATURES
        | ({"restart"} if found.loads_sessions else frozenset())
        | ({"approval"} if command.asks else frozenset()),
        "start_seconds": time.monotonic() - begun if shared is None else 0.0,
        "agent_version": found.version,
    }
    return type("AcpAgent", (AcpAgent if shared is None else SharedAcpAgent,), declared)


class AcpAgent(ConnectedProgram):
    """The adapter of a program. `acp_adapter` makes a subclass for one command."""

    launch: ClassVar[Launch]
    wires: ClassVar[tuple[str, ...]]
    modes: ClassVar[tuple[str, ...]]
    features: ClassVar[frozenset[str]]
    start_seconds: ClassVar[float]
    agent_version: ClassVar[str]

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        self._write_files(setup)
        self.tool_names = {tool.name: PREFIX + tool.name for tool in setup.tools}
        self.tools = serve_stdio([_renamed(tool, self.tool_names) for tool in setup.tools])
        self.permissions = permissions_of(setup, self.tool_names)
        self.words = self.launch.words(setup)
        self.environment = self.launch.environment(setup, self.place.home)
        self.run = None

    @property
    def log_tail(self) -> str:
        """The end of the standard error, and what was not permitted."""
        if self.run is None:
            return ""
        refused = [f"not permitted, since it names no tool of the case: {title}" for title in self.connection.refused]
        return "\n".join([self.run.stderr, *refused]).strip()

    def side_request(self, body: dict[str, Any]) -> bool:
        """Whether the request is one of those that this program is known to send beside the conversation."""
        text = json.dumps(body, ensure_ascii=False) if self.launch.known.side else ""
        return any(mark in text for mark in self.launch.known.side)

    async def start(self) -> None:
        """Start the program, and a session."""
        self.run = await started(self.words, environment=self.environment, folder=self.place.project)
        self.connection = Connection(self.run)
        await self.connection.begin()
        if self.launch.known.authentication:
            await self.connection.authenticate(self.launch.known.authentication)
        await self.open_session()

    async def open_session(self) -> None:
        """The session of this conversation after a restart, else a new one."""
        self.connection.permit(self.permissions)
        folder, servers = str(self.place.project), [self._server()]
        if session := self.place.resumed:
            await self.connection.load_session(session, folder, servers)
        else:
            session = await self.connection.new_session(folder, servers)
            self.place.session.write_text(session, encoding="utf-8")
        self.session = session

    def _server(self) -> McpServerStdio:
        program, *arguments = self.tools.command
        return McpServerStdio(name=SERVER, command=program, args=arguments, env=[])

    def _write_files(self, setup: Setup) -> None:
        """The program's settings, and the system prompt in its file of instructions: ACP has no place for it."""
        if setup.system and not self.launch.known.instructions:
            raise CannotRestore("ACP has no place for a system prompt, and where this program reads one is not known")
        if setup.system:
            (self.place.project / self.launch.known.instructions).write_text(setup.system, encoding="utf-8")
        self.settings = self.launch.settings(setup)
        write_files(self.place.home, self.settings)
        write_files(self.place.project, self.launch.project(setup))


class SharedAcpAgent(AcpAgent):
    """The adapter of a program whose process serves other cases too. One that did not end a turn well is not kept."""

    program: ClassVar[SharedProgram]
    live: Live | None = None
    is_sound = True

    async def start(self) -> None:
        if self.live is not None:
            await self.program.end(self.live)
        self.live = await self.program.take(self.settings, fresh=bool(self.place.resumed))
        self.run, self.connection = self.live.run, self.live.connection
        self.run.forget_stderr()
        await self.program.result(self.open_session())

    async def send(self, message: str) -> AsyncGenerator[str, None]:
        self.is_sound = False
        if self.run is None or self.run.code is not None:
            await self.start()
        try:
            async with aclosing(self.program.pieces(lambda: self.connection.prompt(self.session, message))) as pieces:
                async for piece in pieces:
                    yield piece
        except AgentError:
            self.is_sound = True
            raise
        self.is_sound = True

    async def close(self) -> None:
        if self.live is not None and self.is_sound:
            self.program.give_back(self.live)
        elif self.live is not None:
            await self.program.end(self.live)
        self.tools.close()


def _renamed(tool: Tool, names: Mapping[str, str]) -> Tool:
    return Tool(
        names[tool.name],
        tool.description,
        tool.parameters,
        run=tool.content,
        arun=tool.acontent,
        is_enabled=lambda: tool.enabled,
        approval=tool.approval,
    )
