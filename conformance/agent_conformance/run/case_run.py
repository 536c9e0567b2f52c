"""One run of a case: the agent is started, driven through the turns, and closed."""

import hashlib
import math
import time
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from agent_conformance.adapter.contract import AdapterMistake, DeclaredAgent
from agent_conformance.adapter.types import Fallback, Setup, Withdrawn
from agent_conformance.run.agent.agent_instance import LivingAgent
from agent_conformance.run.agent.agent_setup import API_KEY, SECOND_KEY, Approver, message_of, setup_of
from agent_conformance.run.agent.driver import Driver, Job, Send, takes_session
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.run.exceptions.crash_trace import ErrorReader, Raised
from agent_conformance.run.process.isolation import NEEDED_FUNCTIONS
from agent_conformance.run.process.process_exits import ProcessEnded, exits_reported
from agent_conformance.run.provider.adapter_readers import RequestHints, check_names
from agent_conformance.run.provider.case_provider import CaseProvider, bound_of
from agent_conformance.run.provider.model_script import answer_with
from agent_conformance.run.provider.one_by_one import may_ask_again, most_requests
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.scenario.cases import Case, meets_any_server
from agent_conformance.scenario.derived.routes import Target, fallback_of, targets_of_turns
from agent_conformance.scenario.model import ReplySpec, Turn
from agent_conformance.transcripts.finding import Trace
from agent_conformance.transcripts.redaction import SECRETS
from agent_conformance.transcripts.transcript import MOST_ATTEMPTS, Outcome, Transcript, TurnRecord
from fake_providers.http import Handler
from fake_providers.registry import wire_for
from fake_providers.reply import Split
from fake_providers.transport.answerer import Mounts
from fake_providers.transport.server import LoopbackServer

# Where a case runs, as its session gives it.


class CaseEnvironment(Struct, frozen=True):
    """Where a case runs: the server that serves its provider, the state directory, how long silence may last, and how
    long a turn.

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
    turn_limit: float = math.inf
    """Seconds that a turn may last, whatever the agent does in it."""

    def mount(self, provider: Handler) -> str:
        """The token under which the server now reaches this provider."""
        return self.mounts.mount(provider)

    def base_url(self, token: str, case: Case, target: Target | None = None) -> str:
        """Where this token is served, for the case's own provider and wire or another target."""
        wire = wire_for(case.provider, case.wire) if target is None else wire_for(target.provider, target.wire)
        return f"{self.server.url}/{token}{wire.base_path}"


BACKOFF_TIMEOUTS = 5
"""After an answer that it may throw away, an agent may be silent for so many timeouts more before it asks again: many
double their pause each time.
"""

SLOW_START = "If it is slow to start, give it more seconds of silence: --agent-timeout=60"

KILLED_IN_PROCESS = (
    "it hangs after an agent was killed in this process, where nothing gives back what that one held, such as a "
    "transaction; --agent-isolate kills a process"
)

UNFINISHED: tuple[Outcome, ...] = ("crash", "hang", "flood")


class NotVerified(Exception):
    """The adapter cannot restore this scenario's history, or the case cannot be expressed to this agent."""


class CaseError(Exception):
    """The suite, the adapter or the set-up failed: no verdict on the agent. `trace` is of what the adapter raised."""

    def __init__(self, problem: str, trace: Trace | None = None) -> None:
        super().__init__(problem)
        self.trace = trace


class RefusedToStart(Exception):
    """The adapter's `__init__` ended in an error that the adapter declares."""

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.text)
        self.raised = raised


