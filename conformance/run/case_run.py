"""One performance of a case: the agent is started, driven through the turns, and closed. Judges nothing."""

import hashlib
import inspect
import sysconfig
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.adapter.contract import AdapterMistake, DeclaredAgent
from conformance.adapter.types import Cancelled, CannotRestore, ToolError
from conformance.record.bounds import BOUND_WITH_LIMIT, BOUND_WITHOUT_LIMIT, HANDED_EXCHANGES, MOST_ATTEMPTS
from conformance.record.transcript import Outcome, Transcript, TurnRecord
from conformance.run.agent_setup import setup_of
from conformance.run.driver import Driver, Flooded, Job
from conformance.run.scripted_provider import Play, RequestHints
from conformance.run.toolbox import Toolbox
from conformance.scenario.cases import Case
from conformance.scenario.model import ReplySpec, Turn
from fakes.reply import Split

LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
"""Where an exception of the agent's is raised without being the agent's own line."""

PIN = Turn(user="Reply with the word pin.", model=[ReplySpec(text="pin")])
"""What is asked last, but for the case's own word: checked once, and copied."""

BROKEN_OFF: tuple[Outcome, ...] = ("crash", "hang", "flood")


class NotVerified(Exception):
    """The adapter says that it cannot hold this scenario."""


class CaseError(Exception):
    """The suite, the adapter or the set-up is at fault: no verdict on the agent."""


@dataclass(frozen=True, slots=True)
class CaseEnvironment:
    """Where a performance happens: how a play is reached, where state is kept, how long silence may last."""

    mount: Callable[[Play], str]
    unmount: Callable[[str], None]
    base_url: Callable[[str, Case], str]
    state_dir: Path
    timeout: float


