"""An adapter whose agent is a program that speaks the Agent Client Protocol: a process for each case, or one for many.

The protocol is in `connection`, and what each program needs in `known_programs`.
"""

import asyncio
import atexit
import contextlib
import json
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from agent_conformance import AgentError, CannotRestore, Setup, Tool, ToolCall
from agent_conformance.attach.acp.command_line import (
    TOOLS_URL,
    CommandLine,
    Endpoint,
    NotACommand,
    all_filled,
    command_line,
    filled,
    write_home,
)
from agent_conformance.attach.acp.connection import (
    LATE_SHOWN,
    ConnectedProgram,
    Connection,
    Permission,
    ToolServer,
    declared_server,
    named_among,
    served_tools,
)
from agent_conformance.attach.acp.discovery import MODEL, discovered
from agent_conformance.attach.acp.known_programs import BY_NAME, SIDE, USUAL, Program
from agent_conformance.attach.programs import Run, environment, program_folders_in, started
from agent_conformance.transcripts.request_purposes import MainRequest, allowing_answer
from fake_providers import Request, wire_named

# A program that serves the sessions of many cases, one after the other, in one process.

MOST_SESSIONS = 25
"""After so many a new process is started: some programs keep all that they ever opened in memory."""
ENDING = 2.0
"""Seconds for pieces that are not wanted any more to end."""

Result = TypeVar("Result")


@dataclass(slots=True)
class Live:
    """A process with its connection, and how many sessions it has had."""

    run: Run
    connection: Connection
    sessions: int = 0


class SharedProgram:
    """Starts the program, keeps a process for the next case, and ends all at exit. All cases share one home."""

    def __init__(self, words: list[str], variables: Mapping[str, str], authentication: str) -> None:
        self._words = words
        self._variables = variables
        self._authentication = authentication
        self._idle: Live | None = None
        self._live: list[Live] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._home = Path()

    async def take(self, settings: Mapping[str, str], *, fresh: bool) -> Live:
        """A process that has answered `initialize`, and finds these files in its home when it begins a session.

        A `fresh` one has not served any session: after a restart.
        """
        self._begin()
        write_files(self._home, settings)
        live, self._idle = self._idle, None
        if live is not None and (fresh or live.run.code is not None or live.sessions >= MOST_SESSIONS):
            await self.end(live)
            live = None
        if live is None:
            live = await self.result(self._start())
            self._live.append(live)
        live.sessions += 1
        return live

    def give_back(self, live: Live) -> None:
        """Keep the process for the next case."""
        self._idle = live

    async def end(self, live: Live) -> None:
        if live in self._live:
            self._live.remove(live)
            await self.result(self._end(live))

    async def result(self, work: Coroutine[Any, Any, Result]) -> Result:
        """What comes of this coroutine on the process's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running_loop()))

    async def pieces(self, given: Callable[[], AsyncGenerator[str, None]]) -> AsyncGenerator[str, None]:
        """The pieces of a generator on the process's loop. It is closed there where they are not wanted any more."""
        here, queue = asyncio.get_running_loop(), asyncio.Queue[str | None]()

        async def drain() -> None:
            try:
                async with aclosing(given()) as pieces:
                    async for piece in pieces:
                        here.call_soon_threadsafe(queue.put_nowait, piece)
            finally:
                with contextlib.suppress(RuntimeError):  # the case has not waited for it
                    here.call_soon_threadsafe(queue.put_nowait, None)

        running = asyncio.run_coroutine_threadsafe(drain(), self._running_loop())
        ended = False
        try:
            while (piece := await queue.get()) is not None:
                yield piece
            ended = True
        finally:
            if not ended:
                running.cancel()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(_end_of(queue), ENDING)
        await asyncio.wrap_future(running)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        assert self._loop is not None
        return self._loop

    def _begin(self) -> None:
        """The thread and the home, for the first process."""
        if self._loop is not None:
            return
        self._loop = asyncio.SelectorEventLoop()
        threading.Thread(target=self._loop.run_forever, name="program", daemon=True).start()
        self._home = Path(tempfile.mkdtemp(prefix="agent-conformance-home-"))
        (self._home / "tmp").mkdir()
        atexit.register(self._end_all)

    async def _start(self) -> Live:
        run = await started(self._words, environment=environment(self._home, **self._variables), folder=self._home)
        connection = Connection(run)
        try:
            await connection.begin()
            if self._authentication:
                await connection.authenticate(self._authentication)
        except BaseException:
            await run.end()
            raise
        return Live(run, connection)

    async def _end(self, live: Live) -> None:
        await live.connection.close()
        await live.run.end()

    def _end_all(self) -> None:
        for live in self._live:
            with contextlib.suppress(TimeoutError):
                asyncio.run_coroutine_threadsafe(self._end(live), self._running_loop()).result(ENDING)
        with contextlib.suppress(RecursionError):  # of folders within each other, until Python 3.12
            shutil.rmtree(self._home, ignore_errors=True)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


