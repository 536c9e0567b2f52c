"""The adapter that the suite drives in place of one in Python that runs in a process of its own."""

import asyncio
import contextlib
import re
import sys
import threading
from collections.abc import AsyncIterator, Callable, Generator, Mapping
from typing import Any, ClassVar

from agent_conformance.adapter.contract import FEATURE_NAMES, AdapterMistake, DeclaredAgent, ReportedError
from agent_conformance.adapter.tool_servers import ToolServer
from agent_conformance.adapter.types import (
    AgentError,
    CannotRestore,
    Part,
    Pending,
    Reply,
    Setup,
    ToolCall,
    ToolError,
    Withdrawn,
)
from agent_conformance.attach.command import messages
from agent_conformance.attach.command.messages import CommandError
from agent_conformance.attach.isolated.channel import Message
from agent_conformance.attach.isolated.processes import AgentLocation, CannotStart, Processes, WorkerProcess
from agent_conformance.attach.isolated.remote_fakes import ServedFakes
from agent_conformance.attach.isolated.session import IsolatedSession
from agent_conformance.run.process.network_guard import NetworkGuard
from fake_providers.transport.answerer import Answerer

SETTLING = 0.5
"""Seconds for a cancellation to go round. Where the agent's tasks do not run, it has no effect on them."""
ANSWERING = 5.0
"""Seconds for a question that the suite asks during a request, and for those after a crash."""


class LeftHanging(asyncio.CancelledError):
    """The turn was given up; its process is killed."""

    how_it_was_left = "its process was killed"


def isolated_agent(location: AgentLocation) -> DeclaredAgent:
    """The agent of `module:Attribute`, a path or a ready-made name, in a process of its own. Raises `CannotStart`."""
    processes = Processes(location)
    declared = processes.declared
    reply_tool = declared["reply_tool"]
    members = {
        "processes": processes,
        "reply_tool": None if reply_tool is None else tuple(reply_tool),
        "scrub": tuple(re.compile(pattern, flags) for pattern, flags in declared["scrub"]),
        "takes_half_characters": declared["takes_half_characters"],
        "takes_turns_together": declared["takes_turns_together"],
        "tool_names": declared["tool_names"],
        "answerer": None,
        "address": ("", 0),
    }
    words = {name: tuple(declared[name]) for name in ("wires", "modes", "features")}
    adapter = type("IsolatedAgent", (IsolatedAgent,), members | words)
    return DeclaredAgent(
        location.spec,
        adapter,
        words["wires"],
        words["modes"],
        frozenset(words["features"]),
        (AgentError,),
        reply_tool=members["reply_tool"],
        instructions_as_message=declared["instructions_as_message"],
        scrub=members["scrub"],
    )


