"""The turn of a case run that is running now, as the provider and the toolbox share it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal

from agent_conformance.scenario.model import Cancel
from agent_conformance.transcripts.shown_texts import texts_of
from agent_conformance.transcripts.transcript import MOST_ATTEMPTS, Attempt, TurnRecord
from fake_providers import View

MOST_EVENT_TEXTS = 10_000


class RunningTurn:
    """`record` is None between turns; `enabled` are the tools that may be called; both last from turn to turn.

    Two turns may run together. Each thread then finds the one that it works for, once it has said what it handles.
    """

    def __init__(self, *, shows_deltas: bool = False) -> None:
        self._shows_deltas = shows_deltas
        self._together: TurnsTogether | None = None
        self._record: TurnRecord | None = None
        self.enabled: set[str] = set()
        self.added: dict[str, dict[str, Any]] = {}
        """The parameters of each tool that only the agent's declaration requires, with what the model writes there."""
        self.early_attempts: list[Attempt] = []
        """Those that the agent made before its turn, as one that is started again."""
        self.last_activity = time.monotonic()
        """When the agent last showed a sign of life."""
        self._trigger = CancelTrigger()
        self._steer: Callable[[str], Future[None]] = _to_nobody
        self._saying = threading.Lock()
        self._said = _done()

    def begin(
        self,
        record: TurnRecord,
        *,
        cancel: Callable[[], Future[None]],
        steer: Callable[[str], Future[None]],
    ) -> None:
        """`cancel` cancels the turn, `steer` sends it a message; their futures are done when the agent knows."""
        self._steer, self._said = steer, _done()
        record.attempts, self.early_attempts = [*self.early_attempts[:MOST_ATTEMPTS]], []
        self._record = record
        should = record.turn.expect.should
        waits_for = should.reply.contains if self._shows_deltas and should and should.reply else ()

        def is_shown() -> bool:
            shown = "".join(record.deltas)
            return all(text in shown for text in waits_for)

        self._trigger = CancelTrigger(record.turn.cancel, cancel, is_shown)
        self.note_activity()

    @property
    def record(self) -> TurnRecord | None:
        return self._record if self._together is None else self._together.mine

    def join(self, record: TurnRecord) -> None:
        """From here on this turn runs beside the one that has begun."""
        assert self._record is not None
        self._together = TurnsTogether((self._record, record))

    def read(self, view: View) -> None:
        """This thread handles a request that says this."""
        if self._together is not None:
            self._together.choose_by_view(view)

    def called(self, tool: str, arguments: Any) -> None:
        """This thread runs this call."""
        if self._together is not None:
            self._together.choose_by_call(tool, arguments)

    def end(self) -> None:
        self._trigger.release()
        self._steer = _to_nobody
        self._trigger = CancelTrigger()  # a turn that is over is not cancelled, and its case run is not kept alive
        self._record = self._together = None

    def note_activity(self, ahead: float = 0.0) -> None:
        """For so many seconds `ahead` the agent cannot be blamed for its silence: the adapter is asked something."""
        self.last_activity = time.monotonic() + ahead

    def observe(self, event: Any) -> None:
        """Called with what the agent reports to its observer."""
        record = self.record
        if record is not None and len(record.events) < MOST_EVENT_TEXTS:
            record.events += texts_of(event)

    @property
    def released(self) -> threading.Event:
        """Set when no response of this turn needs to be held any more."""
        return self._trigger.released

    def shown(self) -> None:
        """Called after a delta was recorded."""
        self._trigger.shown()

    def attempt_started(self) -> Future[None] | None:
        """Called after an attempt was recorded. To be waited for, where the turn is cancelled or steered there."""
        record = self.record
        if record is None:
            return None
        if (said := self._say("tool", len(record.attempts))) is not None:
            return said
        return self._trigger.reached("tool", len(record.attempts))

    def _say(self, at: Literal["tool", "request"], number: int) -> Future[None] | None:
        """Say the next message that the user has for this turn, if it is for this moment.

        Calls may run at the same time: the agent hears one message after the other, in their order.
        """
        record = self.record
        with self._saying:
            left = record.turn.steer[len(record.steered_after) :] if record is not None else []
            if record is None or not left or left[0].at != at or number < left[0].n:
                return None
            record.steered_after.append(len(record.requests))
            before, self._said, said, steer = self._said, Future(), left[0].user, self._steer
            heard = self._said
        before.add_done_callback(lambda _: steer(said).add_done_callback(lambda _: heard.set_result(None)))
        return heard

    def question_asked(self) -> Future[None] | None:
        """Called after a question to the user was recorded. To be waited for, where the turn is cancelled there."""
        record = self.record
        return None if record is None else self._trigger.reached("approval", len(record.approvals))

    def lost_attempt(self, number: int) -> Literal["before", "after"] | None:
        """When the agent is killed at the attempt with this number in the turn, if it is."""
        crash = None if self.record is None else self.record.turn.crash
        return crash.when if crash is not None and crash.n == number else None

    @property
    def may_hold(self) -> bool:
        """Whether a chunk of a response may be held in this turn."""
        says = self._record is not None and any(steer.at == "request" for steer in self._record.turn.steer)
        return self._together is not None or says or self._trigger.may_hold

    def before_chunk(self, request: int, chunk: int) -> threading.Event | None:
        """What holds this chunk of the response to this request, where the turn is cancelled or steered there."""
        if self._together is not None:
            return self._together.both_sent if request == 1 and chunk == 0 else None
        if chunk == 0 and (said := self._say("request", request)) is not None:
            heard = threading.Event()
            said.add_done_callback(lambda _: heard.set())
            _after(PATIENCE, heard.set)
            return heard
        return self._trigger.at_chunk(request, chunk)


