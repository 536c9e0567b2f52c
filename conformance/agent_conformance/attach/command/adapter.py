"""An adapter whose agent is a command: one instance for each case, one process for each case or for many."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from agent_conformance.adapter.types import (
    AgentError,
    Cancelled,
    CannotRestore,
    Part,
    Pending,
    Reply,
    Setup,
    StructuredResult,
    Tool,
    ToolCall,
    ToolError,
    Withdrawn,
)
from agent_conformance.attach.command import messages
from agent_conformance.attach.command.messages import (
    AgentCrashed,
    ApprovalRequest,
    CommandError,
    Delta,
    Event,
    Failure,
    Incoming,
    InvalidMessage,
    NotRestored,
    Opened,
    OtherVersion,
    Parked,
    ProtocolBroken,
    TextWithdrawn,
    ToolRequest,
    TurnCancelled,
    TurnReply,
    fields_of,
    incoming,
)
from agent_conformance.attach.command.process import Launcher, Line, Process
from agent_conformance.transcripts.redaction import redacted
from fake_providers.values.json_texts import read_json, validator_of


def command_adapter(command: str, *, cwd: Path | None = None, timeout: float = 10.0) -> type["CommandAgent"]:
    """An adapter class for this command, after an exchange of hello. Raises `CommandError`.

    `cwd` is where the command runs, by default the working directory; `timeout` is the seconds for its hello.
    """
    launcher = Launcher(command, cwd=cwd or Path.cwd(), timeout=timeout)
    hello = launcher.start()
    declared = {
        "launcher": launcher,
        "wires": hello.wires,
        "modes": hello.modes,
        "features": frozenset(hello.features),
        "reply_tool": hello.reply_tool,
        "instructions_as_message": hello.instructions_as_message,
        "scrub": hello.scrub,
        "raised_in": hello.errors,
        "start_seconds": 0.0 if hello.reuse else launcher.seconds,
        "agent_name": hello.name,
        "agent_version": hello.version,
        "answers_open": hello.opened,
        "takes_turns_together": hello.together,
        "side_requests": validator_of(hello.side_request),
    }
    return type("CommandAgent", (CommandAgent,), declared)


class CommandAgent:
    """The adapter of a command. `command_adapter` makes a subclass for one command."""

    launcher: ClassVar[Launcher]
    wires: ClassVar[tuple[str, ...]]
    modes: ClassVar[tuple[str, ...]]
    features: ClassVar[frozenset[str]]
    reply_tool: ClassVar[tuple[str, str | None] | None]
    instructions_as_message: ClassVar[bool]
    scrub: ClassVar[tuple[str, ...]]
    raised_in: ClassVar[tuple[str, ...]]
    errors: ClassVar = (AgentError,)
    takes_half_characters: ClassVar = False
    takes_turns_together: ClassVar[bool] = False
    start_seconds: ClassVar[float]
    agent_name: ClassVar[str]
    agent_version: ClassVar[str]
    answers_open: ClassVar[bool]
    side_requests: ClassVar[Any]
    tool_names: Mapping[str, str] | None = None

    def __init__(self, setup: Setup, *, beside: "CommandAgent | None" = None) -> None:
        """Raises `CannotRestore`, `AgentError` or `CommandError` if that is the agent's answer to `open`.

        `beside`: another session, whose process this one shares.
        """
        self._setup = setup
        self._beside = beside
        self._sessions: dict[str, CommandAgent] = {}
        self._running = self
        self._tools = {tool.name: tool for tool in setup.tools}
        self._observe = setup.observe
        self._approve = setup.aapprove
        self._process: Process
        self._process, self._session = self.launcher.share(beside._process) if beside else self.launcher.take()
        self._inboxes: Inboxes = beside._inboxes if beside else Inboxes(self._process)
        self._inboxes.open(self._session)
        self._in_order = True
        self._sent_enabled: list[str] = []
        self._compacts = False
        try:
            self._write(messages.open_message(setup, session=self._session, features=self.features))
            if self.answers_open:
                self.tool_names = self._opened()
        except BaseException:
            self.close()
            raise

    @property
    def log_tail(self) -> str:
        """The end of the standard error, and which other hosts it asked for. Reading it ends the process; it is read
        when the case is over.
        """
        self._in_order = False
        self.launcher.end(self._process, gracefully=False)
        return "\n".join(filter(None, (self._process.stderr.rstrip("\n"), self._process.other_hosts)))

    def side_request(self, body: dict[str, Any]) -> bool:
        """Whether the schema in the agent's hello makes this request a side request."""
        return bool(self.side_requests.is_valid(body))

    async def send(self, message: str | list[Part], session: str | None = None) -> AsyncIterator[str | Withdrawn]:
        """One turn. Raises `AgentError`, `CannotRestore`, `Cancelled` and `CommandError`."""
        if session is not None:
            # A session beside this one, with a folder of its own, in the same process.
            if session not in self._sessions:
                folder = self._setup.state_dir / "sessions" / session
                folder.mkdir(parents=True, exist_ok=True)
                setup = replace(self._setup, history=(), state_dir=folder)
                self._sessions[session] = type(self)(setup, beside=self)
            self._running = self._sessions[session]
            try:
                async for piece in self._running.send(message):
                    yield piece
            finally:
                self._running = self
            return
        self._in_order = False
        for line in self._inboxes.waiting(self._session):
            received = self._read(line)
            if isinstance(received, NotRestored):
                self._end(received)
            if received is not None:
                shown = redacted(line.text.decode(errors="backslashreplace"))[:60]
                raise self._broken(f"found {shown!r}, expected nothing while no turn runs", line)
        self._sent_enabled = self._enabled()
        compacts, self._compacts = self._compacts, False
        sent = messages.send_message(message, session=self._session, enabled=self._sent_enabled, compact=compacts)
        self._write(sent)
        running: set[asyncio.Task[None]] = set()
        try:
            while not isinstance(received_message := await self._next_for_user(running), TurnReply):
                if isinstance(received_message, Delta):
                    yield received_message.text
                elif isinstance(received_message, TextWithdrawn):
                    yield Withdrawn(received_message.characters)
            self._in_order = not running
            if received_message.text is not None:
                yield Reply(received_message.text)
        finally:
            for task in running:
                task.cancel()

    def cancel(self) -> None:
        """Send `cancel`, from any thread, to agents that declare the feature."""
        if "cancel" in self.features:
            self._write(messages.cancel_message(session=self._running._session))

    def steer(self, message: str) -> None:
        """Send what the user says during the turn, from any thread."""
        self._write(messages.steer_message(message, session=self._running._session))

    def switch(self, setup: Setup) -> None:
        """Send the agent another model, or another provider, between turns."""
        self._setup = setup
        self._write(messages.switch_message(setup, session=self._session))

    def compact(self, session: str | None = None) -> None:
        """The agent is told with the message of the next turn."""
        (self if session is None else self._sessions[session])._compacts = True

    def kill(self) -> None:
        """End the process at once, as a crash does: it may not even notice."""
        self._in_order = False
        self.launcher.kill(self._process)

    def close(self) -> None:
        """End the session. A process that is in the middle of a turn is ended too."""
        for other in self._sessions.values():
            other.close()
        self._in_order &= all(other._in_order for other in self._sessions.values())
        if self._in_order:
            self._write(messages.close_message(session=self._session))
        self._inboxes.close(self._session)
        if self._beside is not None:
            return
        if self._in_order:
            self.launcher.give_back(self._process)
        else:
            self.launcher.end(self._process, gracefully=False)

    def _opened(self) -> Mapping[str, str]:
        """The agent's answer to `open`."""
        self._in_order = False
        received = None
        until = time.monotonic() + self.launcher.timeout
        while received is None:
            try:
                line = self._inboxes.receive_within(self._session, max(0.0, until - time.monotonic()))
            except TimeoutError:
                raise self._broken(f"found no answer to open within {self.launcher.timeout:g} s") from None
            received = self._read(line)
        if isinstance(received, Opened):
            self._in_order = True
            return received.tool_names
        self._end(received)
        raise self._broken("found another message, expected opened in answer to open", line)

    def _enabled(self) -> list[str]:
        return [name for name, tool in self._tools.items() if tool.enabled]

    async def _next_for_user(self, running: "set[asyncio.Task[None]]") -> Delta | TextWithdrawn | TurnReply | None:
        """The next delta or reply. A call starts its tool; then the result is None."""
        line = await self._next_line(running)
        received = self._read(line)
        if isinstance(received, Delta | TextWithdrawn | TurnReply) or received is None:
            return received
        if isinstance(received, ToolRequest):
            running.add(asyncio.ensure_future(self._run(self._tool(received, line), received)))
            return None
        if isinstance(received, ApprovalRequest):
            running.add(asyncio.ensure_future(self._ask_user(self._tool(received, line), received)))
            return None
        self._end(received)
        raise self._broken(f"found {type(received).__name__.lower()}, which belongs before the turn", line)

    def _end(self, received: Incoming) -> None:
        """Raise the exception for a message that ends a turn without a reply."""
        match received:
            case NotRestored(reason):
                self._in_order = True
                raise CannotRestore(reason)
            case TurnCancelled():
                self._in_order = True
                raise Cancelled("the turn was cancelled")
            case Parked():
                self._in_order = True
                raise Pending("the agent waits for the user")
            case Failure(message, controlled=True):
                self._in_order = True
                raise AgentError(message)
            case Failure(message) if received.is_deliberate_in(self.raised_in):
                self._in_order = True
                raise AgentError(message)
            case Failure(message, traceback=traceback):
                raise AgentCrashed(f"the agent says: {message}", self._process.stderr, traceback)

    async def _next_line(self, running: "set[asyncio.Task[None]]") -> Line:
        """The next line; raises what a running tool has raised."""
        if not running:
            return await self._inboxes.receive(self._session)
        line = asyncio.ensure_future(self._inboxes.receive(self._session))
        try:
            while not line.done():
                await asyncio.wait({line, *running}, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in running if task.done()]:
                    running.discard(task)
                    task.result()
        finally:
            line.cancel()
        return line.result()

    def _tool(self, request: ToolRequest | ApprovalRequest, line: Line) -> Tool:
        if request.tool not in self._tools:
            known = ", ".join(self._tools) or "none"
            kind = "call" if isinstance(request, ToolRequest) else "approve"
            raise self._broken(f'`tool` of {kind}: found "{request.tool}", expected a tool of `open`: {known}', line)
        return self._tools[request.tool]

    async def _run(self, tool: Tool, request: ToolRequest) -> None:
        try:
            value = await tool.acontent(request.arguments)
            value = value if isinstance(value, StructuredResult) else tool.given(value)
        except ToolError as error:
            message = messages.failed_message(request.id, str(error), session=self._session)
        else:
            message = messages.result_message(request.id, value, session=self._session)
        if (enabled := self._enabled()) != self._sent_enabled:
            self._sent_enabled = enabled
            message["enabled"] = enabled
        self._write(message)

    async def _ask_user(self, tool: Tool, request: ApprovalRequest) -> None:
        allowed: bool | None
        try:
            allowed = await self._approve(ToolCall(request.call_id, tool.name, request.arguments))
        except Pending:
            allowed = None
        self._write(messages.approval_message(request.id, allowed, session=self._session))

    def _read(self, line: Line) -> Incoming | None:
        """The message; None for an event, and for a message of another session."""
        try:
            fields = fields_of(line.text)
            session = fields.get("session")
            many = "reuse" if self.launcher.reuse else "sessions" if "sessions" in self.features else ""
            if session is None and many and "type" in fields:
                raise InvalidMessage(
                    f"`session`: found nothing, expected it in every message of an agent with `{many}`"
                )
            if isinstance(session, str) and session != self._session:
                return None
            received = incoming(fields)
        except (InvalidMessage, OtherVersion) as broken:
            raise self._broken(str(broken), line) from None
        if isinstance(received, Event):
            if self._observe is not None:
                self._observe(received.event)
            return None
        return received

    def _broken(self, what: str, line: Line | None = None) -> ProtocolBroken:
        self._in_order = False
        where = f"line {line.number} of its output: " if line else ""
        return ProtocolBroken(f"the agent broke the protocol: {where}{what}", self._process.stderr)

    def _write(self, message: dict[str, object]) -> None:
        self._process.write(messages.line_of(message))