class IsolatedAgent:
    """The adapter of one agent. `isolated_agent` makes a subclass for it. An instance is awaited before its first use:
    that starts the agent.
    """

    processes: ClassVar[Processes]
    answerer: ClassVar[Answerer | None]
    address: ClassVar[tuple[str, int]]
    tool_names: Mapping[str, str] | None

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._tools = {tool.name: tool for tool in setup.tools}
        self._session: IsolatedSession
        self._members: Message = {}
        self._sent_enabled: list[str] = []
        self._in_order = False
        """The agent's process waits for the next message."""
        self._is_kept = True
        """It may serve the next case as well: nothing has crashed in it."""
        self._log_tail: str | None = None
        self._together: list[Message] = []
        """The turns that begin now."""
        self._switched: Message | None = None
        """The set-up that the agent goes on with in its next turn."""
        self._compacts = False

    @classmethod
    def reach_fakes(cls, answerer: Answerer | None, host: str, port: int) -> None:
        """Where the fakes are. With an `answerer`, requests of httpx and httpx2 come over the channel."""
        cls.answerer, cls.address = answerer, (host, port)

    def __await__(self) -> Generator[Any, None, "IsolatedAgent"]:
        return self._start().__await__()

    async def _start(self) -> "IsolatedAgent":
        """Raises what the adapter's `__init__` raises."""
        try:
            self._session = await self._taken()
            self._session.send(self._open())
            self._take_members(await self._session.next("opened"))
        except BaseException:
            self._discard()
            raise
        self._in_order = True
        return self

    async def _taken(self) -> IsolatedSession:
        """A worker that has ended its last case unchanged, or a new one."""
        worker, self.processes.idle = self.processes.idle, None
        if worker is not None:
            session = self._new_session(worker)
            changes = await session.changes()
            self.processes.note_modules(worker)
            if not changes:
                return session
            session.discard()
            self.processes.retire(worker, changes)
        try:
            worker = await _in_thread(self.processes.start)
        except CannotStart as error:
            raise AdapterMistake(str(error)) from None
        return self._new_session(worker)

    def _new_session(self, worker: WorkerProcess) -> IsolatedSession:
        handlers = {"call": self._call, "approve": self._approve, "event": self._event, "foreign": self._foreign}
        handlers["tool-server"] = self._tool_server
        session = IsolatedSession(worker, ServedFakes(self.answerer, worker.channel), handlers)
        session.attach()
        return session

    def _open(self) -> Message:
        fakes = None if self.answerer is None else list(self.address)
        return opened_message(self._setup) | {"fakes": fakes}

    def _take_members(self, opened: Message) -> None:
        self._members = opened
        self.tool_names = _names(opened)
        if opened["side_request"]:
            self.side_request = self._side_request
        if opened["steer"]:
            self.steer = self._steer
        if opened["switch"]:
            self.switch = self._switch
        if opened["compact"]:
            self.compact = self._compact_one if opened["compacts_sessions"] else self._compact

    async def send(self, message: str | list[Part], session: str | None = None) -> AsyncIterator[str | Withdrawn]:
        """One turn. Raises what the agent's `send` raises, as its process describes it, and `CommandError`."""
        self._in_order = False
        try:
            turn = await self._begun(self._send_message(message, session))
            while (received := await self._session.next("deltas", "reply", turn=turn))["type"] == "deltas":
                for item in received["items"]:
                    yield _shown(item)
        except asyncio.CancelledError:
            raise LeftHanging from None
        except CommandError:
            raise
        except BaseException as error:
            self._in_order = self._session.is_alive
            self._is_kept = self._is_kept and not _is_crash(error)
            raise
        self._in_order = True
        self.tool_names = _names(received)
        if received["text"] is not None:
            yield Reply(received["text"])

    async def _begun(self, sent: Message) -> int:
        """The number of the turn among those that begin now: turns that run together are sent as one message."""
        together = self._together
        together.append(sent)
        await asyncio.sleep(0)
        if together is self._together:
            self._together = []
            self._session.send({"type": "send", "turns": together})
        return next(number for number, one in enumerate(together) if one is sent)

    def _send_message(self, message: str | list[Part], session: str | None) -> Message:
        self._sent_enabled = self._enabled()
        compacts, self._compacts = self._compacts, False
        sent = messages.send_message(message, session="", enabled=self._sent_enabled, compact=compacts)
        switched, self._switched = self._switched, None
        return sent | {"session": session, "switch": switched}

    def _enabled(self) -> list[str]:
        return [name for name, tool in self._tools.items() if tool.enabled]

    async def cancel(self) -> None:
        """Ask the agent to end the turn. Returns when that has gone round among its tasks."""
        self._session.settled.clear()
        self._session.send({"type": "cancel"})
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._session.settled.wait(), SETTLING)

    def kill(self) -> None:
        """End the process at once, and those of the agent: its adapter may know more of them."""
        self._in_order = False
        if self._members.get("kill"):
            self._session.ask({"type": "kill"}, within=ANSWERING)
        self._session.worker.kill()

    @property
    def log_tail(self) -> str:
        """What the adapter calls the end of its log; else what a process has printed that ended too early."""
        if self._log_tail is None:
            self._log_tail = self._read_log_tail()
        return self._log_tail

    def _read_log_tail(self) -> str:
        if self._members.get("log_tail") and self._session.is_alive:
            answer = self._session.ask({"type": "log-tail"}, within=ANSWERING)
            return str((answer or {}).get("value", ""))
        return "" if self._in_order else self._session.worker.output.text

    async def close(self) -> None:
        """Close the agent, and keep its process for the next case if it is in order."""
        session = self._session
        if not self._in_order or not session.is_alive:
            self._discard()
            return
        try:
            session.send({"type": "close"})
            await session.next("closed")
        except asyncio.CancelledError:
            self._in_order = False
            raise LeftHanging from None
        finally:
            self._leave()

    def _leave(self) -> None:
        """The case is over for the agent's process."""
        session = self._session
        if self._in_order and self._is_kept and session.is_alive:
            session.end()
            self._show_output()
            self.processes.idle = session.worker
        else:
            self._discard()

    def _discard(self) -> None:
        if (session := getattr(self, "_session", None)) is not None:
            session.discard()
            self.processes.retire(session.worker, "a crash, a hang or an exit")
            self._show_output()

    def _show_output(self) -> None:
        """Print what the agent has printed, as pytest shows the output of an agent in its own process."""
        if news := self._session.worker.output.news():
            sys.stdout.write(news)

    def _side_request(self, body: dict[str, Any]) -> bool | str:
        is_kept, self._is_kept = self._is_kept, False  # without an answer the process is not used again
        answer = self._session.ask({"type": "side-request", "body": body}, within=ANSWERING)
        if answer is None:
            raise AdapterMistake(f"the adapter's side_request did not return within {ANSWERING:g} s")
        self._is_kept = is_kept
        if "value" not in answer:
            raise AdapterMistake(f"the adapter's side_request raised {answer['described']}")
        value = answer["value"]
        return value if isinstance(value, str) else bool(value)

    def _steer(self, message: str) -> None:
        self._session.ask({"type": "steer", "message": message}, within=ANSWERING)

    def _switch(self, setup: Setup) -> None:
        """Called before a turn, with which the agent gets it."""
        self._setup = setup
        self._switched = opened_message(setup)

    def _compact(self) -> None:
        """Called before a turn, with which the agent is told."""
        self._compacts = True

    def _compact_one(self, session: str | None = None) -> None:
        """The session is that of the turn."""
        self._compact()

    # What the agent's process asks.

    async def _call(self, message: Message) -> None:
        tool = self._tools[message["tool"]]
        try:
            value = await tool.acontent(_arguments(message))
        except ToolError as error:
            result = messages.failed_message(message["id"], str(error), session="")
        else:
            result = messages.result_message(message["id"], value, session="")
            result["parts"] = isinstance(value, list) and bool(value) and isinstance(value[0], Part)
        if (enabled := self._enabled()) != self._sent_enabled:
            result["enabled"] = self._sent_enabled = enabled
        self._session.send(result)

    async def _approve(self, message: Message) -> None:
        answer: dict[str, Any]
        arguments = _arguments(message)
        try:
            answer = {"allowed": await self._setup.aapprove(ToolCall(message["call_id"], message["tool"], arguments))}
        except Pending as pending:
            answer = {"allowed": None, "text": str(pending)}
        self._session.send({"type": "approval", "id": message["id"], **answer})

    async def _event(self, message: Message) -> None:
        if self._setup.observe is not None:
            self._setup.observe([str(text) for text in message["texts"]])

    async def _foreign(self, message: Message) -> None:
        NetworkGuard.note((str(message["host"]), message["port"]))

    async def _tool_server(self, message: Message) -> None:
        """The agent's process has begun a server of tools, or one was asked for them."""
        server = ToolServer()
        if message["asked"] is True:
            server.listed()


