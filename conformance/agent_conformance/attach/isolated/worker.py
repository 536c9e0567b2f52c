"""The process that serves an agent, one case at a time. It drives the agent as the suite does in its own process."""

import asyncio
import gc
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake, DeclaredAgent
from agent_conformance.adapter.tool_servers import observe_tool_servers, take_whether_unasked
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending, ToolError, Withdrawn
from agent_conformance.attach.isolated.channel import BrokenChannel, Channel, Frame, Message
from agent_conformance.attach.isolated.process_state import changes, snapshot
from agent_conformance.attach.isolated.remote_fakes import RemoteFakes
from agent_conformance.attach.isolated.remote_setup import Conversation
from agent_conformance.run.agent.driver import Driver, Flooded, Job, Send, takes_session
from agent_conformance.run.exceptions import accident_behind, class_name, described_error, is_controlled
from agent_conformance.run.exceptions.crash_trace import place_of, trace_of
from agent_conformance.run.process.network_guard import Host, NetworkGuard
from agent_conformance.run.process.shared_functions import SharedFunctions
from agent_conformance.transcripts.redaction import SECRETS

FLUSH = 0.02
"""Seconds for which a delta may wait for the next one."""
LOOKING = 0.1
"""Seconds after which deltas are sent that no other follows."""
ROUNDS = 2
"""Of the event loop, for a cancellation to go through the agent's tasks: in process, a tool that has waited for it
goes on after as many.
"""
MANY_MODULES = 50
"""So many new ones mean that the agent has imported an SDK on first use."""
MOST_WAITING = 256
"""Deltas that wait at most."""


class Worker:
    """Serves one suite until its channel ends. `questions` is answered beside, by a thread of its own."""

    def __init__(
        self, agent: DeclaredAgent, channel: Channel, questions: Channel, start: Path, functions: SharedFunctions
    ) -> None:
        self.agent = agent
        self._functions = functions
        self.start = start
        self._channel = channel
        self._questions = questions
        self.fakes = RemoteFakes(channel)
        self._case: CaseInWorker | None = None
        self._foreign = ForeignHosts(self.send)

    def run(self) -> None:
        """Does not return before the suite is gone."""
        threading.Thread(target=self._answer_questions, name="questions", daemon=True).start()
        self._threads = frozenset(threading.enumerate())
        # The suite hears at once of each secret that the agent learns: it redacts what the agent says.
        SECRETS.observer = lambda name, value, of_case: self.send(
            {"type": "secret", "name": name, "value": value, "of_case": of_case}
        )
        SECRETS.bound_observer = lambda bound: self.send({"type": "bound", "bound": bound})
        for key in SECRETS.known():
            SECRETS.observer(key.name, key.value, False)
        for bound in SECRETS.bounds:
            SECRETS.bound_observer(bound)
        observe_tool_servers(lambda asked: self.send({"type": "tool-server", "asked": asked}))
        self._keep_loaded()
        with NetworkGuard.watch(self._foreign):
            self._before = snapshot()
            while True:
                try:
                    frame = self._receive()
                except BrokenChannel:
                    os._exit(0)
                self._take(*frame)

    def send(self, message: Message) -> None:
        try:
            self._channel.send(message)
        except BrokenChannel:
            os._exit(0)

    def _receive(self) -> Frame:
        """The next message. Meanwhile deltas are sent that have waited for long enough."""
        while True:
            case = self._case
            try:
                return self._channel.receive(None if case is None else LOOKING)
            except TimeoutError:
                if case is not None:
                    case.deltas.flush()

    def _take(self, message: Message, payload: bytes) -> None:
        match message["type"]:
            case "answer" | "held" | "release":
                self.fakes.take((message, payload))
            case "open":
                self._foreign.clear()
                if message["fakes"] is not None:
                    self.fakes.start(*message["fakes"])
                SECRETS.begin_case()
                self._case = CaseInWorker(self, message)
            case "end":
                # The case is over. What the agent has left changed is reported: this process is then not used again.
                self.fakes.stop()
                case, self._case = self._case, None
                if case is not None:
                    case.end()
                take_whether_unasked()  # the suite keeps count
                self.send({"type": "ended", "changed": changes(self._before, self._functions, self._threads)})
                self._functions.look()
                if len(sys.modules) >= self._modules + MANY_MODULES:
                    self._keep_loaded()
            case _ if self._case is not None:
                self._case.take(message)

    def _keep_loaded(self) -> None:
        """Keep what is loaded by now out of garbage collection, as the suite does in its own process."""
        self._modules = len(sys.modules)
        gc.freeze()

    def _answer_questions(self) -> None:
        while True:
            try:
                message, _ = self._questions.receive()
            except BrokenChannel:
                return
            reply = self._reply_to(message)
            if reply is not None:
                self.answer(message, reply)

    def answer(self, question: Message, reply: Message) -> None:
        try:
            self._questions.send({"id": question["id"], **reply})
        except BrokenChannel:
            os._exit(0)

    def _reply_to(self, message: Message) -> Message | None:
        if message["type"] == "modules":
            return {"names": list(sys.modules)}
        case = self._case
        if case is None:
            return {"value": None}
        try:
            return case.reply_to(message)
        except BaseException as error:
            return described(error, self.agent, self.start, in_turn=False)