def _to_nobody(message: str) -> Future[None]:
    return Future()


def _done() -> Future[None]:
    done: Future[None] = Future()
    done.set_result(None)
    return done


# Two turns of two sessions that run at the same time: which of them a request or a call belongs to. Judges nothing.


class TurnsTogether:
    """`mine` is the turn that this thread works for: the first, until it has chosen."""

    def __init__(self, records: tuple[TurnRecord, TurnRecord]) -> None:
        self._records = records
        self._of_thread = threading.local()
        self._both_sent = threading.Event()

    @property
    def mine(self) -> TurnRecord:
        chosen: TurnRecord = getattr(self._of_thread, "record", self._records[0])
        return chosen

    @property
    def both_sent(self) -> threading.Event | None:
        """What holds the first response, until the other turn has sent a request too; not for long, since an agent may
        run one turn after the other."""
        if all(record.requests for record in self._records):
            self._both_sent.set()
        if self._both_sent.is_set():
            return None
        _after(PATIENCE, self._both_sent.set)
        return self._both_sent

    def choose_by_view(self, view: View) -> None:
        """The turn whose user was the last to speak in this request."""
        said = "\n".join(message.text for message in view.messages if message.role == "user")
        self._of_thread.record = max(self._records, key=lambda record: said.rfind(record.turn.user_text))

    def choose_by_call(self, tool: str, arguments: Any) -> None:
        """The turn whose model made this call, if it is only one's."""
        calls = [[call for request in record.requests for call in request.calls] for record in self._records]
        made = [any(call.name == tool and call.spec.arguments == arguments for call in each) for each in calls]
        self._of_thread.record = self._records[1 if made == [False, True] else 0]


PATIENCE = 1.0
"""Seconds for which a response is held, or a tool waits, until the agent's `cancel` was called."""
SHOWN_WITHIN = 3.0
"""Seconds for which a response is held until the agent has shown what it was sent. A busy machine may need some."""


class CancelTrigger:
    """One turn's. `cancel_turn` cancels the turn; its future is done when the agent's `cancel` has been called.
    `is_shown`: whether the user has seen what a turn that is cancelled in mid-answer should show before that.
    """

    def __init__(
        self,
        cancel: Cancel | None = None,
        cancel_turn: Callable[[], Future[None]] = Future,
        is_shown: Callable[[], bool] = lambda: True,
    ) -> None:
        self._cancel = cancel
        self._cancel_turn = cancel_turn
        self._is_shown = is_shown
        self._waits = False
        self._lock = threading.Lock()
        self._cancelled: Future[None] | None = None
        self._released = threading.Event() if cancel else None

    @property
    def released(self) -> threading.Event:
        """Set when nothing needs to be held any more. Made on first use, as few responses wait for it."""
        if self._released is None:
            self._released = threading.Event()
        return self._released

    def release(self) -> None:
        if self._released is not None:
            self._released.set()

    def reached(self, at: Literal["tool", "approval"], number: int) -> Future[None] | None:
        """The attempt, or the question, of this number begins. Where the turn is cancelled there: the future to wait
        for.
        """
        cancel = self._cancel
        if cancel is None or cancel.at != at or number < cancel.n:
            return None
        return self._trigger()

    @property
    def may_hold(self) -> bool:
        """Whether `at_chunk` may return an event from now on."""
        return self._cancel is not None and self._cancel.at in ("request", "chunk") and self._cancelled is None

    def at_chunk(self, request: int, chunk: int) -> threading.Event | None:
        """Before a chunk of the response to a request is written: what holds it, where the turn is cancelled there.

        In mid-answer it is held until what came before is shown, but not for long: an agent may gather it first.
        """
        cancel = self._cancel
        if cancel is None or self._cancelled is not None:
            return None
        at_request = cancel.at == "request" and chunk == 0 and request >= cancel.n
        at_chunk = cancel.at == "chunk" and chunk >= cancel.n
        if not (at_request or at_chunk):
            return None
        if at_request or self._is_shown():
            self._trigger()
        elif not self._waits:
            self._waits = True
            _after(SHOWN_WITHIN, self._wait_no_longer)
        return self.released

    def shown(self) -> None:
        if self._waits and self._is_shown():
            self._trigger()

    def _wait_no_longer(self) -> None:
        if not self.released.is_set():  # else the turn is over
            self._trigger()

    def _trigger(self) -> Future[None]:
        """Cancel the turn, once. A response that is held for it goes on soon, should the agent not listen."""
        with self._lock:
            if self._cancelled is None:
                self._cancelled = self._cancel_turn()
                _after(PATIENCE, self.released.set)
            return self._cancelled


def _after(seconds: float, act: Callable[[], object]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