class CaseRun:
    """Call `run` once. `has_stuck_thread`: the agent's thread never ended. `crash` is the agent's exception.

    `hangs_in_this_process`: a turn hung, and the agent has no process that ends with it.
    """

    def __init__(
        self,
        case: Case,
        agent: DeclaredAgent,
        environment: CaseEnvironment,
        *,
        split: Split,
        keeps_crash: bool = False,
    ) -> None:
        self._case = case
        self._agent = agent
        self._environment = environment
        self._reader = ErrorReader(agent, environment.start, keeps_crash)
        self._agents = [self._new_agent()]
        self._running = RunningTurn(shows_deltas="deltas" in agent.features)
        hints = RequestHints(
            reply_tool=agent.reply_tool,
            instructions_as_message=agent.instructions_as_message,
            has_own_tools="own-tools" in agent.features,
            seconds=environment.timeout,
        )
        self._provider = CaseProvider(
            case,
            self._running,
            split=split,
            bound=bound_of(case, agent),
            hints=hints,
            tolerated=environment.tolerated,
            anywhere=meets_any_server(case, agent),
            most_requests=most_requests(case.scenario, agent),
        )
        self._toolbox = Toolbox(case.scenario.tools, self._running, gives_parts="images" in agent.features)
        self._targets = targets_of_turns(case.scenario, case.wire, case.provider)
        self._tokens: dict[tuple[str, str], str] = {}
        """By wire and provider: where the server serves it."""
        self._exits: list[str] = []
        self.crash: BaseException | None = None
        self.hangs_in_this_process = False
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

    def _new_agent(self) -> LivingAgent:
        return LivingAgent(self._reader.of_turn, self._reader.outside_turn)

    def run(self, *, follow_up: bool) -> Transcript:
        """`follow_up`: send one more message after the scenario's own turns.

        Raises `NotVerified` and `CaseError`; whatever the agent does is recorded in the transcript.
        """
        problem: CaseError | None = None
        try:
            with exits_reported(self._note_exit):
                self._run_turns(follow_up=follow_up)
        except BaseException as error:
            NEEDED_FUNCTIONS.restore()  # what follows must not fail as well
            if not isinstance(error, Exception):  # Ctrl-C, or a plugin's time limit: wait for nothing any more
                self._driver.stop_waiting()
            raise
        finally:
            with exits_reported(self._note_exit):
                problem = self._close()
            self._unmount()
            with exits_reported(lambda error: None):  # its code ends now
                for agent in self._agents:
                    if agent.life.is_dead:
                        agent.clear_away()
                    else:
                        agent.forget()
        problem = problem or (CaseError(f"{self._exits[0]}, between its turns") if self._exits else None)
        if problem is not None and not self.is_over:
            raise problem
        return self._transcript

    def _run_turns(self, *, follow_up: bool) -> None:
        turns = [*zip(self._case.scenario.conversation, self._targets, strict=True)]
        try:
            self._start_agent(self._targets[0], restarted=False)
        except RefusedToStart as refused:  # as if it had refused the first message
            record = self._new_record(1, *turns[0])
            record.outcome, record.failure, record.place = "error", refused.raised.text, refused.raised.place
            record.hidden_crash = refused.raised.hidden
            return
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
            # Send one more message, so that the agent sends once more what its conversation has become.
            is_forced = self._case.scenario.tool_choice not in (None, "auto", "none")
            if (
                "conversation" not in self._agent.features or is_forced
            ):  # a model that must call cannot answer with a word
                return
            last = self._transcript.turns[-1]
            sent_nothing = not any(record.requests for record in self._transcript.turns)
            if sent_nothing or any(request.refused for request in last.requests):
                return
            self._run_turn(last.number + 1, follow_up_turn(self._case), self._targets[-1], is_follow_up=True)

    def _note_exit(self, error: ProcessEnded) -> None:
        """The agent wants to end its process: what it does now is over, and none of its code goes on."""
        self._exits.append(str(error))
        self._agent_now.life.kill(error)

    def _end_agent(self) -> None:
        """Close it, unless it was killed: the next one then has a thread, an event loop and an address of its own."""
        if not self._agent_now.life.is_dead:
            if (problem := self._close()) is not None:
                raise problem
            return
        self._unmount()
        self._agents.append(self._new_agent())

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
        return Fallback(second.wire, second.provider, self._base_url(second), SECOND_KEY, second.model)

    @property
    def is_over(self) -> bool:
        """The agent crashed, hangs, or was stopped: it gets no further turn."""
        return self._provider.stopped or any(record.outcome in UNFINISHED for record in self._transcript.turns)

    def _start_agent(self, target: Target, *, restarted: bool) -> None:
        setup = self._setup(target, restarted=restarted)
        job = self._agent_now.start(lambda: self._agent.adapter(setup))
        self._await_member(job, "__init__")
        self._agent_now.adapter = job.take()
        SECRETS.learn_members(self._agent_now.adapter)
        # The adapter's `side_request` and `tool_names`.
        agent, turns = self._agent_now, self._case.scenario.conversation
        needed = [
            (any(turn.steer for turn in turns), "steering", "steer(message)"),
            (any(turn.switch for turn in turns), "model-switch", "switch(setup)"),
            (any(turn.compact for turn in turns), "compaction", "compact()"),
        ]

        def read() -> tuple[Any, Any]:
            adapter = agent.adapter
            for is_needed, feature, method in needed:
                if is_needed and not hasattr(adapter, method.partition("(")[0]):
                    raise AdapterMistake(f"the adapter declares the feature {feature}, and has no method {method}")
            names = getattr(adapter, "tool_names", None)
            check_names(names)
            return getattr(adapter, "side_request", None), names

        job = agent.start(read)
        self._await_member(job, "side_request or tool_names")
        members: tuple[Any, Any] = job.take()
        self._provider.use_hints(*members)
        if any(turn.compact and turn.session is not None for turn in turns) and not takes_session(
            agent.adapter.compact
        ):
            raise NotVerified("its compact() takes no `session`, of which it makes the conversation shorter")

    def _await_member(self, job: Job, what: str) -> None:
        """Wait for what is done before the first turn. Raises `NotVerified` and `CaseError`."""
        timeout = self._environment.timeout
        limit = self._environment.turn_limit
        if not self._driver.wait(job, timeout, self._last_activity, self._extra_patience, limit=limit):
            seconds = timeout + self._extra_patience()
            how = self._driver.abandon(job)
            raise CaseError(f"the adapter's {what} did not return within {seconds:g} s; {how}. {SLOW_START}")
        raised: Raised | None = job.error
        if raised is None:
            return
        if raised.kind == "cannot-restore":
            raise NotVerified(f"cannot restore the history: {raised.text}")
        if raised.kind == "mistake":
            raise CaseError(raised.text)
        if raised.kind == "controlled" and what == "__init__":
            raise RefusedToStart(raised)
        self.crash = raised.error
        raise CaseError(f"the adapter's {what} raised {raised.text}", raised.trace)

    def _run_turn(self, number: int, turn: Turn, target: Target, *, is_follow_up: bool = False) -> None:
        if turn.tools is not None:
            self._running.enabled = set(turn.tools)
        record = self._new_record(number, turn, target, is_follow_up=is_follow_up)
        self._provider.begin_turn(record, cancel=self._agent_now.cancel, steer=self._agent_now.steer)
        before = partial(self._agent_now.compact, **_session_of(turn)) if turn.compact else None
        if turn.switch is not None:
            before = partial(self._agent_now.switch, self._setup(target, restarted=True))
        self._end_turns(self._driver.start_send(*self._send_of(record), before=before), record)

    def _run_together(self, number: int, turns: tuple[Turn, Turn], target: Target) -> None:
        """Run two turns of two sessions at the same time."""
        records = [self._new_record(number + beside, turn, target) for beside, turn in enumerate(turns)]
        self._provider.begin_turn(records[0], cancel=self._agent_now.cancel, steer=self._agent_now.steer)
        self._provider.join_turn(records[1])
        self._end_turns(self._driver.start_together([self._send_of(record) for record in records]), *records)

    def _new_record(self, number: int, turn: Turn, target: Target, *, is_follow_up: bool = False) -> TurnRecord:
        record = TurnRecord(number, turn, target, is_follow_up=is_follow_up, enabled=frozenset(self._running.enabled))
        self._transcript.turns.append(record)
        return record

    def _send_of(self, record: TurnRecord) -> Send:
        turn = record.turn
        send = partial(self._agent_now.send, **_session_of(turn))
        return send, message_of(turn, record.number), partial(_show, record, self._running)

    def _end_turns(self, job: Job, *records: TurnRecord) -> None:
        """Wait until these turns, which are one job, are over, and record how each ended."""
        timeout, limit, begun = self._environment.timeout, self._environment.turn_limit, time.monotonic()
        if self._driver.wait(job, timeout, self._last_activity, self._extra_patience, limit=limit):
            ended = job.take() if len(records) > 1 and job.error is None else [job.error or job.take()] * len(records)
            for record, value in zip(records, ended, strict=True):
                raised = value if isinstance(value, Raised) else None
                record.outcome, record.failure = self._outcome(value, raised, record)
        else:
            seconds = timeout + self._extra_patience()
            silence = f"send did not return within {seconds:g} s of silence"
            is_too_long = time.monotonic() >= begun + limit
            if self._agent_now.shares_process and any(one.outcome == "killed" for one in self._transcript.turns):
                self._driver.abandon(job)
                raise NotVerified(KILLED_IN_PROCESS)
            self.hangs_in_this_process = self._agent_now.shares_process
            activities = [self._endless_activity(record, is_too_long=is_too_long) for record in records]
            how = self._driver.abandon(job)
            for record, activity in zip(records, activities, strict=True):
                record.outcome, record.failure = "hang", f"{activity or silence}; {how}"
        for record in records:
            if record.outcome in UNFINISHED:
                record.log_tail = self._agent_now.log_tail()
        if any(record.outcome != "reply" for record in records):
            self._environment.server.catch_up()  # a process that was killed may have sent a request nobody has read yet
        self._provider.end_turns(*records)
        if self._provider.mistake:
            raise CaseError(self._provider.mistake)
        if self._provider.inexpressible:
            raise NotVerified(self._provider.inexpressible)

    def _endless_activity(self, record: TurnRecord, *, is_too_long: bool) -> str:
        """What an agent that hangs keeps doing; empty where it is silent."""
        if self._provider.stopped:
            return "send did not return after the suite had stopped it"
        if is_too_long:
            limit = f"{self._environment.turn_limit:g} s, the limit of a turn (--agent-turn-limit)"
            requests = len(record.requests)
            return f"send did not return within {limit}, {requests} request{'s' if requests != 1 else ''} by now"
        if len(record.attempts) >= MOST_ATTEMPTS:
            return f"send did not return after {MOST_ATTEMPTS} attempts to call a tool"
        if self._driver.last_activity > self._last_activity() + self._environment.timeout:
            return f"send keeps yielding, {len(record.deltas)} deltas by now, and sends no request"
        return ""

    def _outcome(self, value: Any, raised: Raised | None, record: TurnRecord) -> tuple[Outcome, str]:
        """How a turn ended that returned this value, or raised this."""
        if raised is None:
            record.own_reply = value
            return ("parked" if record.awaits_user else "reply"), ""
        if raised.kind == "killed":
            self._agent_now.end_process()
            return "killed", ""
        if raised.is_pending and record.awaits_user:
            return "parked", ""
        if raised.kind == "cannot-restore":
            raise NotVerified(f"cannot restore the history: {raised.text}")
        if raised.kind == "mistake":
            raise CaseError(raised.text)
        if raised.kind == "flood":
            return "flood", raised.text
        if record.turn.cancel is not None and raised.is_cancelled:
            return "cancelled", raised.text
        if raised.kind == "controlled":
            record.hidden_crash = raised.hidden
            return "error", raised.text
        # Where the agent crashed. An agent in another process says it itself: frames of its adapter say
        # nothing.
        self.crash = raised.error
        if raised.has_own_trace or not self._agent_now.has_log:
            record.place, record.trace = raised.place, raised.trace
        return "crash", raised.text

    def _extra_patience(self) -> float:
        """An agent waits before it asks again, up to a minute by default: not only of a provider that is busy."""
        last = next((record.requests[-1] for record in reversed(self._transcript.turns) if record.requests), None)
        if last is None:
            return self._environment.extra_start
        return BACKOFF_TIMEOUTS * self._environment.timeout if may_ask_again(last) else 0.0

    def _last_activity(self) -> float:
        return self._running.last_activity

    def _close(self) -> CaseError | None:
        """Close the adapter. Returns what went wrong."""
        agent = self._agent_now
        if agent.adapter is None or agent.life.is_dead or self._driver.has_stuck_thread:
            return None
        job = self._agent_now.start(self._agent_now.close)
        if not job.wait(self._environment.timeout):
            how = self._driver.abandon(job)
            return CaseError(f"the adapter's close did not return within {self._environment.timeout:g} s; {how}")
        raised: Raised | None = job.error
        if raised is None:
            return None
        self.crash = self.crash or raised.error
        where = f" at {raised.place}" if raised.place else ""
        return CaseError(f"the adapter's close raised {raised.text}{where}", raised.trace)


def _show(record: TurnRecord, running: RunningTurn, item: str | Withdrawn) -> None:
    """What `send` yields: a piece of text, or that some is taken back."""
    if isinstance(item, Withdrawn):
        record.withdraw(item.characters)
    else:
        record.deltas.append(item)
        running.shown()


# The message that follows the last turn of a case, for the law `survives`.


def _session_of(turn: Turn) -> dict[str, str]:
    return {} if turn.session is None else {"session": turn.session}


def follow_up_turn(case: Case) -> Turn:
    """A message with a word of the case's own in it, which the model repeats."""
    word = "pin" + hashlib.sha256(case.id.encode()).hexdigest()[:8]
    schema = case.scenario.output_schema
    reply = ReplySpec(text=answer_with(word, schema) if schema else word)
    return Turn(user=f"Reply with the word {word}.", model=[reply])