def _session_of(turn: Message) -> dict[str, str]:
    return {} if turn["session"] is None else {"session": turn["session"]}


class CaseInWorker:
    """One instance of the agent, from `open` to `end`."""

    def __init__(self, worker: Worker, opened: Message) -> None:
        self._worker = worker
        self.deltas = Deltas(worker.send)
        self._conversation = Conversation(opened, self._say)
        self._driver = Driver()
        self._adapter: Any = None
        self._run(lambda: worker.agent.adapter(self._conversation.setup), self._opened)

    def take(self, message: Message) -> None:
        match message["type"]:
            case "result" | "approval" | "later":
                self._conversation.resolve(message)
            case "send":
                self._send(message)
            case "cancel":
                cancel = getattr(self._adapter, "cancel", None)
                called: Future[None] = Future()
                called.add_done_callback(lambda _: self._settle())
                if cancel is None:
                    self._driver.cancel_task()
                    called.set_result(None)
                elif inspect.iscoroutinefunction(cancel):
                    self._driver.run_coroutine(cancel, called)
                else:
                    _in_thread("cancel", cancel, called)
            case "close":
                close = getattr(self._adapter, "close", None)
                self._run(close or (lambda: None), self._closed)

    def end(self) -> None:
        self._conversation.end()
        self._driver.close()

    def reply_to(self, message: Message) -> Message | None:
        """The answer to a question; None where it is sent later. May raise what the agent raises."""
        match message["type"]:
            case "side-request":
                answer = self._adapter.side_request(message["body"])
                return {"value": answer if isinstance(answer, str) else bool(answer)}
            case "log-tail":
                return {"value": str(self._adapter.log_tail)}
            case "kill":
                self._adapter.kill()
                return {"value": True}
            case "steer":
                self._steer(message["message"]).add_done_callback(
                    lambda _: self._worker.answer(message, {"value": True})
                )
        return None

    def _say(self, kind: str, /, **fields: Any) -> None:
        self.deltas.flush()
        self._worker.send({"type": kind, **fields})

    def _run(self, work: Callable[[], Any], report: Callable[[Job], None]) -> None:
        """Do this on the agent's thread, and report there how it went."""
        job = self._driver.start(work)
        self._driver.start(lambda: self._report(report, job))

    def _report(self, report: Callable[[Job], None], job: Job) -> None:
        try:
            report(job)
        except BaseException as error:  # what the adapter declares cannot be read
            self._fail(error, in_turn=False)

    def _opened(self, job: Job) -> None:
        if job.error is not None:
            self._fail(job.error, in_turn=False)
            return
        self._adapter = adapter = job.value
        SECRETS.learn_members(adapter)
        self._say(
            "opened",
            side_request=getattr(adapter, "side_request", None) is not None,
            steer=hasattr(adapter, "steer"),
            switch=hasattr(adapter, "switch"),
            compact=hasattr(adapter, "compact"),
            compacts_sessions=hasattr(adapter, "compact") and takes_session(adapter.compact),
            kill=getattr(adapter, "kill", None) is not None,
            log_tail=hasattr(adapter, "log_tail"),
            tool_names=self._tool_names(),
        )

    def _tool_names(self) -> dict[str, str] | None:
        """The declared name of each tool that has one, read once for each turn. Raises `AdapterMistake`."""
        try:
            names = getattr(self._adapter, "tool_names", None)
            if names is None:
                return None
            named = names if callable(names) else names.get
            tools = {tool.name: named(tool.name) for tool in self._conversation.setup.tools}
            return {tool: str(name) for tool, name in tools.items() if name is not None}
        except BaseException as error:
            raise AdapterMistake(f"the adapter's tool_names raised {described_error(error)}") from error

    def _send(self, message: Message) -> None:
        """Run one turn, or some together."""
        turns = message["turns"]
        sends = [self._send_of(number, turn) for number, turn in enumerate(turns)]
        if len(sends) > 1:
            job = self._driver.start_together(sends)
        else:
            switched = turns[0]["switch"]
            before = partial(self._adapter.compact, **_session_of(turns[0])) if turns[0].get("compact") else None
            if switched is not None:
                before = partial(self._switch, switched)
            job = self._driver.start_send(*sends[0], before=before)
        self._driver.start(lambda: self._report(partial(self._replied, len(sends)), job))

    def _send_of(self, number: int, turn: Message) -> Send:
        said, named = self._conversation.message(turn), _session_of(turn)

        def send(text: Any) -> Any:
            return self._adapter.send(text, **named)

        return send, said, partial(self.deltas.add, number)

    def _switch(self, switched: Message) -> Any:
        return self._adapter.switch(self._conversation.setup_of(switched))

    def _replied(self, turns: int, job: Job) -> None:
        SECRETS.learn_members(self._adapter)
        together = turns > 1 and job.error is None
        ended = job.value if together else [job.error or job.value] * turns
        for number, value in enumerate(ended):
            if isinstance(value, BaseException):
                self._fail(value, in_turn=True, turn=number)
            else:
                self._say("reply", text=value, tool_names=self._tool_names(), turn=number)

    def _closed(self, job: Job) -> None:
        if job.error is None:
            self._say("closed")
        else:
            self._fail(job.error, in_turn=False)

    def _fail(self, error: BaseException, *, in_turn: bool, turn: int = 0) -> None:
        placed = not (in_turn and hasattr(self._adapter, "log_tail"))
        fields = described(error, self._worker.agent, self._worker.start, in_turn=in_turn, placed=placed)
        self._say("failed", **fields, turn=turn)

    def _settle(self) -> None:
        """Say when what was cancelled has reached the agent's tasks, and they have given up what they wait for."""
        settled: Future[None] = Future()
        settled.add_done_callback(lambda _: self._say("settled"))
        self._driver.run_coroutine(self._some_rounds, settled)

    async def _some_rounds(self) -> None:
        for _ in range(ROUNDS):
            await asyncio.sleep(0)
        self._conversation.settle()

    def _steer(self, message: str) -> Future[None]:
        called: Future[None] = Future()
        steer = self._adapter.steer
        if inspect.iscoroutinefunction(steer):
            self._driver.run_coroutine(lambda: steer(message), called)
        else:
            _in_thread("steer", lambda: steer(message), called)
        return called


