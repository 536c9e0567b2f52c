"""One connection to an agent over the Agent Client Protocol, on the client's side of the official SDK.

Of what a client can offer it offers nothing: no files and no terminals. It permits the tools of the case, and refuses
everything else.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, Literal, TypeVar

from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, text_block
from acp.schema import (
    AgentMessageChunk,
    AllowedOutcome,
    DeniedOutcome,
    HttpMcpServer,
    InitializeResponse,
    McpServerStdio,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    SessionModeState,
    SseMcpServer,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
)
from pydantic import ValidationError

from agent_conformance import AgentError, Pending, Tool
from agent_conformance.adapter.background import Background
from agent_conformance.adapter.mcp import ToolsOverHttp, ToolsOverStdio, serve_http, serve_sse, serve_stdio
from agent_conformance.attach.programs import Run

UNFINISHED = ("refusal", "max_turn_requests", "max_tokens")
"""Stop reasons without an answer; clients of the protocol show them as errors."""
CANCELLING = 0.5
"""Seconds for the agent to end a prompt that was cancelled: less than the suite waits for that."""
ENDING = 5.0
"""Seconds for it to do so before the next prompt."""
QUIET = 0.3
"""Seconds without an update after that: some agents send the rest of a cancelled answer after its response."""
LEAVING = 2.0
"""Seconds in which a program whose client has gone stores its session, and ends."""
LATE_SHOWN = 80
PRINTED_KEPT = 500
"""Characters of what the program prints where only messages belong."""

ABOUT = {"name": "agent-conformance", "version": "1.0"}
OFFERED = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
ASKING = ("default", "manual", "normal", "always-ask", "workspace-write")
"""What programs call the mode in which they ask their user before they change anything."""
RECOGNISED = 30
"""So many characters of a tool's name are enough: agents shorten long ones, and replace what providers refuse."""

Permission = Callable[[str, Any], Awaitable[bool]]
"""Whether a call with this id and input may run. Raises `Pending` if the user has not answered yet."""
Result = TypeVar("Result")
McpServer = McpServerStdio | HttpMcpServer | SseMcpServer


class AgentEnded(Exception):
    """The agent's process ended in the middle of the conversation: a crash."""


class BrokenAnswer(AgentEnded):
    """It answers what the protocol does not have: a crash, too."""


class AnsweredTooLate(Exception):
    """All that the agent said in a turn came after the turn's response, where no client shows it."""