async def _end_of(queue: "asyncio.Queue[str | None]") -> None:
    while await queue.get() is not None:
        pass


PREFIX = "suite_"
"""Before the names of the case's tools, so that none is the name of a tool of the agent's own."""
STARTING = 30.0
"""Seconds for the program to answer `initialize`; some load for several."""
NOTHING = Endpoint("", "", "")
WIDE = ("openai-chat",)
"""Wires on which a program that is not known gets no model of the provider's: it asks a model that it does not know for
as long an answer as servers of others give, and nobody has chosen the default one with its limit."""
FEATURES = frozenset({"deltas", "conversation", "native-tools", "cancel"})


@dataclass(frozen=True, slots=True)
class Launch:
    """How the program of each case is started, and what to write for it."""

    command: CommandLine
    known: Program
    wire: str
    tools: str

    @property
    def variables(self) -> dict[str, str]:
        return {**self.known.variables[self.wire], **self.command.variables}

    @property
    def shared(self) -> SharedProgram | None:
        """The program for many cases, if it is one, and the command has nothing that belongs to one case."""
        given = [*self.command.arguments, *self.command.variables.values()]
        if (
            not self.known.shared
            or self.command.home is not None
            or any(text != filled(text, NOTHING) for text in given)
        ):
            return None
        return SharedProgram([self.command.program, *self.command.arguments], self.variables, self.known.authentication)

    @property
    def places_tools(self) -> bool:
        """Whether the program is told of the tool server by its files, variables or arguments, and not by a session."""
        return self.command.places_tools or any(TOOLS_URL in text for text in self.known.settings.values())

    def environment(self, endpoint: Endpoint, home: Path) -> dict[str, str]:
        given = {name: filled(value, endpoint) for name, value in self.variables.items()}
        return environment(home, **given)

    def settings(self, endpoint: Endpoint) -> dict[str, str]:
        return {name: filled(text, endpoint) for name, text in self.known.settings.items()}

    def project(self, endpoint: Endpoint) -> dict[str, str]:
        files = self.known.project.get(self.wire, {})
        return {name: filled(text, endpoint) for name, text in files.items()}

    def words(self, endpoint: Endpoint) -> list[str]:
        return [self.command.program, *all_filled(self.command.arguments, endpoint)]


def acp_adapter(text: str, *, cwd: Path | None = None, timeout: float = STARTING) -> type["AcpAgent"]:
    """An adapter class for this command, once its program has answered `initialize`. Raises `NotACommand`.

    A program that is not known is sent a message besides, to see which wire and mode it uses, and how it takes tools.
    """
    command = command_line(text, cwd=cwd or Path.cwd())
    if command.like and command.like not in BY_NAME:
        raise NotACommand(f"like={command.like}: the known programs are {', '.join(BY_NAME)}")
    begun = time.monotonic()
    known = BY_NAME.get(command.like or command.name)
    found = asyncio.run(discovered(command, known=known, timeout=timeout))
    known = found.known or Program(command.name, "", "", USUAL)
    if command.instructions:
        known = replace(known, instructions=command.instructions)
    wire = command.wire or found.wire or next(iter(known.variables))
    if wire not in known.variables:
        raise NotACommand(f"wire={wire}: {command.name} speaks {', '.join(known.variables)}")
    launch = Launch(command, known, wire, found.tools)
    shared = launch.shared
    declared = {
        "launch": launch,
        "program": shared,
        "wires": (wire,),
        "modes": (command.mode or found.mode or known.mode,),
        "features": FEATURES
        | ({"own-tools"} if found.own_tools else frozenset())
        | ({"restart"} if found.loads_sessions else frozenset())
        | ({"approval"} if command.asks else frozenset())
        | ({"tool-search"} if found.searches or known.searches else frozenset()),
        "instructions_as_message": bool(known.instructions),
        "start_seconds": time.monotonic() - begun if shared is None else 0.0,
        "agent_version": found.version,
        "side_seen": found.side,
        "main": found.main,
        "chosen_model": command.model or known.model or ("" if found.known or wire not in WIDE else MODEL),
    }
    return type("AcpAgent", (AcpAgent if shared is None else SharedAcpAgent,), declared)


