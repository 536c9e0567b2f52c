"""The model side of a `ScriptedFake`: replies from a source, faults by number, and the journal. Knows no wire."""

import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.http import Request, Response, compact
from fake_providers.reply import Fault, Reply, StreamTiming, moments
from fake_providers.rule import Violation
from fake_providers.serving.endpoints import describe_built
from fake_providers.serving.journal import Journal, Stopped
from fake_providers.serving.reply_sources import Replies, ReplySource, source_of
from fake_providers.serving.request_loop import ModelRequest, ModelSide, Refusal
from fake_providers.values.tokens import tokens_of
from fake_providers.wire import Wire


class ReplyScript(ModelSide):
    """`replies` may be replaced at any time. `journal` notes the requests.

    Raises `ValueError` for replies that contradict each other, and for the fault of a request that never comes.
    """

    def __init__(
        self,
        replies: Replies | None,
        faults: Mapping[int, Fault],
        *,
        wires: Sequence[Wire],
        journal: Journal,
        timing: StreamTiming | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._source: ReplySource = source_of(replies)
        self._faults: Mapping[int, Fault] = {}
        self._wires = wires
        self.journal = journal
        self._timing = timing
        self._clock = clock
        self._chosen: Reply | None = None
        self.set_faults(faults)

    @property
    def unused(self) -> Sequence[Reply]:
        return self._source.unused

    @property
    def has_left(self) -> bool:
        """Whether there are replies or faults that no request got yet."""
        return bool(self._source.unused) or any(number > self.journal.count for number in self._faults)

    def set_replies(self, replies: Replies | None) -> None:
        """From the next request on, from their beginning."""
        self._source = source_of(replies)

    def set_faults(self, faults: Mapping[int, Fault]) -> None:
        """In place of those before; 1 is the next request."""
        for number in faults:
            if number < 1:
                raise ValueError(f"a fault is scripted for request {number}; requests are counted from 1")
        self._faults = {self.journal.count + number: fault for number, fault in faults.items()}

    def unknown(self, request: Request) -> str:
        return describe_built(request, self._wires)

    def received(self, request: ModelRequest) -> None:
        self.journal.received(request.sent, request.view)

    def refused(self, request: ModelRequest, violation: Violation, why: Refusal) -> None:
        self.journal.answered(violation)

    def count_refused(self, request: Request, violation: Violation) -> None:
        self.journal.refused_count(violation)

    def next_reply(self, request: ModelRequest) -> Reply | str:
        fault = self._faults.get(self.journal.count)
        reply = self._source.next_reply(request.view)
        if isinstance(reply, str):
            self.journal.answered(Stopped(reply))
            return reply
        if fault is None or not fault.spoils_reply:
            self._source.sent()
        sent = reply if fault is None else replace(reply, fault=fault)
        self.journal.answered(sent)
        self._chosen = sent
        return sent

    def followed(self, response: Response) -> Response:
        reply = self._chosen
        timing = None if reply is None else reply.timing or self._timing
        if reply is None or timing is None:
            return response
        return paced(response, reply, timing, clock=self._clock, seed=f"{self._wires[0].name}/{self.journal.count}")


@dataclass(frozen=True, slots=True)
class Pacing:
    """The moments of a response's chunks, by a clock."""

    clock: Clock
    moments: tuple[float, ...]

    def wait_before(self, chunk: int) -> threading.Event | float:
        return self.clock.until(self.moments[chunk])


def paced(response: Response, reply: Reply, timing: StreamTiming, *, clock: Clock, seed: str) -> Response:
    """The response with the moments of its chunks from now on; an error with a status is sent at once."""
    if reply.fault is not None and reply.fault.status is not None:
        return response
    found = moments(timing, chunks=len(response.chunks), tokens=_tokens(reply), draw=random.Random(seed))
    now = clock.now()
    return replace(response, pacing=Pacing(clock, tuple(now + moment for moment in found)))


def _tokens(reply: Reply) -> int:
    letters = len(reply.text or "") + len(reply.thinking or "")
    for call in reply.calls:
        text = compact(call.arguments or {}) if call.arguments_text is None else call.arguments_text
        letters += len(call.name) + len(text)
    return tokens_of(letters)
