"""The moment at which a turn is to be cancelled. Knows no request and no agent, only how far the turn has got."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Literal

from agent_conformance.scenario.model import Cancel

PATIENCE = 1.0
"""Seconds for which a response is held, or a tool waits, until the agent's `cancel` was called."""


class CancelTrigger:
    """One turn's. `cancel_turn` cancels the turn; its future is done when the agent's `cancel` has been called."""

    def __init__(self, cancel: Cancel | None = None, cancel_turn: Callable[[], Future[None]] = Future) -> None:
        self._cancel = cancel
        self._cancel_turn = cancel_turn
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
        """Before a chunk of the response to a request is written: what holds it, where the turn is cancelled there."""
        cancel = self._cancel
        if cancel is None or self._cancelled is not None:
            return None
        at_request = cancel.at == "request" and chunk == 0 and request >= cancel.n
        at_chunk = cancel.at == "chunk" and chunk >= cancel.n
        if not (at_request or at_chunk):
            return None
        self._trigger()
        return self.released

    def _trigger(self) -> Future[None]:
        """Cancel the turn, once. A response that is held for it goes on soon, should the agent not listen."""
        if self._cancelled is None:
            self._cancelled = self._cancel_turn()
            patience = threading.Timer(PATIENCE, self.released.set)
            patience.daemon = True
            patience.start()
        return self._cancelled
