"""One run of a case: the agent is started, driven through the turns, and closed. Judges nothing."""

import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from conformance.adapter.contract import AdapterMistake, DeclaredAgent, ReportedError
from conformance.adapter.types import Cancelled, CannotRestore, Fallback, Pending, Setup, ToolError, Withdrawn
from conformance.record.bounds import MOST_ATTEMPTS
from conformance.record.transcript import Outcome, Transcript, TurnRecord
from conformance.run.agent_errors import accident_behind, described_error, is_controlled
from conformance.run.agent_setup import API_KEY, setup_of
from conformance.run.approvals import Approver
from conformance.run.bound_of_case import bound_of
from conformance.run.case_provider import CaseProvider, RequestHints
from conformance.run.crash_trace import place_of, trace_of
from conformance.run.driver import Driver, Flooded, Job, Send
from conformance.run.follow_up import follow_up_turn
from conformance.run.life import Killed
from conformance.run.living_agent import LivingAgent
from conformance.run.parts import message_of
from conformance.run.running_turn import RunningTurn
from conformance.run.toolbox import Toolbox
from conformance.scenario.cases import Case
from conformance.scenario.model import Turn
from conformance.scenario.targets import Target, fallback_of, targets_of_turns
from fakes.http import Handler
from fakes.registry import wire_for
from fakes.reply import Split
from fakes.transport.mounts import Mounts
from fakes.transport.server import LoopbackServer

SLOW_START = "If it is slow to start, give it more seconds of silence: --agent-timeout=60"

UNFINISHED: tuple[Outcome, ...] = ("crash", "hang", "flood")


class NotVerified(Exception):
    """The adapter cannot restore this scenario's history, or the case cannot be expressed to this agent."""


class CaseError(Exception):
    """The suite, the adapter or the set-up failed: no verdict on the agent. `raised` is what the adapter raised."""

    def __init__(self, problem: str, raised: BaseException | None = None) -> None:
        super().__init__(problem)
        self.raised = raised


@dataclass(frozen=True, slots=True)
class CaseEnvironment:
    """Where a case runs: the server that serves its provider, the state directory, and how long silence may last.

    Places in the agent's code are shown from `start`. `tolerated` are rules whose breaches the provider accepts.
    """

    mounts: Mounts
    server: LoopbackServer
    state_dir: Path
    timeout: float
    start: Path | None = None
    tolerated: frozenset[str] = frozenset()
    extra_start: float = 0.0
    """Seconds of silence that are allowed in addition before the first request, where an SDK may still be imported."""

    def mount(self, provider: Handler) -> str:
        """The token under which the server now reaches this provider."""
        return self.mounts.mount(provider)

    def base_url(self, token: str, case: Case, target: Target | None = None) -> str:
        """Where this token is served, for the case's own provider and wire or another target."""
        wire = wire_for(case.provider, case.wire) if target is None else wire_for(target.provider, target.wire)
        return f"{self.server.url}/{token}{wire.base_path}"


