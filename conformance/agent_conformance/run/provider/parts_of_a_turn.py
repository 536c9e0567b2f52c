"""What one message of a turn is: a retry, one that forgot a result, a plain answer; how far one comes."""

import threading
import time
from typing import Protocol

from agent_conformance.scenario.derived.faults import has_harmful_fault, is_flawed
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.transcripts.transcript import ANSWERED, OUTSIDE_TURN, RecordedRequest, TurnRecord
from fake_providers import Reply, Request


def is_plain_answer(spec: ReplySpec) -> bool:
    """Whether the model answers in prose to the end. A call or reasoning written as text is no call of the reply tool,
    and neither is an answer that was cut off or refused.
    """
    protocol = spec.means is not None and (spec.means.handling != "show" or bool(spec.means.never_show))
    return not protocol and spec.finish in (None, "stop")


def is_harmful(reply: Reply) -> bool:
    return reply.fault is not None and reply.fault.is_harmful


def retried(record: TurnRecord, request: Request) -> RecordedRequest | None:
    """The request that this one is a transport's retry of: it says so, or the response was never written.

    An agent that stops reading a flawed reply, to request another, gets the next one.
    """
    earlier = [recorded for recorded in record.requests if recorded.kind not in OUTSIDE_TURN]
    if not earlier or earlier[-1].kind not in ANSWERED:
        return None
    last = earlier[-1]
    if last.http.body != request.body or last.http.path != request.path:
        return None
    count = request.headers.get("x-stainless-retry-count", "0")
    if count.isdigit() and int(count) > 0:
        return last
    may_throw_away = last.spec is not None and is_flawed(last.spec)
    return last if last.complete is False and not may_throw_away else None


def may_ask_again(request: RecordedRequest) -> bool:
    """Whether an agent may throw away what came, and wait before it asks again. What falls silent is no answer yet."""
    spec = request.spec
    if request.status == 429 or request.status >= 500:
        return True
    if spec is None or (spec.fault is not None and spec.fault.connection == "silent"):
        return False
    return is_flawed(spec) or has_harmful_fault(spec)


class Follower(Protocol):
    """Whom a response reports to."""

    @property
    def may_hold(self) -> bool: ...

    def hold(self, request: RecordedRequest, chunk: int) -> threading.Event | None: ...

    def note_activity(self) -> None: ...


class ResponseProgress:
    """The listener of one response. Forgets whom it reports to once it is done: clients keep responses in cycles."""

    __slots__ = ("_followed",)

    def __init__(self, provider: Follower, request: RecordedRequest) -> None:
        self._followed: tuple[Follower, RecordedRequest] | None = provider, request

    @property
    def may_hold(self) -> bool:
        """Whether `hold` may return an event: a transport that is far away then asks before each chunk."""
        return self._followed is not None and self._followed[0].may_hold

    def hold(self, chunk: int) -> threading.Event | None:
        if self._followed is None:
            return None
        provider, request = self._followed
        return provider.hold(request, chunk)

    def done(self, *, complete: bool) -> None:
        if self._followed is None:
            return
        (provider, request), self._followed = self._followed, None
        request.complete = complete
        request.answered_at = time.monotonic()
        provider.note_activity()