class Messages(asyncio.StreamReader):
    """A program's output as the SDK reads it, without the lines that are no message. Those are `printed`."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__()
        self._reader = reader
        self._is_within = False
        self._printed = ""

    @property
    def printed(self) -> str:
        """With the line that has not ended, such as a question to the user."""
        unended = bytes(getattr(self._reader, "_buffer", b""))
        return self._printed + unended[-PRINTED_KEPT:].decode(errors="replace")

    async def readuntil(self, separator: Any = b"\n") -> bytes:
        while True:
            try:
                line, ended = await self._reader.readuntil(separator), False
            except asyncio.IncompleteReadError as error:
                line, ended = error.partial, True
            if self._is_within or _is_object(line):
                self._is_within = False
            else:
                self._printed = (self._printed + line.decode(errors="replace"))[-PRINTED_KEPT:]
                line = b""
            if ended:
                raise asyncio.IncompleteReadError(line, None)
            if line:
                return line

    async def readexactly(self, n: int) -> bytes:
        """The part of a message that is longer than the reader's limit; `readuntil` then gives the rest."""
        self._is_within = True
        return await self._reader.readexactly(n)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _tolerant(handle: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """Ignores notifications that the SDK does not know, such as those of a newer version of the protocol, for which it
    would log a traceback.
    """

    async def handled(method: str, params: Any, is_notification: bool) -> Any:
        try:
            return await handle(method, params, is_notification)
        except (ValidationError, RequestError):
            if not is_notification:
                raise
            return None

    return handled


class Connection:
    """One connection. An error that the agent reports is `AgentError`; its end is `AgentEnded`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._permissions: Mapping[str, Permission] = {}
        self._pending: Pending | None = None
        self._begun: dict[str, tuple[str, Any]] = {}
        """Of each call of this turn that has not ended, by its id: what was said of it, and its input."""
        self._announced = asyncio.Event()
        """Set while there is one. The question about a call may be read before it, or come before it."""
        self._session = self._answered = ""
        self._pieces: asyncio.Queue[str | None] = asyncio.Queue()
        self._ending: asyncio.Future[PromptResponse] | None = None
        self._heard = 0.0
        """When the last update came."""
        self.unanswered = ""
        """The method of the last request, while there is no answer to it."""
        self.refused: list[str] = []
        """What the agent was not permitted to do."""
        self.late = ""
        """Text that came after the response of its turn, where no client shows it."""
        output, input = run.streams
        client: Any = self  # it leaves out the methods for files and terminals, which it does not offer
        self.output = Messages(output)
        self._agent = connect_to_agent(client, input, self.output)
        self._agent._conn._handler = _tolerant(self._agent._conn._handler)

    def permit(self, permissions: Mapping[str, Permission]) -> None:
        """Permit calls of these tools from now on, if the user allows them, and of no others."""
        self._permissions, self._pending = permissions, None
        self.refused, self.late = [], ""

    async def begin(self) -> InitializeResponse:
        """Says that nothing is offered, as editors do: the SDK's own `initialize` leaves out what is the default."""
        said = {"protocolVersion": PROTOCOL_VERSION, "clientCapabilities": OFFERED, "clientInfo": ABOUT}
        return await self._reported("initialize", self._initialized(said))

    async def _initialized(self, said: Mapping[str, Any]) -> InitializeResponse:
        return InitializeResponse.model_validate(await self._agent._conn.send_request("initialize", {**said}))

    async def authenticate(self, method: str) -> None:
        await self._reported("authenticate", self._agent.authenticate(method))

    async def new_session(self, folder: str, servers: Sequence[McpServer] = ()) -> str:
        """The id of a session in this folder, with these MCP servers."""
        response = await self._reported("session/new", self._agent.new_session(cwd=folder, mcp_servers=[*servers]))
        await self._ask_for_permission(str(response.session_id), response.modes)
        return str(response.session_id)

    async def load_session(self, session: str, folder: str, servers: Sequence[McpServer] = ()) -> None:
        response = await self._reported(
            "session/load", self._agent.load_session(cwd=folder, session_id=session, mcp_servers=[*servers])
        )
        await self._ask_for_permission(session, response.modes)

    async def _ask_for_permission(self, session: str, modes: SessionModeState | None) -> None:
        """Take the mode in which the user is asked about calls, where another is the default: in Claude Code's `auto`
        a model decides about each.
        """
        asking = [mode.id for mode in modes.available_modes if mode.id.lower() in ASKING] if modes else []
        if modes and asking and modes.current_mode_id not in asking:
            with contextlib.suppress(AgentError):
                await self.set_mode(session, asking[0])

    async def set_mode(self, session: str, mode: str) -> None:
        asked = self._agent.set_session_mode(session_id=session, mode_id=mode)
        await self._reported("session/set_mode", asked)

    async def prompt(self, session: str, text: str) -> AsyncGenerator[str, None]:
        """One turn: the pieces of text as they come. A cancelled one notifies the agent and waits for it a moment.

        The next one begins after the agent has ended that, so that none of its text is late.
        """
        if self._ending is not None:
            await asyncio.wait([self._ending], timeout=ENDING)
            self._ending = None
            await self._quiet()
        self._session, self._answered, self._pieces = session, "", asyncio.Queue()
        self._begun, self._announced = {}, asyncio.Event()
        turn = asyncio.ensure_future(self._turn(session, text))
        turn.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # also where nobody reads it
        said = ""
        try:
            while (piece := await self._pieces.get()) is not None:
                said += piece
                yield piece
            if self._pending is not None:
                raise self._pending
            reason = turn.result().stop_reason
        except asyncio.CancelledError:
            await self._agent.cancel(session_id=session)
            await asyncio.wait([turn], timeout=CANCELLING)
            self._ending = turn
            raise
        finally:
            self._session, self._answered = "", session
            if turn is not self._ending:
                turn.cancel()
        if reason in UNFINISHED:
            raise AgentError(f"the agent stopped: {reason}")
        if not said.strip():
            await self._quiet()
            if self.late.strip():
                raise AnsweredTooLate(
                    f"all of the answer came after the response of its turn: {self.late[:LATE_SHOWN]!r}"
                )

    async def _quiet(self) -> None:
        """Wait until no more updates come of what was cancelled: nobody types as fast as the suite."""
        begun = self._heard = time.monotonic()
        while (rest := self._heard + QUIET - time.monotonic()) > 0 and time.monotonic() < begun + ENDING:
            await asyncio.sleep(rest)

    async def close(self) -> None:
        """Also where the program has ended, so that nothing can be written to it any more."""
        with contextlib.suppress(ConnectionError):
            await self._agent.close()

    # What the SDK calls when the agent asks or notifies.

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Keeps the text of the running turn; what is replayed of an old session or comes late is left out."""
        self._heard = time.monotonic()
        is_text = isinstance(update, AgentMessageChunk) and isinstance(update.content, TextContentBlock)
        if is_text and session_id == self._session:
            self._pieces.put_nowait(update.content.text)
        elif is_text and session_id == self._answered:
            self.late += update.content.text
        elif isinstance(update, (ToolCallStart, ToolCallProgress)):
            said, input = self._begun.pop(update.tool_call_id, ("", None))
            if update.status not in ("completed", "failed"):
                said += _plain(update.model_dump_json())
                self._begun[update.tool_call_id] = said, update.raw_input or input
            (self._announced.set if self._begun else self._announced.clear)()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """The user's answer about a tool of the case. A model of a case may name tools of the agent's own too.

        A question that names none is about the call of its id, as that was announced; one with an id of its own is
        about the calls that have begun and wait.
        """
        asked = self._asked_about(tool_call)
        if self._tool_in(asked[tool_call.tool_call_id][0]) is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._announced.wait(), QUIET)
            is_other = self._begun and tool_call.tool_call_id not in self._begun
            asked = dict(self._begun) if is_other else self._asked_about(tool_call)
        named = {id: self._tool_in(said) for id, (said, _) in asked.items()}
        allowed = all(named.values())
        if not allowed:
            self.refused.append(tool_call.title or tool_call.tool_call_id)
        try:
            for id, name in named.items() if allowed else ():
                allowed = await self._permissions[str(name)](id, asked[id][1]) and allowed
        except Pending as pending:
            self._pending = pending
            self._pieces.put_nowait(None)
            await asyncio.Event().wait()  # the user does not answer in the life of this process
        wanted = ("allow_once", "allow_always") if allowed else ("reject_once",)
        chosen = next((option for kind in wanted for option in options if option.kind == kind), None)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    def _asked_about(self, tool_call: ToolCallUpdate) -> dict[str, tuple[str, Any]]:
        """By the id of a call: what the question and its announcement say of it, and its input."""
        said, input = self._begun.get(tool_call.tool_call_id, ("", None))
        said += _plain(tool_call.model_dump_json())
        return {tool_call.tool_call_id: (said, tool_call.raw_input or input)}

    def _tool_in(self, said: str) -> str | None:
        """The tool of the case that a text names."""
        return named_among(self._permissions, said)

    # How it is done.

    async def _turn(self, session: str, text: str) -> PromptResponse:
        try:
            asked = self._agent.prompt(session_id=session, prompt=[text_block(text)])
            return await self._reported("session/prompt", asked)
        finally:
            self._pieces.put_nowait(None)

    async def _reported(self, method: str, request: Coroutine[Any, Any, Result]) -> Result:
        """The result of a request. Raises what the agent reports."""
        self.unanswered = method
        try:
            result = await request
        except RequestError as error:
            data = f" {json.dumps(error.data)}" if error.data is not None else ""
            problem: Exception = AgentError(f"{error}{data}")
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in error.errors())
            problem = BrokenAnswer(f"the answer to {method} is none of the protocol's: {wrong}")
        except ConnectionError:
            await asyncio.wait([asyncio.ensure_future(self._run.ended())], timeout=LEAVING)
            code = self._run.code
            how = "closed its input or output, and runs on" if code is None else f"ended with {code}"
            problem = AgentEnded(f"the agent {how}")
        else:
            self.unanswered = ""
            return result
        self.unanswered = ""
        raise problem from None


def named_among(names: Iterable[str], said: str) -> str | None:
    """The longest of these names of tools that is in a text, also one that the agent has shortened or cleaned."""
    return max((name for name in names if _plain(name)[:RECOGNISED] in _plain(said)), key=len, default=None)


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", text)


class ConnectedProgram:
    """`start` starts the program with its session. It is started with the first message, and again after it ended."""

    takes_half_characters: ClassVar = False
    takes_turns_together: ClassVar = False
    leaves_by_itself: ClassVar[bool | None] = None
    """Whether a process of it has ended when its client had gone; None until the first one had to."""
    run: Run | None
    connection: Connection
    session: str
    tools: Background

    async def start(self) -> None:
        raise NotImplementedError

    async def send(self, message: str) -> AsyncGenerator[str, None]:
        if self.run is None or self.run.code is not None:
            await self.start()
        async with aclosing(self.connection.prompt(self.session, message)) as pieces:
            async for piece in pieces:
                yield piece

    def kill(self) -> None:
        if self.run is not None:
            self.run.kill()

    async def close(self) -> None:
        if self.run is not None:
            await self.connection.close()
            known = type(self).leaves_by_itself
            if known is not False:
                type(self).leaves_by_itself = await self.run.leaves(LEAVING) or bool(known)
            await self.run.end()
        self.tools.close()


NAME = "suite"
Transport = Literal["stdio", "http", "sse"]
ToolServer = ToolsOverStdio | ToolsOverHttp


def served_tools(tools: Sequence[Tool], transport: str) -> ToolServer:
    """These tools until `close`."""
    if transport == "stdio":
        return serve_stdio(tools)
    return serve_sse(tools) if transport == "sse" else serve_http(tools)


def declared_server(tools: ToolServer, transport: str) -> McpServer:
    """What a session is told of them."""
    if isinstance(tools, ToolsOverStdio):
        program, *arguments = tools.command
        return McpServerStdio(name=NAME, command=program, args=arguments, env=[])
    if transport == "sse":
        return SseMcpServer(type="sse", name=NAME, url=tools.url, headers=[])
    return HttpMcpServer(type="http", name=NAME, url=tools.url, headers=[])