# The lines of one process, each for the session that it names: turns of several sessions may run at once.


class Inboxes:
    """One for each process that serves a case. Whoever waits reads for all, one at a time.

    A line that names no session, or none that is open here, goes to whoever reads it.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lines: dict[str, deque[Line]] = {}
        self._is_reading = False
        self._waiting: set[asyncio.Event] = set()
        self._failure: CommandError | None = None

    def open(self, session: str) -> None:
        self._lines[session] = deque()

    def close(self, session: str) -> None:
        self._lines.pop(session, None)

    async def receive(self, session: str) -> Line:
        """The next line for this session; waits without a limit. Raises `CommandError`, to all that wait."""
        while (line := self._next(session)) is None:
            if self._is_reading:
                await self._change()
            else:
                self._is_reading = True
                try:
                    with self._failure_for_all():
                        self._put(await self._process.receive(), session)
                finally:
                    self._is_reading = False
                    self._wake()
        return line

    def receive_within(self, session: str, seconds: float) -> Line:
        """The next line for this session. Raises `CommandError`; `TimeoutError` after `seconds`."""
        until = time.monotonic() + seconds
        while (line := self._next(session)) is None:
            with self._failure_for_all():
                self._put(self._process.receive_within(max(0.0, until - time.monotonic())), session)
        return line

    def waiting(self, session: str) -> Iterator[Line]:
        """The lines for this session that have arrived and were not received yet. Raises `CommandError` after them."""
        with self._failure_for_all():
            for line in self._process.waiting():
                self._put(line, session)
        while (own := self._next(session)) is not None:
            yield own

    def _next(self, session: str) -> Line | None:
        """The line that has arrived; the end of the process comes after all of them."""
        own = self._lines[session]
        if not own and self._failure is not None:
            raise self._failure
        return own.popleft() if own else None

    def _put(self, line: Line, reader: str) -> None:
        named = _session_of(line) if len(self._lines) > 1 else reader
        self._lines.get(named, self._lines[reader]).append(line)
        if named != reader:
            self._wake()

    @contextlib.contextmanager
    def _failure_for_all(self) -> Iterator[None]:
        try:
            yield
        except CommandError as failure:
            self._failure = failure
            self._wake()

    async def _change(self) -> None:
        """Wait until a line has arrived for somebody, or nobody reads."""
        changed = asyncio.Event()
        self._waiting.add(changed)
        try:
            await changed.wait()
        finally:
            self._waiting.discard(changed)

    def _wake(self) -> None:
        for changed in self._waiting:
            changed.set()


def _session_of(line: Line) -> str:
    """Empty where the line is no message of a session; its reader says what is wrong with it."""
    try:
        fields = read_json(line.text)
    except ValueError:
        return ""
    session = fields.get("session") if isinstance(fields, dict) else None
    return session if isinstance(session, str) else ""