def opened_message(setup: Setup) -> Message:
    """All of the set-up, whatever the agent declares: in process it has all of it as well."""
    opened = messages.open_message(setup, session="", features=FEATURE_NAMES)
    return opened | {"gives_parts": all(tool.gives_parts for tool in setup.tools)}


def _is_crash(error: BaseException) -> bool:
    ends_well = isinstance(error, AgentError | Pending | CannotRestore)
    return not (ends_well or (isinstance(error, ReportedError) and error.controlled))


def _shown(item: Any) -> str | Withdrawn:
    return item if isinstance(item, str) else Withdrawn(item[0])


def _names(message: Message) -> Mapping[str, str] | None:
    names = message["tool_names"]
    return None if names is None else {str(name): str(other) for name, other in names.items()}


def _arguments(message: Message) -> Any:
    """The arguments of a call. What was no JSON is an object of a class with the same name, and the same text."""
    if "no_json" not in message:
        return message["arguments"]
    name, text = message["no_json"]
    return type(str(name), (), {"__repr__": lambda self: str(text)})()


async def _in_thread(work: Callable[[], Any]) -> Any:
    """What `work` returns. The caller can be cancelled meanwhile."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def run() -> None:
        try:
            result, error = work(), None
        except BaseException as raised:
            result, error = None, raised
        loop.call_soon_threadsafe(_finish, done, result, error)

    threading.Thread(target=run, name="agent-start", daemon=True).start()
    return await done


def _finish(done: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