class AcpAgent(ConnectedProgram):
    """The adapter of a program. `acp_adapter` makes a subclass for one command."""

    launch: ClassVar[Launch]
    wires: ClassVar[tuple[str, ...]]
    modes: ClassVar[tuple[str, ...]]
    features: ClassVar[frozenset[str]]
    instructions_as_message: ClassVar[bool]
    """Whether the program may send the system prompt, which it has from a file, in its first message of the user."""
    start_seconds: ClassVar[float]
    agent_version: ClassVar[str]
    side_seen: ClassVar[int]
    main: ClassVar[MainRequest | None]
    chosen_model: ClassVar[str]
    """What cases use that name no model; empty for the default one of the wire."""
    tools: ToolServer

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        # The program's settings, and the system prompt in its file of instructions: ACP has no place for it.
        if setup.system and not self.launch.known.instructions:
            raise CannotRestore(
                "ACP has no place for a system prompt, and where this program reads one is not known: "
                "acp:instructions=AGENTS.md my-agent says so"
            )
        if setup.system:
            (self.place.project / self.launch.known.instructions).write_text(setup.system, encoding="utf-8")
        self.tool_names = {tool.name: PREFIX + tool.name for tool in setup.tools}
        self.tools = served_tools([_renamed(tool, self.tool_names) for tool in setup.tools], self.launch.tools)
        self.permissions = permissions_of(setup, self.tool_names)
        tools_url = self.tools.address if self.launch.places_tools else ""
        endpoint = Endpoint(setup.base_url, setup.api_key, setup.model, tools_url)
        if self.launch.command.home is not None:
            write_home(self.launch.command.home, self.place.home, endpoint)
        self.settings = self.launch.settings(endpoint)
        write_files(self.place.home, self.settings)
        write_files(self.place.project, self.launch.project(endpoint))
        self.words = self.launch.words(endpoint)
        self.environment = self.launch.environment(endpoint, self.place.home)
        self.run = None

    @property
    def log_tail(self) -> str:
        """The end of the standard error, what was printed beside messages, what was not permitted or came too late."""
        if self.run is None:
            return ""
        refused = [f"not permitted, since it names no tool of the case: {title}" for title in self.connection.refused]
        late = self.connection.late.strip()
        came_late = (
            [f"came after the response of its turn, where no client shows it: {late[:LATE_SHOWN]!r}"] if late else []
        )
        said = [self.run.stderr, self.connection.output.printed, *refused, *came_late, self.run.other_hosts]
        return "\n".join(filter(None, said)).strip()

    def side_request(self, body: dict[str, Any]) -> bool | str:
        """Whether the request is one of those that known programs send beside the conversation, one that is declared,
        or one of another agent than the program's first request had; the answer to a question whether a call may run.
        """
        text = json.dumps(body, ensure_ascii=False)
        declared = self.launch.command.side
        if any(mark in text for mark in SIDE) or (declared is not None and declared.search(text) is not None):
            return True
        if self.main is None:
            return False
        view = wire_named(self.launch.wire).view(Request("POST", "", {}, text.encode(errors="replace")))
        is_of_another = self.main.is_of_another(view, lambda name: bool(named_among(self.tool_names.values(), name)))
        asks = is_of_another and (not view.tools or named_among(self.tool_names.values(), view.texts) is not None)
        return is_of_another and ((asks and allowing_answer(view)) or True)

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
        folder = str(self.place.project)
        servers = [] if self.launch.places_tools else [declared_server(self.tools, self.launch.tools)]
        if session := self.place.resumed:
            await self.connection.load_session(session, folder, servers)
        else:
            session = await self.connection.new_session(folder, servers)
            self.place.session.write_text(session, encoding="utf-8")
        self.session = session


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


# Who may run what: the user of the case answers about its tools, by the names under which they are served.


def permissions_of(setup: Setup, names: Mapping[str, str]) -> Mapping[str, Permission]:
    """By the served name of each tool of the case: what asks the user, who allows a tool that needs no approval."""
    return {names[tool.name]: partial(_allowed, setup, tool) for tool in setup.tools}


async def _allowed(setup: Setup, tool: Tool, id: str, given: Any) -> bool:
    return tool.approval is None or await setup.aapprove(ToolCall(id, tool.name, _arguments(tool, given)))


def _arguments(tool: Tool, given: Any) -> Mapping[str, Any] | None:
    """The input of a request for permission, if it is the arguments: programs are free in what they put there."""
    known = tool.parameters.get("properties") or {}
    return given if isinstance(given, dict) and given and given.keys() <= known.keys() else None
