"""A worker's channel during one case: messages in order, tools beside them, and what its end means."""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake, CodePlace, ReportedError
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending
from agent_conformance.attach.command.messages import CommandError, ProcessDied, ProtocolBroken
from agent_conformance.attach.isolated.channel import BrokenChannel, Message
from agent_conformance.attach.isolated.processes import WorkerProcess
from agent_conformance.attach.isolated.remote_fakes import ServedFakes
from agent_conformance.machine.platform_features import is_ready
from agent_conformance.run.agent.driver import Flooded
from agent_conformance.transcripts.redaction import SECRETS

Handler = Callable[[Message], Awaitable[None]]

WATCHING = 0.1
"""Seconds after which a thread that watches the channel looks whether the session is over."""
ENDING = 5.0
"""Seconds for a worker to end its case."""
ROUNDS = 3
"""Of the event loop, for a cancellation to be sent."""
LATE = ("deltas", "reply", "failed", "closed")
"""What the last case may have sent when it was over already."""
REQUESTS = frozenset({"http", "hold", "reading", "read"})


class IsolatedSession:
    """One case on one worker. `handlers` do what the agent asks, each in a task of its own."""

    def __init__(self, worker: WorkerProcess, fakes: ServedFakes, handlers: Mapping[str, Handler]) -> None:
        self.worker = worker
        self._fakes = fakes
        self._handlers = handlers
        self._inboxes: dict[int, deque[Message]] = {}
        """By turn: of those that run together, the first has the number 0, as all messages have that name none."""
        self._arrived: dict[int, asyncio.Future[None]] = {}
        self._failure: BaseException | None = None
        self.settled = asyncio.Event()
        """A cancellation has gone round among the agent's tasks."""
        self._running: set[asyncio.Task[None]] = set()
        self._asked_by_agent: dict[int, asyncio.Task[None]] = {}
        self._questions = threading.Lock()
        self._asked = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_alive = True

    def attach(self) -> None:
        """Take what the worker sends, whenever the loop that runs now runs."""
        self._loop = asyncio.get_running_loop()
        try:
            self._loop.add_reader(self.worker.channel.socket, self._read)
        except NotImplementedError:  # the loop of Windows watches no sockets
            threading.Thread(target=self._watch, args=(self._loop,), name="agent-channel", daemon=True).start()
        else:
            if self.worker.death is not None:
                self._loop.add_reader(self.worker.death, self._died)

    def detach(self) -> None:
        for task in self._running:
            task.cancel()
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(ValueError, OSError, NotImplementedError):
                self._loop.remove_reader(self.worker.channel.socket)
                self._loop.remove_reader(self.worker.death or -1)
        self._loop = None

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have this loop read whenever something has come, until the session is detached from it."""
        while self._loop is loop:
            if is_ready(self.worker.channel.socket, to_read=True, seconds=WATCHING) and self._loop is loop:
                done = threading.Event()
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    loop.call_soon_threadsafe(self._read_and_tell, done)
                while not done.wait(WATCHING) and self._loop is loop:
                    pass

    def _read_and_tell(self, done: threading.Event) -> None:
        if self._loop is not None:
            self._read()
        done.set()

    def send(self, message: Message) -> None:
        """Raises `CommandError`."""
        try:
            self.worker.channel.send(message)
        except BrokenChannel as broken:
            raise self._broken(broken) from None

    async def next(self, *kinds: str, turn: int = 0) -> Message:
        """The next message of one of these kinds. Raises what the agent has raised, and `CommandError`."""
        inbox = self._inboxes.setdefault(turn, deque())
        while True:
            while not inbox:
                if self._failure is not None:
                    raise self._failure
                self._arrived[turn] = asyncio.get_running_loop().create_future()
                await self._arrived[turn]
            received = inbox.popleft()
            if received["type"] in kinds:
                return received
            if received["type"] == "failed":
                raise error_of(received)
            if received["type"] != "deltas":
                raise self._wrong(f"found {received['type']!r}, expected {' or '.join(kinds)}")

    def ask(self, question: Message, *, within: float) -> Message | None:
        """The answer to a question, from any thread; None if there is none in time."""
        until = time.monotonic() + within
        with self._questions:
            self._asked += 1
            number = self._asked
            with contextlib.suppress(BrokenChannel, TimeoutError):
                self.worker.questions.send({**question, "id": number})
                while True:
                    answer, _ = self.worker.questions.receive(until - time.monotonic())
                    if answer.get("id") == number:
                        return answer
        return None

    def end(self) -> None:
        """Say that the case is over, and take nothing more of it."""
        self.detach()
        self._fakes.lose()
        self.worker.cases += 1
        with contextlib.suppress(CommandError):
            self.send({"type": "end"})

    async def changes(self) -> str:
        """What the case before this one has left changed in the worker; empty if it is as it was."""
        try:
            async with asyncio.timeout(ENDING):
                while (ended := await self.next("ended", *LATE))["type"] != "ended":
                    pass
        except Exception:  # whatever it sends in place of that: it is not used again
            return "no answer"
        return ", ".join(str(part) for part in ended["changed"])

    def discard(self) -> None:
        """The worker is not used again."""
        self.is_alive = False
        self.detach()
        self._fakes.lose()

    def _read(self) -> None:
        """Called when there is something to read. Raises nothing."""
        try:
            for message, payload in self.worker.channel.received():
                self._take(message, payload)
        except BrokenChannel as broken:
            self._fail(self._broken(broken))
        except (KeyError, TypeError, ValueError, AttributeError) as wrong:
            self._fail(self._wrong(f"found a message that cannot be read: {type(wrong).__name__}: {wrong}"))

    def _take(self, message: Message, payload: bytes) -> None:
        kind = message["type"]
        if kind in REQUESTS:
            self._fakes.take(message, payload)
        elif kind == "settled":
            self.settled.set()
        elif kind == "secret":
            found = [(str(message["name"]), str(message["value"]))]
            SECRETS.learn_all(found, of_case=message["of_case"] is True)
        elif kind == "bound":
            SECRETS.note(str(message["bound"]))
        elif kind == "given-up":
            if (given_up := self._asked_by_agent.pop(message["id"], None)) is not None:
                given_up.cancel()
        elif (handle := self._handlers.get(kind)) is not None:
            task = asyncio.ensure_future(handle(message))
            self._running.add(task)
            task.add_done_callback(self._finished)
            if "id" in message:
                self._asked_by_agent[message["id"]] = task
                asyncio.get_running_loop().call_soon(self._say_later, message["id"], task, ROUNDS)
        else:
            turn = message.get("turn", 0)
            self._inboxes.setdefault(turn, deque()).append(message)
            self._wake(turn)

    def _say_later(self, number: int, task: "asyncio.Task[None]", rounds: int) -> None:
        """What is not done after its first step takes some time. A cancellation that this step has begun is sent first,
        as it is known first in process.
        """
        if task.done():
            return
        if rounds:
            asyncio.get_running_loop().call_soon(self._say_later, number, task, rounds - 1)
            return
        with contextlib.suppress(CommandError):
            self.send({"type": "later", "id": number})

    def _finished(self, task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)

    def _died(self) -> None:
        """The process has ended. What it had sent before is taken first."""
        self._read()
        if self.is_alive:
            self._fail(self._broken(BrokenChannel("it is gone")))

    def _fail(self, error: BaseException) -> None:
        if isinstance(error, CommandError) and self._loop is not None:
            self.detach()
        self._failure = self._failure or error
        for turn in [*self._arrived]:
            self._wake(turn)

    def _wake(self, turn: int) -> None:
        arrived = self._arrived.pop(turn, None)
        if arrived is not None and not arrived.done():
            arrived.set_result(None)

    def _broken(self, broken: BrokenChannel) -> CommandError:
        """What the end of the channel means."""
        if str(broken) not in ("it is gone", "it does not read"):
            return self._wrong(f"found {broken}")
        self.is_alive = False
        ended = self.worker.how_it_ended()
        output = self.worker.output
        if ended:
            output.close()
            return ProcessDied(f"the agent's process {ended}", output.text)
        what = "closed its channel to the suite" if str(broken) == "it is gone" else "does not read any more"
        return ProcessDied(f"the agent's process {what} and still runs", output.text)

    def _wrong(self, what: str) -> CommandError:
        self.is_alive = False
        return ProtocolBroken(f"the agent wrote to the channel of the suite: {what}", self.worker.output.text)


# What a worker reports of an exception, as an exception again. Runs nothing of the agent.


class ReportedCancellation(ReportedError, Cancelled):
    """The agent ended the turn because it was cancelled."""


class ReportedPending(ReportedError, Pending):
    """The agent waits for the user."""


def error_of(fields: Mapping[str, Any]) -> BaseException:
    """The exception for the fields of `failed`. Raises `TypeError` for fields of other types."""
    kind, text = fields.get("kind", "other"), fields.get("text", "")
    if kind == "cannot-restore":
        return CannotRestore(_string(text))
    if kind == "mistake":
        return AdapterMistake(_string(text))
    if kind == "flood":
        return Flooded(_string(text))
    cls = {"cancelled": ReportedCancellation, "pending": ReportedPending}.get(kind, ReportedError)
    more = {name: _string(fields.get(name, "")) for name in ("hidden", "trace", "whole_trace")}
    place = _place(fields.get("place"))
    return cls(_string(fields["described"]), controlled=fields.get("controlled") is True, place=place, **more)


def _place(value: Any) -> CodePlace | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or type(value.get("line")) is not int:
        raise TypeError(f"found {value!r:.100}, expected the place of a line")
    return CodePlace(_string(value.get("file")), value["line"], _place(value.get("called_from")))


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"found {type(value).__name__}, expected a text")
    return value
