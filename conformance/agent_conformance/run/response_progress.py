"""How far the response to a request of a case gets. Knows no script and no agent."""

import threading
import time
from typing import Protocol

from agent_conformance.record.transcript import RecordedRequest


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