class ForeignHosts(list[Host]):
    """The hosts that the network guard has refused in this case. The suite hears of each at once."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        super().__init__()
        self._send = send

    def append(self, host: Host) -> None:
        super().append(host)
        self._send({"type": "foreign", "host": host[0], "port": host[1]})


class Deltas:
    """What the agent yields, sent together: a stream of single characters is one message for many."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._items: list[Any] = []
        self._turn = 0
        self._since = 0.0

    def add(self, turn: int, item: str | Withdrawn) -> None:
        now = time.monotonic()
        with self._lock:
            if turn != self._turn:
                self._send_all()
            if not self._items:
                self._since, self._turn = now, turn
            self._items.append([item.characters] if isinstance(item, Withdrawn) else item)
        if now > self._since + FLUSH or len(self._items) >= MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        with self._lock:
            self._send_all()

    def _send_all(self) -> None:
        items, self._items = self._items, []
        if items:
            self._send({"type": "deltas", "items": items, "turn": self._turn})


def _in_thread(name: str, work: Callable[[], Any], called: Future[None]) -> None:
    def run() -> None:
        try:
            work()
        finally:
            called.set_result(None)

    threading.Thread(target=run, name=name, daemon=True).start()


LONGEST = 1 << 20
"""Characters of a text that are sent: a traceback of a recursion is long, and a class can have any name."""


def described(
    error: BaseException, agent: DeclaredAgent, start: Path, *, in_turn: bool, placed: bool = True
) -> dict[str, Any]:
    """The fields of `failed`. Raises nothing. A controlled failure of a turn has no traceback.

    `placed`: whether the frames say where the agent failed.
    """
    try:
        controlled = is_controlled(error, (*agent.errors, ToolError), agent.raised_in)
        fields = {
            "kind": _kind(error),
            "described": described_error(error)[:LONGEST],
            "text": _text(error)[:LONGEST],
            "controlled": controlled,
            "hidden": accident_behind(error)[:LONGEST],
        }
        if (in_turn and controlled) or not (placed or getattr(error, "agent_traceback", None)):
            return fields
        trace = trace_of(error, start)
        place = place_of(error, start)
        traces = {"trace": trace.brief[:LONGEST], "whole_trace": trace.whole[:LONGEST]}
        return fields | traces | {"place": None if place is None else asdict(place)}
    except BaseException:
        return {"kind": "other", "described": f"{class_name(error)[:300]}: (it has no text: its __str__ fails)"}


def _kind(error: BaseException) -> str:
    if isinstance(error, CannotRestore):
        return "cannot-restore"
    if isinstance(error, AdapterMistake):
        return "mistake"
    if isinstance(error, Flooded):
        return "flood"
    if isinstance(error, Pending):
        return "pending"
    is_cancelled = isinstance(error, Cancelled) or class_name(error) == "CancelledError"
    return "cancelled" if is_cancelled else "other"


def _text(error: BaseException) -> str:
    if isinstance(error, CannotRestore):
        return str(getattr(error, "reason", error))
    return str(error) if isinstance(error, AdapterMistake | Flooded) else ""