class CaseRun:
    """Call `run` once. `has_stuck_thread`: the agent's thread never ended. `crash` is the agent's exception."""

    def __init__(self, case: Case, agent: DeclaredAgent, environment: CaseEnvironment, *, split: Split) -> None:
        self._case = case
        self._agent = agent
        self._environment = environment
        self._agents = [LivingAgent()]
        self._running = RunningTurn()
        declared: Any = agent.adapter
        hints = RequestHints(
            tool_names=getattr(declared, "tool_names", None),
            reply_tool=getattr(declared, "reply_tool", None),
            has_own_tools="own-tools" in agent.features,
        )
        self._provider = CaseProvider(
            case,
            self._running,
            split=split,
            bound=bound_of(case, agent),
            hints=hints,
            tolerated=environment.tolerated,
        )
        self._toolbox = Toolbox(case.scenario.tools, self._running)
        self._targets = targets_of_turns(case.scenario, case.wire, case.provider)
        self._tokens: dict[tuple[str, str], str] = {}
        """By wire and provider: where the server serves it."""
        self.crash: BaseException | None = None
        self._transcript = Transcript(split, state_dir=str(environment.state_dir), api_key=API_KEY)

    @property
    def has_stuck_thread(self) -> bool:
        return any(agent.driver.has_stuck_thread for agent in self._agents)

    @property
    def _agent_now(self) -> LivingAgent:
        return self._agents[-1]

    @property
    def _driver(self) -> Driver:
        return self._agent_now.driver

    @property
    def _adapter(self) -> Any:
        return self._agent_now.adapter

    def run(self, *, follow_up: bool) -> Transcript:
        """`follow_up`: send one more message after the scenario's own turns.

        Raises `NotVerified` and `CaseError`; whatever the agent does is recorded in the transcript.
        """
        problem: CaseError | None = None
        try:
            self._run_turns(follow_up=follow_up)
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C, or a plugin's time limit: wait for nothing any more
                self._driver.stop_waiting()
            raise
        finally:
            problem = self._close()
            self._unmount()
            self._driver.close()
            for agent in self._agents[:-1]:
                agent.clear_away()
        if problem is not None and not self.is_over:
            raise problem
        return self._transcript

    def _run_turns(self, *, follow_up: bool) -> None:
        self._start_agent(self._targets[0], restarted=False)
        turns = [*zip(self._case.scenario.conversation, self._targets, strict=True)]
        for number, (turn, target) in enumerate(turns, 1):
            if turn.together:
                continue
            if turn.restart and number > 1:
                self._end_agent()
                self._environment.server.catch_up()
                self._start_agent(target, restarted=True)
            if number < len(turns) and turns[number][0].together:
                self._run_together(number, (turn, turns[number][0]), target)
            else:
                self._run_turn(number, turn, target)
            if self.is_over:
                return
        if follow_up:
            self._send_follow_up()

    def _end_agent(self) -> None:
        """Close it, unless it was killed: the next one then has a thread, an event loop and an address of its own."""
        if not self._agent_now.life.is_dead:
            if (problem := self._close()) is not None:
                raise problem
            return
        self._unmount()
        self._agents.append(LivingAgent())

    def _unmount(self) -> None:
        for token in self._tokens.values():
            self._environment.mounts.unmount(token)
        self._tokens.clear()

    def _base_url(self, target: Target) -> str:
        """Where the agent reaches this provider on this wire."""
        key = target.wire, target.provider
        if key not in self._tokens:
            self._tokens[key] = self._environment.mount(self._provider.handler_of(target))
        return self._environment.base_url(self._tokens[key], self._case, target)

    def _setup(self, target: Target, *, restarted: bool) -> Setup:
        return setup_of(
            self._case,
            base_url=self._base_url(target),
            tools=self._toolbox.tools_of(self._agent_now.life),
            state_dir=self._environment.state_dir,
            restarted=restarted,
            observe=self._running.observe,
            approver=Approver(self._case.scenario.tools, self._running, self._agent_now.life),
            target=target,
            fallback=self._fallback(),
        )

    def _fallback(self) -> Fallback | None:
        second = fallback_of(self._case.scenario, self._case.wire)
        if second is None:
            return None
        return Fallback(second.wire, second.provider, self._base_url(second), API_KEY, second.model)

    @property
    def is_over(self) -> bool:
        """The agent crashed, hangs, or was stopped: it gets no further turn."""
        return self._provider.stopped or any(record.outcome in UNFINISHED for record in self._transcript.turns)

    def _start_agent(self, target: Target, *, restarted: bool) -> None:
        timeout = self._environment.timeout
        setup = self._setup(target, restarted=restarted)
        job = self._driver.start(lambda: self._agent.adapter(setup))
        if not self._driver.wait(job, timeout, self._last_activity, self._extra_patience):
            seconds = timeout + self._extra_patience()
            how = self._driver.abandon(job)
            raise CaseError(f"the adapter's __init__ did not return within {seconds:g} s; {how}. {SLOW_START}")
        if isinstance(job.error, CannotRestore):
            raise NotVerified(f"cannot restore the history: {job.error.reason}")
        if job.error is not None:
            self.crash = job.error
            raise CaseError(f"the adapter's __init__ raised {described_error(job.error)}", job.error)
        self._agent_now.adapter = job.value
        if not hasattr(self._adapter, "steer") and any(turn.steer for turn in self._case.scenario.conversation):
            raise CaseError("the adapter declares the feature steering, and has no method steer(message)")
        if not hasattr(self._adapter, "switch") and any(turn.switch for turn in self._case.scenario.conversation):
            raise CaseError("the adapter declares the feature model-switch, and has no method switch(setup)")
        self._provider.use_hints(
            getattr(self._adapter, "side_request", None), getattr(self._adapter, "tool_names", None)
        )

    def _run_turn(self, number: int, turn: Turn, target: Target, *, is_follow_up: bool = False) -> None:
        if turn.tools is not None:
            self._running.enabled = set(turn.tools)
        record = self._new_record(number, turn, target, is_follow_up=is_follow_up)
        self._provider.begin_turn(record, cancel=self._cancel, steer=self._steer)
        switch = None
        if turn.switch is not None:
            switch = partial(self._adapter.switch, self._setup(target, restarted=True))
        self._end_turns(self._driver.start_send(*self._send_of(record), before=switch), record)

    def _run_together(self, number: int, turns: tuple[Turn, Turn], target: Target) -> None:
        """Run two turns of two sessions at the same time."""
        records = [self._new_record(number + beside, turn, target) for beside, turn in enumerate(turns)]
        self._provider.begin_turn(records[0], cancel=self._cancel, steer=self._steer)
        self._provider.join_turn(records[1])
        self._end_turns(self._driver.start_together([self._send_of(record) for record in records]), *records)

    def _new_record(self, number: int, turn: Turn, target: Target, *, is_follow_up: bool = False) -> TurnRecord:
        record = TurnRecord(number, turn, target, is_follow_up=is_follow_up, enabled=frozenset(self._running.enabled))
        self._transcript.turns.append(record)
        return record

    def _send_of(self, record: TurnRecord) -> Send:
        turn = record.turn
        send = self._adapter.send if turn.session is None else partial(self._adapter.send, session=turn.session)
        return send, message_of(turn, record.number), partial(_show, record)

    def _end_turns(self, job: Job, *records: TurnRecord) -> None:
        """Wait until these turns, which are one job, are over, and record how each ended."""
        if self._driver.wait(job, self._environment.timeout, self._last_activity, self._extra_patience):
            ended = job.value if len(records) > 1 and job.error is None else [job.error or job.value] * len(records)
            for record, value in zip(records, ended, strict=True):
                error = value if isinstance(value, BaseException) else None
                record.outcome, record.failure = self._outcome(value, error, record)
        else:
            seconds = self._environment.timeout + self._extra_patience()
            silence = f"send did not return within {seconds:g} s of silence"
            activities = [self._endless_activity(record) for record in records]
            how = self._driver.abandon(job)
            for record, activity in zip(records, activities, strict=True):
                record.outcome, record.failure = "hang", f"{activity or silence}; {how}"
        for record in records:
            if record.outcome in UNFINISHED:
                record.log_tail = str(getattr(self._adapter, "log_tail", ""))
        if any(record.outcome != "reply" for record in records):
            self._environment.server.catch_up()  # a process that was killed may have sent a request nobody has read yet
        self._provider.end_turns(*records)
        if self._provider.inexpressible:
            raise NotVerified(self._provider.inexpressible)

    def _endless_activity(self, record: TurnRecord) -> str:
        """What an agent that hangs keeps doing; empty where it is silent."""
        if self._provider.stopped:
            return "send did not return after the suite had stopped it"
        if len(record.attempts) >= MOST_ATTEMPTS:
            return f"send did not return after {MOST_ATTEMPTS} attempts to call a tool"
        if self._driver.last_activity > self._last_activity() + self._environment.timeout:
            return f"send keeps yielding, {len(record.deltas)} deltas by now, and sends no request"
        return ""

    def _outcome(self, value: Any, error: BaseException | None, record: TurnRecord) -> tuple[Outcome, str]:
        """How a turn ended that returned this value, or raised this error."""
        if error is None:
            record.own_reply = value
            return ("parked" if record.awaits_user else "reply"), ""
        if isinstance(error, Killed):
            self._agent_now.end_process()
            return "killed", ""
        if isinstance(error, Pending) and record.awaits_user:
            return "parked", ""
        if isinstance(error, CannotRestore):
            raise NotVerified(f"cannot restore the history: {error.reason}")
        if isinstance(error, AdapterMistake):
            raise CaseError(str(error))
        if isinstance(error, Flooded):
            return "flood", str(error)
        if record.turn.cancel is not None and (
            isinstance(error, Cancelled) or type(error).__name__ == "CancelledError"
        ):
            return "cancelled", described_error(error)
        if is_controlled(error, (*self._agent.errors, ToolError), self._agent.raised_in):
            record.hidden_crash = accident_behind(error)
            return "error", described_error(error)
        self._note_crash(error, record)
        return "crash", described_error(error)

    def _note_crash(self, error: BaseException, record: TurnRecord) -> None:
        """Where the agent crashed. An agent in another process says it itself: frames of its adapter say nothing."""
        self.crash = error
        is_reported = isinstance(error, ReportedError) or getattr(error, "agent_traceback", None)
        if is_reported or not hasattr(self._adapter, "log_tail"):
            record.place = place_of(error, self._environment.start)
            record.trace = trace_of(error, self._environment.start)

    def _send_follow_up(self) -> None:
        """Send one more message, so that the agent sends once more what its conversation has become."""
        if "conversation" not in self._agent.features:
            return
        last = self._transcript.turns[-1]
        sent_nothing = not any(record.requests for record in self._transcript.turns)
        if sent_nothing or any(request.refused for request in last.requests):
            return
        self._run_turn(last.number + 1, follow_up_turn(self._case), self._targets[-1], is_follow_up=True)

    def _cancel(self) -> Future[None]:
        """Ask the agent to stop, from a transport's or a tool's thread; the future is done when that has happened."""
        cancel = getattr(self._adapter, "cancel", None)
        if cancel is not None:
            return self._called("cancel", cancel)
        self._driver.cancel_task()
        called: Future[None] = Future()
        called.set_result(None)
        return called

    def _steer(self, message: str) -> Future[None]:
        """Say something more to the agent, from a tool's thread; the future is done when it has taken the message."""
        return self._called("steer", self._adapter.steer, message)

    def _called(self, name: str, method: Callable[..., Any], *arguments: str) -> Future[None]:
        called: Future[None] = Future()
        work = partial(method, *arguments)
        if inspect.iscoroutinefunction(method):
            self._driver.run_coroutine(work, called)
        else:
            threading.Thread(target=_call, args=(work, called), name=name, daemon=True).start()
        return called

    def _extra_patience(self) -> float:
        has_started = any(record.requests for record in self._transcript.turns)
        return 0.0 if has_started else self._environment.extra_start

    def _last_activity(self) -> float:
        return self._running.last_activity

    def _close(self) -> CaseError | None:
        """Close the adapter. Returns what went wrong."""
        adapter, self._agent_now.adapter = self._adapter, None
        close = getattr(adapter, "close", None)
        if close is None or self._driver.has_stuck_thread:
            return None
        job = self._driver.start(close)
        if not job.wait(self._environment.timeout):
            how = self._driver.abandon(job)
            return CaseError(f"the adapter's close did not return within {self._environment.timeout:g} s; {how}")
        if job.error is None:
            return None
        self.crash = self.crash or job.error
        place = place_of(job.error, self._environment.start)
        where = f" at {place}" if place else ""
        return CaseError(f"the adapter's close raised {described_error(job.error)}{where}", job.error)


def _show(record: TurnRecord, item: str | Withdrawn) -> None:
    """What `send` yields: a piece of text, or that some is taken back."""
    if isinstance(item, Withdrawn):
        record.withdraw(item.characters)
    else:
        record.deltas.append(item)


def _call(work: Callable[[], Any], called: Future[None]) -> None:
    try:
        work()
    finally:
        called.set_result(None)