class CaseRun:
    """Call `run` once. `left_behind` says that the agent's thread never ended."""

    def __init__(self, case: Case, agent: DeclaredAgent, place: CaseEnvironment, *, split: Split) -> None:
        self._case = case
        self._agent = agent
        self._place = place
        self._driver = Driver()
        declared: Any = agent.adapter
        part = RequestHints(
            getattr(declared, "tool_names", None),
            None,
            getattr(declared, "reply_tool", None),
        )
        self._play = Play(case, split=split, bound=bound_of(case, agent), part=part)
        self._bench = Toolbox(case.scenario.tools, at_attempt=self._play.tool_started)
        self._token = place.mount(self._play)
        self._adapter: Any = None
        self._transcript = Transcript(split, state_dir=str(place.state_dir))

    @property
    def left_behind(self) -> bool:
        return self._driver.left_behind

    def run(self, *, survive: bool) -> Transcript:
        """Whether the conversation survives is asked where `survive` says so.

        Raises `NotVerified` and `CaseError`; whatever the agent does ends in the transcript.
        """
        problem = ""
        try:
            self._perform(survive=survive)
        except BaseException as error:
            if not isinstance(error, Exception):  # Ctrl-C, or a plugin's time limit: nothing more is waited for
                self._driver.forsake()
            raise
        finally:
            problem = self._close()
            self._place.unmount(self._token)
            self._driver.close()
        if problem and not self._has_broken_off:
            raise CaseError(problem)
        return self._transcript

    def _perform(self, *, survive: bool) -> None:
        self._begin(restarted=False)
        for number, turn in enumerate(self._case.scenario.conversation, 1):
            if turn.restart and number > 1:
                if problem := self._close():
                    raise CaseError(problem)
                self._begin(restarted=True)
            self._turn(number, turn)
            if self._has_broken_off:
                return
        if survive:
            self._survive()

    @property
    def _has_broken_off(self) -> bool:
        broken = any(record.outcome in BROKEN_OFF for record in self._transcript.turns)
        return broken or self._play.stopped

    def _begin(self, *, restarted: bool) -> None:
        setup = setup_of(
            self._case,
            base_url=self._place.base_url(self._token, self._case),
            tools=self._bench.tools,
            state_dir=self._place.state_dir,
            restarted=restarted,
        )
        job = self._driver.start(lambda: self._agent.adapter(setup))
        if not self._driver.wait(job, self._place.timeout, lambda: self._play.touched):
            how = self._driver.abandon(job)
            raise CaseError(f"the adapter's __init__ did not return within {self._place.timeout:g} s; {how}")
        if isinstance(job.error, CannotRestore):
            raise NotVerified(job.error.reason)
        if job.error is not None:
            raise CaseError(f"the adapter's __init__ raised {described_error(job.error)}")
        self._adapter = job.value
        self._play.adopt(getattr(self._adapter, "side_request", None), getattr(self._adapter, "tool_names", None))

    def _turn(self, number: int, turn: Turn, *, is_survival: bool = False) -> TurnRecord:
        if turn.tools is not None:
            self._bench.enabled = set(turn.tools)
        record = TurnRecord(number, turn, is_survival=is_survival, enabled=frozenset(self._bench.enabled))
        self._transcript.turns.append(record)
        self._bench.record = record
        self._play.begin(record, enabled=self._bench.enabled, fire=self._cancel)
        job = self._driver.start_send(self._adapter.send, turn.user, record.deltas.append)
        ended = self._driver.wait(job, self._place.timeout, self._last_activity)
        if ended:
            record.outcome, record.failure = self._outcome(job, record)
        else:
            restless = self._restlessness(record)
            how = self._driver.abandon(job)
            record.outcome = "hang"
            record.failure = f"{restless or f'send did not return within {self._place.timeout:g} s of silence'}; {how}"
        if record.outcome in BROKEN_OFF:
            record.last_words = str(getattr(self._adapter, "last_words", ""))
        record.unasked = self._play.end()
        self._bench.record = None
        return record

    def _restlessness(self, record: TurnRecord) -> str:
        """What an agent did that was not silent and still did not end; empty where it was silent."""
        if self._play.stopped:
            return "send did not return after the suite had stopped it"
        if len(record.attempts) >= MOST_ATTEMPTS:
            return f"send did not return after {MOST_ATTEMPTS} attempts to call a tool"
        if self._driver.touched > self._last_activity() + self._place.timeout:
            return f"send goes on yielding, {len(record.deltas)} deltas by now, and asks for nothing"
        return ""

    def _outcome(self, job: Job, record: TurnRecord) -> tuple[Outcome, str]:
        error = job.error
        if error is None:
            record.own_reply = job.value
            return "reply", ""
        if isinstance(error, CannotRestore):
            raise NotVerified(error.reason)
        if isinstance(error, AdapterMistake):
            raise CaseError(str(error))
        if isinstance(error, Flooded):
            return "flood", str(error)
        if record.turn.cancel is not None and (
            isinstance(error, Cancelled) or type(error).__name__ == "CancelledError"
        ):
            return "cancelled", described_error(error)
        if _is_controlled(error, (*self._agent.errors, ToolError)):
            return "error", described_error(error)
        place = "" if hasattr(self._adapter, "last_words") else _place_of(error)  # elsewhere, where the agent runs
        return "crash", f"{described_error(error)}{place}"

    def _survive(self) -> None:
        """One more message, so that what the conversation has become is sent once more."""
        if "conversation" not in self._agent.features:
            return
        last = self._transcript.turns[-1]
        never_asked = not any(record.requests for record in self._transcript.turns)
        if never_asked or any(request.refused for request in last.requests):
            return
        token = "pin" + hashlib.sha256(self._case.id.encode()).hexdigest()[:8]
        reply = PIN.model[0].model_copy(update={"text": token})
        turn = PIN.model_copy(update={"user": f"Reply with the word {token}.", "model": [reply]})
        self._turn(last.number + 1, turn, is_survival=True)

    def _cancel(self) -> Future[None]:
        """Tell the agent to stop, from a transport's or a tool's thread; done when it has been told."""
        told: Future[None] = Future()
        cancel = getattr(self._adapter, "cancel", None)
        if cancel is None:
            self._driver.cancel_task()
            told.set_result(None)
        elif inspect.iscoroutinefunction(cancel):
            self._driver.run_coroutine(cancel, told)
        else:
            threading.Thread(target=_tell, args=(cancel, told), name="cancel", daemon=True).start()
        return told

    def _last_activity(self) -> float:
        return max(self._play.touched, self._bench.touched)

    def _close(self) -> str:
        """Close the adapter, and say what went wrong with that."""
        adapter, self._adapter = self._adapter, None
        close = getattr(adapter, "close", None)
        if close is None or self._driver.left_behind:
            return ""
        job = self._driver.start(close)
        if not job.wait(self._place.timeout):
            how = self._driver.abandon(job)
            return f"the adapter's close did not return within {self._place.timeout:g} s; {how}"
        if job.error is not None:
            return f"the adapter's close raised {described_error(job.error)}{_place_of(job.error)}"
        return ""


def _tell(cancel: Callable[[], Any], told: Future[None]) -> None:
    try:
        cancel()
    finally:
        told.set_result(None)


def bound_of(case: Case, agent: DeclaredAgent) -> int:
    """How many counted requests a turn may have before the suite stops it."""
    if "request-limit" not in agent.features:
        return BOUND_WITHOUT_LIMIT
    given = case.scenario.limits.requests
    return BOUND_WITH_LIMIT if given is None else given + BOUND_WITH_LIMIT - HANDED_EXCHANGES


def described_error(error: BaseException) -> str:
    """Class and message, of which at most 300 characters, in one line; of a group also the first that it holds."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = "(it has no text: its __str__ fails)"
    told = f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__
    first = _first_of(error)
    return told if first is error else f"{told}; the first is {described_error(first)}"


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_controlled(error: BaseException, classes: tuple[type[BaseException], ...]) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_controlled(inner, classes) for inner in error.exceptions)
    return isinstance(error, classes)


def _place_of(error: BaseException) -> str:
    """Where an agent's exception was raised: its own last frame, else the last one of a library."""
    here = str(Path(__file__).parent)
    trace = traceback.extract_tb(_first_of(error).__traceback__)
    frames = [frame for frame in trace if not frame.filename.startswith(here)]
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARIES)]
    return next((f" at {Path(frame.filename).name}:{frame.lineno}" for frame in reversed(own or frames)), "")
